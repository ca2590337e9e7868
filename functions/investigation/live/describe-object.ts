// State and facts of workloads, nodes, claims and autoscalers. Pure functions.

import { counted } from "../../../lib/text/counted.ts";
import { conditionFact, type Description, factText, MAX_OBJECT_FACTS, ownerText } from "./object-facts.ts";
import type { ObjectCondition, OtherObject } from "./object-schemas.ts";

type Spec = NonNullable<OtherObject["spec"]>;
type Status = NonNullable<OtherObject["status"]>;
interface Parts {
  readonly state: readonly string[];
  readonly facts: readonly string[];
}
type Describe = (spec: Partial<Spec>, status: Partial<Status>) => Parts;

/** Conditions that should be true, by kind. Of all others, one is a problem when it is true. */
const SHOULD_BE_TRUE: Readonly<Record<string, readonly string[]>> = {
  Deployment: ["Available", "Progressing"],
  Node: ["Ready"],
  Job: ["Complete", "SuccessCriteriaMet"],
  HorizontalPodAutoscaler: ["AbleToScale", "ScalingActive"],
};
/** Conditions that say how an object is, and no problem. */
const NEUTRAL = new Set(["Suspended", "Resizing", "FileSystemResizePending"]);

const DESCRIBE: Readonly<Record<string, Describe>> = {
  Deployment: replicas,
  ReplicaSet: replicas,
  StatefulSet: (spec, status) => {
    const { updateRevision, currentRevision } = status;
    const isUpdating = updateRevision && currentRevision && updateRevision !== currentRevision;
    const { state, facts } = replicas(spec, { ...status, updatedReplicas: undefined });
    const update = isUpdating ? [`Updates from ${currentRevision} to ${updateRevision}`] : [];
    return { state, facts: [...facts, ...update] };
  },
  DaemonSet: (_, { desiredNumberScheduled, numberReady, numberMisscheduled }) => ({
    state: [`${numberReady ?? 0} of ${desiredNumberScheduled ?? 0} ready`],
    facts: numberMisscheduled ? [`${counted(numberMisscheduled, "pod")} on nodes where none should run`] : [],
  }),
  Job: (spec, { active, succeeded, failed, conditions = [] }) => {
    const end = conditions.find(({ type, status }) => ["Complete", "Failed"].includes(type) && status === "True");
    const done = `${succeeded ?? 0} of ${spec.completions ?? 1} succeeded`;
    return { state: [end?.type ?? (active ? "Running" : "Not finished"), done, `${failed ?? 0} failed`], facts: [] };
  },
  CronJob: ({ schedule, suspend }, { active, lastScheduleTime, lastSuccessfulTime }) => ({
    state: [suspend === true ? "Suspended" : "Scheduled", `${Array.isArray(active) ? active.length : 0} active`],
    facts: [
      ...(schedule ? [`Schedule ${schedule}`] : []),
      ...(lastScheduleTime ? [`Last scheduled at ${lastScheduleTime}`] : []),
      ...(lastSuccessfulTime ? [`Last success at ${lastSuccessfulTime}`] : ["No success so far"]),
    ],
  }),
  Node: ({ unschedulable, taints }, { conditions = [], allocatable, nodeInfo }) => {
    const ready = conditions.find(({ type }) => type === "Ready")?.status;
    const limits = ["cpu", "memory", "pods"].flatMap((name) =>
      allocatable?.[name] === undefined ? [] : [`${name} ${allocatable[name]}`],
    );
    return {
      state: [ready === "True" ? "Ready" : "Not ready", ...(unschedulable === true ? ["cordoned"] : [])],
      facts: [
        ...(limits.length > 0 ? [`Allocatable: ${limits.join(", ")}`] : []),
        ...(taints ?? []).slice(0, 3).map(({ key, effect }) => `Taint ${key}${effect ? `:${effect}` : ""}`),
        ...(nodeInfo?.kubeletVersion ? [`Kubelet ${nodeInfo.kubeletVersion}`] : []),
      ],
    };
  },
  PersistentVolumeClaim: ({ storageClassName, resources }, { phase, capacity }) => {
    const requested = resources?.requests?.storage;
    return {
      state: [phase ?? "Unknown"],
      facts: [
        ...(requested === undefined ? [] : [`Requests ${requested}`]),
        ...(capacity?.storage === undefined ? [] : [`Has ${capacity.storage}`]),
        storageClassName ? `Storage class ${storageClassName}` : "No storage class",
      ],
    };
  },
  HorizontalPodAutoscaler: ({ minReplicas, maxReplicas }, { currentReplicas, desiredReplicas }) => {
    const isAtMax = maxReplicas !== undefined && maxReplicas !== null && (desiredReplicas ?? 0) >= maxReplicas;
    const wanted = `${currentReplicas ?? 0} replicas, wants ${desiredReplicas ?? 0}`;
    return {
      state: [wanted, ...(isAtMax ? ["at its maximum"] : [])],
      facts: [`Between ${minReplicas ?? 1} and ${maxReplicas ?? "?"} replicas`],
    };
  },
};

/** Description of an object of a kind that alerts name; other kinds have a state of "exists". */
export function describeObject(kind: string, { metadata, spec, status }: OtherObject): Description {
  const describe = Object.hasOwn(DESCRIBE, kind) ? DESCRIBE[kind] : undefined;
  const parts = describe?.(spec ?? {}, status ?? {}) ?? { state: ["exists"], facts: [] };
  const isDeleted = Boolean(metadata.deletionTimestamp);
  const isBehind = (status?.observedGeneration ?? metadata.generation ?? 0) < (metadata.generation ?? 0);
  const facts = [
    ...(status?.conditions ?? []).filter((condition) => isProblem(kind, condition)).map(conditionFact),
    ...(isBehind ? ["The last change of its specification is not processed yet"] : []),
    ...parts.facts.map((fact) => factText(fact)),
  ];
  const state = [...(isDeleted ? ["Terminating"] : []), ...parts.state].join(", ");
  return { state: factText(state), owner: ownerText(metadata), facts: facts.slice(0, MAX_OBJECT_FACTS) };
}

function replicas(spec: Partial<Spec>, status: Partial<Status>): Parts {
  const wanted = spec.replicas ?? 1;
  const { readyReplicas, updatedReplicas } = status;
  const isUpdating = typeof updatedReplicas === "number" && updatedReplicas < wanted;
  return {
    state: [
      `${readyReplicas ?? 0} of ${wanted} ready`,
      ...(isUpdating ? [`${updatedReplicas} updated`] : []),
      ...(spec.paused === true ? ["paused"] : []),
    ],
    facts: [],
  };
}

function isProblem(kind: string, { type, status }: ObjectCondition): boolean {
  if (NEUTRAL.has(type)) return false;
  const shouldBeTrue = Object.hasOwn(SHOULD_BE_TRUE, kind) ? SHOULD_BE_TRUE[kind] : undefined;
  return shouldBeTrue?.includes(type) ? status !== "True" : status === "True";
}
