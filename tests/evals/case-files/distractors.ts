// Unrelated past incidents and answers that are stored before a case that expects a memory hit. On an empty database the
// expected record would be the only one to recall, so the case would prove nothing.

import type { DomainName } from "../../../functions/schemas/domain.ts";
import type { EvalCase, SetupStep } from "./case-schema.ts";

/** The steps to run before those of the case itself; empty unless the case expects an incident or a past answer. */
export function distractorsFor({ domain, expect }: Pick<EvalCase, "domain" | "expect">): readonly SetupStep[] {
  return expect.incident === undefined && expect.past_answer === undefined ? [] : DISTRACTORS[domain];
}

const DOCKER = { container_runtime: "docker" };
const PODMAN = { container_runtime: "podman" };
const KUBERNETES = { container_runtime: "kubernetes" };
const POSTGRES = { source_type: "database" };

const DISTRACTORS: Readonly<Record<DomainName, readonly SetupStep[]>> = {
  docker: [
    {
      report: {
        title: "image pull for pdf-render fails: x509 certificate has expired",
        target: "pdf-render",
        labels: DOCKER,
      },
      resolved: { resolution: "Renewed the registry mirror's certificate and reloaded its proxy.", worked: true },
    },
    {
      report: { title: "geocoder container unhealthy since base image update", target: "geocoder", labels: DOCKER },
      resolved: { resolution: "The health check called wget, which the new base lacks: installed it.", worked: true },
    },
    {
      report: { title: "containers of newsletter cannot resolve smtp relay", target: "newsletter", labels: DOCKER },
      resolved: {
        resolution: "Set the office resolver in daemon.json instead of the one of the old site.",
        worked: true,
      },
    },
    {
      report: {
        question: "docker: why does the log of the survey container fill the disk of the host?",
        labels: DOCKER,
      },
      rating: "up",
    },
  ],
  podman: [
    {
      report: {
        title: "rootless wiki container cannot write its volume, permission denied",
        target: "wiki",
        labels: PODMAN,
      },
      resolved: { resolution: "Mounted the volume with :U so that it belongs to the mapped user.", worked: true },
    },
    {
      report: {
        title: "quadlet of matrix-bridge is not generated after edit",
        target: "matrix-bridge",
        labels: PODMAN,
      },
      resolved: { resolution: "A misspelt key; the generator's dry run named the line.", worked: true },
    },
    {
      report: {
        title: "backup-runner container stops when the operator logs out",
        target: "backup-runner",
        labels: PODMAN,
      },
      resolved: { resolution: "Enabled lingering for the service account.", worked: true },
    },
    {
      report: { question: "podman: how can a rootless container of the wiki listen on port 443?", labels: PODMAN },
      rating: "up",
    },
  ],
  kubernetes: [
    {
      report: {
        title: "report-cron pods pending, insufficient cpu on all nodes",
        target: "report-cron",
        labels: KUBERNETES,
      },
      resolved: { resolution: "Lowered the CPU request of the batch jobs to what they use.", worked: true },
    },
    {
      report: {
        title: "image pull of chat-web fails with 401 in the new namespace",
        target: "chat-web",
        labels: KUBERNETES,
      },
      resolved: {
        resolution: "Copied the pull secret into the namespace and named it in the service account.",
        worked: true,
      },
    },
    {
      report: { title: "readiness probe of tariff fails after every release", target: "tariff", labels: KUBERNETES },
      resolved: { resolution: "Raised failureThreshold, since the cache takes two minutes to warm.", worked: true },
    },
    {
      report: { question: "k8s: how do I find out which quota stops new replicas of chat-web?", labels: KUBERNETES },
      rating: "up",
    },
  ],
  postgres: [
    {
      report: { title: "deadlock detected in stock bookings every evening", target: "pg-stock", labels: POSTGRES },
      resolved: { resolution: "The import now updates rows in the order of their keys.", worked: true },
    },
    {
      report: { title: "pg-wal volume of pg-archive 95 % full", target: "pg-archive", labels: POSTGRES },
      resolved: { resolution: "Dropped the slot of a decommissioned consumer.", worked: true },
    },
    {
      report: { title: "queries on invoices slow since bulk load", target: "pg-invoices", labels: POSTGRES },
      resolved: { resolution: "Ran ANALYZE on the loaded tables; the loader does it itself now.", worked: true },
    },
    {
      report: {
        question: "postgres: what does it mean that autovacuum of stock bookings never finishes?",
        labels: POSTGRES,
      },
      rating: "up",
    },
  ],
};
