// The parts of a cluster's objects that an observation reads. Every field may be missing: servers leave out empty ones.

import { z } from "zod";

const text = z.string().nullish();
const count = z.number().nullish();
const list = <T extends z.ZodType>(item: T) =>
  z
    .array(item)
    .nullish()
    .transform((items) => items ?? []);
const texts = z.record(z.string(), z.string()).nullish();

export const metadataSchema = z.object({
  name: z.string(),
  generation: count,
  deletionTimestamp: text,
  labels: texts,
  ownerReferences: list(z.object({ kind: z.string(), name: z.string(), controller: z.boolean().nullish() })),
});
export type ObjectMetadata = z.infer<typeof metadataSchema>;

const conditionSchema = z.object({
  type: z.string(),
  status: z.string(),
  reason: text,
  message: text,
  lastTransitionTime: text,
});
export type ObjectCondition = z.infer<typeof conditionSchema>;

const terminatedSchema = z.object({
  reason: text,
  message: text,
  exitCode: count,
  signal: count,
  startedAt: text,
  finishedAt: text,
});
export type Termination = z.infer<typeof terminatedSchema>;

const stateSchema = z
  .object({
    waiting: z.object({ reason: text, message: text }).nullish(),
    running: z.object({ startedAt: text }).nullish(),
    terminated: terminatedSchema.nullish(),
  })
  .nullish();
const containerStatusSchema = z.object({
  name: z.string(),
  ready: z.boolean().nullish(),
  started: z.boolean().nullish(),
  restartCount: count,
  state: stateSchema,
  lastState: stateSchema,
});
export type ContainerStatus = z.infer<typeof containerStatusSchema>;

/** Quantities are texts or numbers: "500m", 1. */
const quantities = z.record(z.string(), z.union([z.string(), z.number()])).nullish();
const containerSchema = z.object({
  name: z.string(),
  image: text,
  restartPolicy: text,
  resources: z.object({ limits: quantities, requests: quantities }).nullish(),
});
export type Container = z.infer<typeof containerSchema>;

export const podSchema = z.object({
  metadata: metadataSchema,
  spec: z.object({ nodeName: text, containers: list(containerSchema), initContainers: list(containerSchema) }),
  status: z
    .object({
      phase: text,
      reason: text,
      message: text,
      conditions: list(conditionSchema),
      initContainerStatuses: list(containerStatusSchema),
      containerStatuses: list(containerStatusSchema),
    })
    .nullish(),
});
export type Pod = z.infer<typeof podSchema>;

/** Of workloads, nodes, claims and autoscalers. */
export const otherObjectSchema = z.object({
  metadata: metadataSchema,
  spec: z
    .object({
      replicas: count,
      paused: z.boolean().nullish(),
      suspend: z.boolean().nullish(),
      unschedulable: z.boolean().nullish(),
      minReplicas: count,
      maxReplicas: count,
      completions: count,
      schedule: text,
      storageClassName: text,
      taints: list(z.object({ key: z.string(), effect: text })),
      resources: z.object({ requests: quantities }).nullish(),
      selector: z
        .object({ matchLabels: texts, matchExpressions: list(z.unknown()) })
        .nullish()
        .catch(null),
    })
    .nullish(),
  status: z
    .object({
      phase: text,
      observedGeneration: count,
      replicas: count,
      readyReplicas: count,
      updatedReplicas: count,
      unavailableReplicas: count,
      currentReplicas: count,
      desiredReplicas: count,
      currentRevision: text,
      updateRevision: text,
      desiredNumberScheduled: count,
      numberReady: count,
      numberMisscheduled: count,
      updatedNumberScheduled: count,
      active: z.union([z.number(), z.array(z.unknown())]).nullish(),
      succeeded: count,
      failed: count,
      lastScheduleTime: text,
      lastSuccessfulTime: text,
      capacity: quantities,
      allocatable: quantities,
      nodeInfo: z.object({ kubeletVersion: text }).nullish(),
      conditions: list(conditionSchema),
    })
    .nullish(),
});
export type OtherObject = z.infer<typeof otherObjectSchema>;

export const eventSchema = z.object({
  metadata: z.object({ creationTimestamp: text }),
  type: text,
  reason: text,
  message: text,
  note: text,
  count,
  lastTimestamp: text,
  eventTime: text,
  series: z.object({ count, lastObservedTime: text }).nullish(),
});
