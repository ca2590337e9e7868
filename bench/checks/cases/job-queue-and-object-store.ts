// Train: a job queue whose runbooks have one check each, and an object store with one runbook of several causes.

import { type CheckCase, counter, gauge } from "../check-case.ts";

const QUEUE = { namespace: "jobs", instance: "kettle-1:9200", job: "kettle" };
const STORE = { namespace: "gullet", job: "gullet" };

const waiting = (instance = "kettle-1:9200") => ({
  title: "KettleJobsWaiting: jobs of kettle wait for 14 minutes",
  labels: { alertname: "KettleJobsWaiting", severity: "warning", ...QUEUE, instance },
});

export const JOB_QUEUE_CASES: readonly CheckCase[] = [
  {
    id: "kettle-workers",
    part: "train",
    kind: "right",
    about: "three runbooks for one symptom; one check confirms, two refute",
    request: waiting(),
    metrics: [
      gauge("kettle_slots_used", QUEUE, 40),
      gauge("kettle_slots_total", QUEUE, 40),
      gauge("kettle_ledger_append_seconds", QUEUE, 0.012),
      counter("kettle_job_requeues_total", { ...QUEUE, lane: "imports" }, 0),
    ],
    right: { source: "kettle/workers-busy.md" },
    ruledOut: ["kettle/ledger-slow.md", "kettle/poison-job.md"],
  },
  {
    id: "kettle-ledger",
    part: "train",
    kind: "right",
    about: "the report says nothing beyond the symptom",
    request: { ...waiting("kettle-2:9200"), question: "why do jobs wait on kettle-2?" },
    metrics: [
      gauge("kettle_slots_used", { ...QUEUE, instance: "kettle-2:9200" }, 18),
      gauge("kettle_slots_total", { ...QUEUE, instance: "kettle-2:9200" }, 40),
      gauge("kettle_ledger_append_seconds", { ...QUEUE, instance: "kettle-2:9200" }, 2.1),
      counter("kettle_job_requeues_total", { ...QUEUE, instance: "kettle-2:9200", lane: "imports" }, 0),
    ],
    right: { source: "kettle/ledger-slow.md" },
    ruledOut: ["kettle/workers-busy.md", "kettle/poison-job.md"],
  },
  {
    id: "kettle-poison",
    part: "train",
    kind: "misleading",
    about: "the true runbook's check has no data, and another confirms by coincidence; the log shows the cause",
    request: {
      ...waiting(),
      logs: [
        "2026-03-01T02:51:10Z INFO lane imports: 212 jobs wait",
        "2026-03-01T02:51:12Z ERROR job 9912 failed: unknown handler, requeued at head of lane imports",
        "2026-03-01T02:51:17Z ERROR job 9912 failed: unknown handler, requeued at head of lane imports",
        "2026-03-01T02:51:22Z ERROR job 9912 failed: unknown handler, requeued at head of lane imports",
      ].join("\n"),
    },
    metrics: [
      gauge("kettle_slots_used", QUEUE, 39),
      gauge("kettle_slots_total", QUEUE, 40),
      gauge("kettle_ledger_append_seconds", QUEUE, 0.02),
    ],
    right: { source: "kettle/poison-job.md" },
    ruledOut: ["kettle/ledger-slow.md"],
  },
];

const uploadsFail = {
  title: "GulletUploadErrors: 12 % of uploads fail",
  labels: { alertname: "GulletUploadErrors", severity: "critical", ...STORE },
};

export const OBJECT_STORE_CASES: readonly CheckCase[] = [
  {
    id: "gullet-quota",
    part: "train",
    kind: "right",
    about: "one runbook, whose causes have a check each",
    request: uploadsFail,
    metrics: [
      gauge("gullet_bucket_bytes", { ...STORE, bucket: "invoices" }, 995e9),
      gauge("gullet_bucket_quota_bytes", { ...STORE, bucket: "invoices" }, 1e12),
      gauge("gullet_node_used_ratio", { ...STORE, node_name: "store-1" }, 0.61),
      gauge("gullet_node_used_ratio", { ...STORE, node_name: "store-2" }, 0.64),
      gauge("gullet_open_parts", STORE, 830),
    ],
    right: { source: "gullet/uploads-fail.md", cause: "The bucket quota" },
    ruledOut: ["gullet/uploads-fail.md#A storage node", "gullet/uploads-fail.md#Too many parts"],
  },
  {
    id: "gullet-metadata",
    part: "train",
    kind: "misleading",
    about: "the true cause has no check; those of all other causes refute",
    request: { ...uploadsFail, logs: "gullet-api: put part: metadata store is read-only: not leader, no election" },
    metrics: [
      gauge("gullet_bucket_bytes", { ...STORE, bucket: "invoices" }, 2e11),
      gauge("gullet_bucket_quota_bytes", { ...STORE, bucket: "invoices" }, 1e12),
      gauge("gullet_node_used_ratio", { ...STORE, node_name: "store-1" }, 0.61),
      gauge("gullet_open_parts", STORE, 830),
    ],
    right: { source: "gullet/uploads-fail.md", cause: "The metadata store" },
    ruledOut: [
      "gullet/uploads-fail.md#The bucket quota",
      "gullet/uploads-fail.md#A storage node",
      "gullet/uploads-fail.md#Too many parts",
    ],
  },
  {
    id: "gullet-parts",
    part: "train",
    kind: "misleading",
    about: "a check of a neighbouring runbook confirms by coincidence, too",
    request: { ...uploadsFail, question: "uploads of the mobile app get 503 SlowDown since an hour" },
    metrics: [
      gauge("gullet_bucket_bytes", { ...STORE, bucket: "photos" }, 2e11),
      gauge("gullet_bucket_quota_bytes", { ...STORE, bucket: "photos" }, 1e12),
      gauge("gullet_node_used_ratio", { ...STORE, node_name: "store-1" }, 0.7),
      gauge("gullet_open_parts", STORE, 184_000),
      gauge("gullet_rebuild_bytes_per_second", STORE, 120e6),
      gauge("gullet_cache_hit_ratio", STORE, 0.92),
    ],
    right: { source: "gullet/uploads-fail.md", cause: "Too many parts" },
    ruledOut: [
      "gullet/uploads-fail.md#The bucket quota",
      "gullet/uploads-fail.md#A storage node",
      "gullet/reads-slow.md#The read cache",
    ],
  },
];
