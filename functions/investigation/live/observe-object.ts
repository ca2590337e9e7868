// Observes the object of an alert in its cluster: state, last termination, owner and events, with at most four requests.

import type { EvidenceQuery, ObjectRequest } from "../../../lib/checks/scope/query.ts";
import { counted } from "../../../lib/text/counted.ts";
import type { EvidenceClient, QueryCall } from "../../adapters/evidence/client.ts";
import { DependencyError, settle } from "../../dependencies.ts";
import type { ObservedObject } from "../../schemas/live-evidence.ts";
import { describeObject } from "./describe-object.ts";
import { describePod, isHealthyPod } from "./describe-pod.ts";
import { observedEvents } from "./object-events.ts";
import { type Description, MAX_OBJECT_FACTS, ownerOf } from "./object-facts.ts";
import { otherObjectSchema, type Pod, podSchema } from "./object-schemas.ts";
import { type ObjectTarget, objectTargetOf } from "./object-target.ts";

/** Reads objects. A failure of a request beside the first leaves its part out. */
interface Reader {
  read(request: Partial<ObjectRequest>): Promise<readonly unknown[]>;
  /** Null for a failure, or for more objects than a query returns. */
  tryToRead(request: Partial<ObjectRequest>): Promise<readonly unknown[] | null>;
}

/** Kinds with pods of their own, which the selector of their specification selects. */
const HAS_PODS = new Set(["Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Job"]);
const EVENTS_OF_CLUSTER_OBJECTS = "default";
const MAX_UNHEALTHY_PODS = 3;

/** The names that a ReplicaSet, a StatefulSet and a DaemonSet give their pods; the first part is the owner's name. */
const POD_NAMES: readonly (readonly [pattern: RegExp, resource: string, kind: string])[] = [
  [/^(.{1,200})-[a-z0-9]{5,10}-[a-z0-9]{5}$/, "deployments", "Deployment"],
  [/^(.{1,200})-\d{1,6}$/, "statefulsets", "StatefulSet"],
  [/^(.{1,200})-[a-z0-9]{5}$/, "daemonsets", "DaemonSet"],
];

/**
 * Null if the labels name no object, or one whose absence means nothing.
 * @param call its time is for all requests together
 * @throws DependencyError if the object cannot be read
 */
export async function observeObject(
  client: EvidenceClient,
  labels: Readonly<Record<string, string>>,
  call: QueryCall,
): Promise<ObservedObject | null> {
  const target = objectTargetOf(labels);
  if (target === null) return null;
  const reader = createReader(client, target, call);
  const [objects, events] = await Promise.all([reader.read({ name: target.name }), readEvents(reader, target)]);
  const [object] = objects;
  if (object === undefined && target.isUncertain) return null;
  const isPod = target.kind === "Pod";
  const observation =
    object === undefined
      ? await describeMissing(reader, target)
      : isPod
        ? await describePodWithOwner(reader, object, target)
        : await describeWithPods(reader, object, target);
  return {
    source: client.definition.name,
    link: client.linkTo(queryOf({ resource: target.resource, namespace: target.namespace, name: target.name })),
    kind: target.kind,
    namespace: target.namespace,
    name: target.name,
    state: observation.state,
    owner: observation.owner,
    facts: [...(events === null ? ["Its events could not be read"] : []), ...observation.facts].slice(
      0,
      MAX_OBJECT_FACTS,
    ),
    events: observedEvents([...(events ?? []), ...(observation.events ?? [])]),
  };
}

type Observation = Description & { readonly events?: readonly unknown[] | null };

/** The owner of the ReplicaSet is what people deploy. */
async function describePodWithOwner(reader: Reader, object: unknown, target: ObjectTarget): Promise<Observation> {
  const pod = parsePod(object);
  const description = describePod(pod, target.container);
  const owner = ownerOf(pod.metadata);
  if (owner?.kind !== "ReplicaSet") return description;
  const [replicaSet] = (await reader.tryToRead({ resource: "replicasets", name: owner.name })) ?? [];
  const parsed = otherObjectSchema.safeParse(replicaSet);
  const top = parsed.success ? ownerOf(parsed.data.metadata) : null;
  return top === null ? description : { ...description, owner: `${top.kind} ${top.name}` };
}

