// Held out: a mail relay whose runbooks share a symptom, and a batch scheduler with one runbook of several causes.

import { type CheckCase, gauge } from "../check-case.ts";

const RELAY = { instance: "mx-2:9600", job: "quill" };
const queueGrows = {
  title: "QuillQueueGrowing: 41k messages wait on mx-2",
  labels: { alertname: "QuillQueueGrowing", severity: "warning", ...RELAY },
};

export const MAIL_CASES: readonly CheckCase[] = [
  {
    id: "quill-scanner",
    part: "held out",
    kind: "right",
    about: "three runbooks for one symptom",
    request: queueGrows,
    metrics: [
      gauge("quill_scanner_up", RELAY, 0),
      gauge("quill_lookup_seconds", RELAY, 0.02),
      gauge("quill_deferred_ratio", RELAY, 0.01),
    ],
    right: { source: "quill/queue-scanner-down.md" },
    ruledOut: ["quill/queue-resolver-slow.md", "quill/queue-remote-refuses.md"],
  },
  {
    id: "quill-resolver",
    part: "held out",
    kind: "right",
    about: "the question of a person, without a word of the cause",
    request: { ...queueGrows, question: "mail is late since 9, what happened?" },
    metrics: [
      gauge("quill_scanner_up", RELAY, 1),
      gauge("quill_lookup_seconds", RELAY, 4.4),
      gauge("quill_deferred_ratio", RELAY, 0.02),
    ],
    right: { source: "quill/queue-resolver-slow.md" },
    ruledOut: ["quill/queue-scanner-down.md", "quill/queue-remote-refuses.md"],
  },
  {
    id: "quill-source-lies",
    part: "held out",
    kind: "misleading",
    about: "the metrics server sends values that are no numbers; the log shows the cause",
    request: {
      ...queueGrows,
      logs: "smtp: example.net deferred: 451 4.7.1 try again later, too many messages\nsmtp: example.net deferred: 451 4.7.1 try again later, too many messages",
    },
    metricsFault: "lies",
    right: { source: "quill/queue-remote-refuses.md" },
    ruledOut: [],
  },
];

const SCHEDULER = { namespace: "batch", job: "orrery" };
const runsLate = {
  title: "OrreryRunsLate: nightly-ledger starts 48 minutes late",
  labels: { alertname: "OrreryRunsLate", severity: "warning", ...SCHEDULER },
};
const pool = (used: number) => [gauge("orrery_pool_used", SCHEDULER, used), gauge("orrery_pool_size", SCHEDULER, 16)];

export const BATCH_CASES: readonly CheckCase[] = [
  {
    id: "orrery-lock",
    part: "held out",
    kind: "right",
    about: "one of three causes is confirmed",
    request: runsLate,
    metrics: [
      gauge("orrery_lock_age_seconds", SCHEDULER, 2_950),
      ...pool(4),
      gauge("orrery_tick_seconds", SCHEDULER, 0.4),
      gauge("orrery_uptime_seconds", SCHEDULER, 900_000),
    ],
    right: { source: "orrery/runs-late.md", cause: "The scheduler lock" },
    ruledOut: ["orrery/runs-late.md#The pool", "orrery/runs-late.md#The catalogue", "orrery/runs-skipped.md"],
  },
  {
    id: "orrery-restarted-too",
    part: "held out",
    kind: "misleading",
    about: "a check of a near-duplicate confirms by coincidence",
    request: runsLate,
    metrics: [
      gauge("orrery_lock_age_seconds", SCHEDULER, 12),
      ...pool(16),
      gauge("orrery_tick_seconds", SCHEDULER, 0.4),
      gauge("orrery_uptime_seconds", SCHEDULER, 1_700),
    ],
    right: { source: "orrery/runs-late.md", cause: "The pool" },
    ruledOut: ["orrery/runs-late.md#The scheduler lock", "orrery/runs-late.md#The catalogue"],
  },
  {
    id: "orrery-catalogue",
    part: "held out",
    kind: "right",
    about: "the last listed cause is confirmed",
    request: runsLate,
    metrics: [
      gauge("orrery_lock_age_seconds", SCHEDULER, 20),
      ...pool(3),
      gauge("orrery_tick_seconds", SCHEDULER, 45),
      gauge("orrery_uptime_seconds", SCHEDULER, 900_000),
    ],
    right: { source: "orrery/runs-late.md", cause: "The catalogue" },
    ruledOut: ["orrery/runs-late.md#The scheduler lock", "orrery/runs-late.md#The pool", "orrery/runs-skipped.md"],
  },
];
