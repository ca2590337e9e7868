// State and facts of a pod. The state is that of the column STATUS of kubectl, in words. Pure functions.

import { counted } from "../../../lib/text/counted.ts";
import {
  conditionFact,
  type Description,
  factText,
  MAX_OBJECT_FACTS,
  ownerText,
  resourcesFact,
} from "./object-facts.ts";
import type { ContainerStatus, ObjectCondition, Pod, Termination } from "./object-schemas.ts";

const FINISHED = new Set(["Completed", "Succeeded"]);
/** Conditions of a pod that should be true. Of the others, one is a problem when it is true. */
const SHOULD_BE_TRUE = new Set(["PodScheduled", "Initialized", "ContainersReady", "Ready"]);
const SHOULD_BE_FALSE = new Set(["DisruptionTarget", "PodResizePending"]);
const MAX_CONTAINERS = 3;

/** @param container the one that the alert is about; null for none in particular */
export function describePod(pod: Pod, container: string | null): Description {
  const statuses = orderedStatuses(pod, container);
  const restarts = statuses.reduce((sum, { restartCount }) => sum + (restartCount ?? 0), 0);
  const reason = reasonOf(pod);
  const state = [
    reason,
    ...(FINISHED.has(reason) ? [] : readyParts(pod)),
    ...(restarts > 0 ? [counted(restarts, "restart")] : []),
  ].join(", ");
  const facts = [
    ...(pod.status?.message ? [factText(pod.status.message)] : []),
    ...statuses.flatMap(waitingFact),
    ...statuses.flatMap(terminationFacts),
    ...(pod.status?.conditions ?? []).filter(isProblem).map(conditionFact),
    ...containersOf(pod, container).flatMap((each) => [
      resourcesFact(each),
      ...(each.image ? [factText(`${each.name}: image ${each.image}`)] : []),
    ]),
    ...(pod.spec.nodeName ? [`On node ${pod.spec.nodeName}`] : []),
  ];
  return { state: factText(state), owner: ownerText(pod.metadata), facts: facts.slice(0, MAX_OBJECT_FACTS) };
}

/** Containers that the pod failed to start or to keep, for the states of a workload's pods. */
export function isHealthyPod(pod: Pod): boolean {
  const reason = reasonOf(pod);
  return FINISHED.has(reason) || (reason === "Running" && isReady(pod));
}

/** As kubectl prints it. */
function reasonOf({ metadata, spec, status }: Pod): string {
  if (metadata.deletionTimestamp) return status?.reason === "NodeLost" ? "Unknown" : "Terminating";
  const initial = initReason(status?.initContainerStatuses ?? [], spec.initContainers);
  if (initial !== null) return initial;
  const statuses = status?.containerStatuses ?? [];
  let reason = status?.reason || status?.phase || "Unknown";
  for (const { state } of statuses.toReversed()) {
    if (state?.waiting?.reason) reason = state.waiting.reason;
    else if (state?.terminated) reason = terminatedReason(state.terminated);
  }
  const isRunning = statuses.some(({ ready, state }) => ready === true && state?.running);
  return reason === "Completed" && isRunning ? "Running" : reason;
}

/** Null when the init containers are done. */
function initReason(statuses: readonly ContainerStatus[], containers: Pod["spec"]["initContainers"]): string | null {
  const index = statuses.findIndex(({ name, state, started }) => {
    const isSidecar = containers.find((each) => each.name === name)?.restartPolicy === "Always";
    return !(state?.terminated?.exitCode === 0 || (isSidecar && started === true));
  });
  const state = statuses[index]?.state;
  if (index === -1) return null;
  if (state?.terminated) return `Init:${terminatedReason(state.terminated)}`;
  const waiting = state?.waiting?.reason;
  return waiting && waiting !== "PodInitializing" ? `Init:${waiting}` : `Init:${index}/${statuses.length}`;
}

function terminatedReason({ reason, signal, exitCode }: Termination): string {
  if (reason) return reason;
  return signal ? `Signal:${signal}` : `ExitCode:${exitCode ?? 0}`;
}

function isReady({ status }: Pod): boolean {
  return status?.conditions.some(({ type, status: value }) => type === "Ready" && value === "True") === true;
}

function readyParts(pod: Pod): string[] {
  const conditions = pod.status?.conditions ?? [];
  if (conditions.some(({ type, status }) => type === "PodScheduled" && status === "False")) return ["not scheduled"];
  const statuses = pod.status?.containerStatuses ?? [];
  const ready = statuses.filter((each) => each.ready === true).length;
  if (statuses.length > 1 && ready < statuses.length) return [`${ready} of ${statuses.length} containers ready`];
  return [isReady(pod) ? "ready" : "not ready"];
}

/** Of the container that the alert is about first, then those with restarts. */
function orderedStatuses({ status }: Pod, container: string | null): ContainerStatus[] {
  const all = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  const rank = ({ name, restartCount }: ContainerStatus) =>
    name === container ? Number.POSITIVE_INFINITY : (restartCount ?? 0);
  return all.sort((a, b) => (rank(a) === rank(b) ? 0 : rank(b) > rank(a) ? 1 : -1));
}

function containersOf({ spec }: Pod, container: string | null): Pod["spec"]["containers"] {
  const isMeant = (name: string) => Number(name === container);
  return spec.containers.toSorted((a, b) => isMeant(b.name) - isMeant(a.name)).slice(0, MAX_CONTAINERS);
}

function waitingFact({ name, state }: ContainerStatus): string[] {
  const { reason, message } = state?.waiting ?? {};
  if (!reason || reason === "PodInitializing") return [];
  return [factText([`${name} waits`, reason, ...(message ? [message] : [])].join(": "))];
}

/** The present end of a container that ended, and the last one of a container that was started again. */
function terminationFacts({ name, state, lastState }: ContainerStatus): string[] {
  const present = state?.terminated;
  const isFailed = present && (present.exitCode ?? 0) !== 0;
  return [
    ...(isFailed ? [terminationFact(`${name} terminated`, present)] : []),
    ...(lastState?.terminated ? [terminationFact(`Last termination of ${name}`, lastState.terminated)] : []),
  ];
}

function terminationFact(title: string, termination: Termination): string {
  const { exitCode, startedAt, finishedAt, message } = termination;
  const seconds = (Date.parse(finishedAt ?? "") - Date.parse(startedAt ?? "")) / 1_000;
  const parts = [
    terminatedReason(termination),
    ...(typeof exitCode === "number" ? [`exit code ${exitCode}`] : []),
    ...(finishedAt ? [`at ${finishedAt}`] : []),
    ...(seconds >= 0 ? [`after ${Math.round(seconds)} s`] : []),
  ];
  return factText(`${title}: ${parts.join(", ")}${message ? `: ${message}` : ""}`);
}

function isProblem({ type, status, reason }: ObjectCondition): boolean {
  if (reason === "PodCompleted") return false;
  return SHOULD_BE_TRUE.has(type) ? status !== "True" : SHOULD_BE_FALSE.has(type) && status === "True";
}
