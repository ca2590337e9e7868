// Second held-out part, written after the weights and the rules were final: a proxy of secrets, and runners of builds.

import { type CheckCase, gauge } from "../check-case.ts";

const PROXY = { instance: "vault-2:9700", job: "vaultline" };
const leaseExpired = {
  title: "VaultlineLeaseExpired: 14 leases of vault-2 ended before their renewal",
  labels: { alertname: "VaultlineLeaseExpired", severity: "critical", ...PROXY },
};

export const SECRET_CASES: readonly CheckCase[] = [
  {
    id: "vaultline-clock",
    part: "second held out",
    kind: "right",
    about: "the second of three causes is confirmed",
    request: leaseExpired,
    metrics: [
      gauge("vaultline_renewal_oldest_seconds", PROXY, 3),
      gauge("vaultline_clock_offset_seconds", PROXY, 41),
      gauge("vaultline_upstream_seconds", PROXY, 0.08),
      gauge("vaultline_sealed", PROXY, 0),
    ],
    right: { source: "vaultline/leases-late.md", cause: "The clock" },
    ruledOut: [
      "vaultline/leases-late.md#The renewal queue",
      "vaultline/leases-late.md#The upstream",
      "vaultline/sealed.md",
    ],
  },
  {
    id: "vaultline-sealed",
    part: "second held out",
    kind: "right",
    about: "every cause of the nearer runbook is refuted",
    request: leaseExpired,
    metrics: [
      gauge("vaultline_renewal_oldest_seconds", PROXY, 0),
      gauge("vaultline_clock_offset_seconds", PROXY, 0.01),
      gauge("vaultline_upstream_seconds", PROXY, 0.08),
      gauge("vaultline_sealed", PROXY, 1),
    ],
    right: { source: "vaultline/sealed.md" },
    ruledOut: ["vaultline/leases-late.md"],
  },
  {
    id: "vaultline-page",
    part: "second held out",
    kind: "misleading",
    about: "a page for logging in answers in place of the metrics server; the log shows the cause",
    request: { ...leaseExpired, logs: "2026-03-01T02:41:00Z ERROR lease/read: core is sealed\n" },
    metricsFault: "sends a page",
    right: { source: "vaultline/sealed.md" },
    ruledOut: [],
  },
];

const SERVER = { namespace: "ci", job: "stepladder" };
const buildsWait = {
  title: "StepladderBuildsWaiting: 60 builds of checkout wait for 20 minutes",
  labels: { alertname: "StepladderBuildsWaiting", severity: "warning", ...SERVER },
};
const project = (running: number) => [
  gauge("stepladder_project_running", { ...SERVER, project: "checkout" }, running),
  gauge("stepladder_project_limit", { ...SERVER, project: "checkout" }, 10),
];

export const BUILD_CASES: readonly CheckCase[] = [
  {
    id: "stepladder-limit",
    part: "second held out",
    kind: "right",
    about: "three runbooks for one symptom",
    request: buildsWait,
    metrics: [
      gauge("stepladder_runners_connected", SERVER, 24),
      gauge("stepladder_cache_lock_seconds", SERVER, 4),
      ...project(10),
    ],
    right: { source: "stepladder/builds-wait-limit.md" },
    ruledOut: ["stepladder/builds-wait-no-runner.md", "stepladder/builds-wait-cache-locked.md"],
  },
  {
    id: "stepladder-runners",
    part: "second held out",
    kind: "right",
    about: "the question of a person, without a word of the cause",
    request: { ...buildsWait, question: "nothing builds since lunch" },
    metrics: [
      gauge("stepladder_runners_connected", SERVER, 0),
      gauge("stepladder_cache_lock_seconds", SERVER, 9),
      ...project(0),
    ],
    right: { source: "stepladder/builds-wait-no-runner.md" },
    ruledOut: ["stepladder/builds-wait-cache-locked.md", "stepladder/builds-wait-limit.md"],
  },
  {
    id: "stepladder-limit-too",
    part: "second held out",
    kind: "misleading",
    about: "the check of the true cause has no data, and another confirms by coincidence; the log shows the cause",
    request: {
      ...buildsWait,
      logs: "build 8812: waiting for cache lock held by build 8790 (aborted)\nbuild 8813: waiting for cache lock held by build 8790 (aborted)",
    },
    metrics: [gauge("stepladder_runners_connected", SERVER, 24), ...project(10)],
    right: { source: "stepladder/builds-wait-cache-locked.md" },
    ruledOut: ["stepladder/builds-wait-no-runner.md"],
  },
];