/** The state of a workload, and of those of its pods that are not healthy, with the events of the first. */
async function describeWithPods(reader: Reader, object: unknown, target: ObjectTarget): Promise<Observation> {
  const parsed = otherObjectSchema.safeParse(object);
  if (!parsed.success) throw invalidShape();
  const description = describeObject(target.kind, parsed.data);
  const { matchLabels, matchExpressions = [] } = parsed.data.spec?.selector ?? {};
  const isSelective = matchLabels && Object.keys(matchLabels).length > 0 && matchExpressions.length === 0;
  if (!HAS_PODS.has(target.kind) || !isSelective) return description;
  const objects = (await reader.tryToRead({ resource: "pods", name: null, labels: matchLabels })) ?? [];
  const pods = objects.flatMap((each) => {
    const pod = podSchema.safeParse(each);
    return pod.success ? [pod.data] : [];
  });
  const unhealthy = pods.filter((pod) => !isHealthyPod(pod));
  const [first] = unhealthy;
  if (first === undefined) return description;
  const facts = [`${unhealthy.length} of ${counted(pods.length, "pod")} not healthy`, ...podFacts(unhealthy)];
  const events = await reader.tryToRead(eventsOf("Pod", first.metadata.name));
  return { ...description, facts: [...facts, ...description.facts], events };
}

/** The states of some pods, and why the first is so. */
function podFacts(pods: readonly Pod[]): string[] {
  const described = pods.slice(0, MAX_UNHEALTHY_PODS).map((pod) => ({ pod, ...describePod(pod, null) }));
  const states = described.map(({ pod, state }) => `Pod ${pod.metadata.name}: ${state}`);
  return [...states, ...(described[0]?.facts.slice(0, 4) ?? [])];
}

/** The owner of a pod that is gone, by the name that it gave the pod. */
async function describeMissing(reader: Reader, { kind, name }: ObjectTarget): Promise<Observation> {
  const missing = { state: "Gone: no object of this name exists", owner: null, facts: [] };
  if (kind !== "Pod") return missing;
  for (const [pattern, resource, ownerKind] of POD_NAMES) {
    const ownerName = pattern.exec(name)?.[1];
    if (ownerName === undefined) continue;
    const isOfReplicaSet = resource === "deployments";
    const [objects, events] = await Promise.all([
      reader.tryToRead({ resource, name: ownerName }),
      isOfReplicaSet ? reader.tryToRead(eventsOf("ReplicaSet", name.slice(0, name.lastIndexOf("-")))) : null,
    ]);
    const parsed = otherObjectSchema.safeParse(objects?.[0]);
    if (!parsed.success) return { ...missing, events };
    const { state, facts } = describeObject(ownerKind, parsed.data);
    const owner = `${ownerKind} ${ownerName}`;
    return { state: missing.state, owner, facts: [`${owner}: ${state}`, ...facts], events };
  }
  return missing;
}

function readEvents(reader: Reader, { kind, namespace, name }: ObjectTarget): Promise<readonly unknown[] | null> {
  return reader.tryToRead({ ...eventsOf(kind, name), namespace: namespace ?? EVENTS_OF_CLUSTER_OBJECTS });
}

function eventsOf(kind: string, name: string): Partial<ObjectRequest> {
  return { resource: "events", name: null, fields: { "involvedObject.kind": kind, "involvedObject.name": name } };
}

function createReader(client: EvidenceClient, { resource, namespace }: ObjectTarget, call: QueryCall): Reader {
  const start = performance.now();
  const read: Reader["read"] = async (request) => {
    const timeoutMs = Math.max(1, Math.floor(call.timeoutMs - (performance.now() - start)));
    const result = await client.run(queryOf({ resource, namespace, ...request }), { ...call, timeoutMs });
    if (result.kind === "objects") return result.objects;
    throw new DependencyError("evidence_source", "invalid_response", `the result is ${result.kind}, not objects`);
  };
  return {
    read,
    async tryToRead(request) {
      const settled = await settle(read(request));
      return settled.ok ? settled.value : null;
    },
  };
}

function queryOf(request: Partial<ObjectRequest>): EvidenceQuery {
  return {
    language: "k8s",
    request: { resource: "", namespace: null, name: null, labels: {}, fields: {}, ...request },
  };
}

function parsePod(object: unknown): Pod {
  const parsed = podSchema.safeParse(object);
  if (parsed.success) return parsed.data;
  throw invalidShape();
}

function invalidShape(): DependencyError {
  return new DependencyError("evidence_source", "invalid_response", "the object does not have the shape of its kind");
}
