// Held out: a stream processor whose runbooks share a symptom, and a file system with one runbook of several causes.

import { type CheckCase, counter, gauge } from "../check-case.ts";

const JOB = { namespace: "streams", job_name: "orders-join" };
const checkpointFailed = {
  title: "TidewireCheckpointFailed: orders-join failed 6 checkpoints in a row",
  labels: { alertname: "TidewireCheckpointFailed", severity: "critical", ...JOB },
};
const GIB = 2 ** 30;

export const STREAM_CASES: readonly CheckCase[] = [
  {
    id: "tidewire-state",
    part: "held out",
    kind: "right",
    about: "three runbooks for one symptom",
    request: checkpointFailed,
    metrics: [
      gauge("tidewire_state_bytes", JOB, 61 * GIB),
      gauge("tidewire_backpressure_ratio", JOB, 0.02),
      gauge("tidewire_task_records", { ...JOB, task: "1" }, 1_010),
      gauge("tidewire_task_records", { ...JOB, task: "2" }, 990),
      counter("tidewire_store_errors_total", JOB, 0),
    ],
    right: { source: "tidewire/checkpoints-state-large.md" },
    ruledOut: ["tidewire/checkpoints-backpressure.md", "tidewire/checkpoints-store-refuses.md"],
  },
  {
    id: "tidewire-sink",
    part: "held out",
    kind: "right",
    about: "a cause of one runbook is confirmed, its other cause and the other runbooks are refuted",
    request: checkpointFailed,
    metrics: [
      gauge("tidewire_state_bytes", JOB, 1 * GIB),
      gauge("tidewire_backpressure_ratio", JOB, 0.97),
      gauge("tidewire_task_records", { ...JOB, task: "1" }, 1_200),
      gauge("tidewire_task_records", { ...JOB, task: "2" }, 1_000),
      counter("tidewire_store_errors_total", JOB, 0),
    ],
    right: { source: "tidewire/checkpoints-backpressure.md", cause: "A slow sink" },
    ruledOut: [
      "tidewire/checkpoints-backpressure.md#A skewed key",
      "tidewire/checkpoints-state-large.md",
      "tidewire/checkpoints-store-refuses.md",
    ],
  },
  {
    id: "tidewire-source-hangs",
    part: "held out",
    kind: "misleading",
    about: "the metrics server hangs; the log shows the cause",
    request: {
      ...checkpointFailed,
      logs: "2026-03-01T02:50:00Z ERROR checkpoint 8812: checkpoint store: 403 Forbidden, credentials have expired",
    },
    metricsFault: "hangs",
    right: { source: "tidewire/checkpoints-store-refuses.md" },
    ruledOut: [],
  },
];

const SERVER = { instance: "lantern-3:9500", job: "lanternfs" };
const writesStall = {
  title: "LanternWriteStall: the slowest write on lantern-3 took 11 s",
  labels: { alertname: "LanternWriteStall", severity: "critical", ...SERVER },
};
const members = (up: number) => [gauge("lantern_members_up", SERVER, up), gauge("lantern_members_total", SERVER, 5)];

export const FILE_SYSTEM_CASES: readonly CheckCase[] = [
  {
    id: "lanternfs-disk",
    part: "held out",
    kind: "right",
    about: "one of three causes is confirmed",
    request: writesStall,
    metrics: [
      gauge("lantern_journal_used_ratio", SERVER, 0.31),
      counter("lantern_disk_retries_total", { ...SERVER, disk: "sdd" }, 0.5),
      ...members(5),
    ],
    right: { source: "lanternfs/writes-stall.md", cause: "A disk" },
    ruledOut: ["lanternfs/writes-stall.md#The journal", "lanternfs/writes-stall.md#The quorum"],
  },
  {
    id: "lanternfs-quorum",
    part: "held out",
    kind: "right",
    about: "the last listed cause is confirmed",
    request: { ...writesStall, question: "writes to the share hang, what is it?" },
    metrics: [
      gauge("lantern_journal_used_ratio", SERVER, 0.22),
      counter("lantern_disk_retries_total", { ...SERVER, disk: "sdd" }, 0),
      ...members(4),
      gauge("lantern_clock_offset_seconds", SERVER, 0.01),
    ],
    right: { source: "lanternfs/writes-stall.md", cause: "The quorum" },
    ruledOut: [
      "lanternfs/writes-stall.md#The journal",
      "lanternfs/writes-stall.md#A disk",
      "lanternfs/clients-evicted.md",
    ],
  },
  {
    id: "lanternfs-clock-too",
    part: "held out",
    kind: "misleading",
    about: "a check of another runbook confirms by coincidence",
    request: writesStall,
    metrics: [
      gauge("lantern_journal_used_ratio", SERVER, 0.97),
      counter("lantern_disk_retries_total", { ...SERVER, disk: "sdd" }, 0),
      ...members(5),
      gauge("lantern_clock_offset_seconds", SERVER, -3.1),
    ],
    right: { source: "lanternfs/writes-stall.md", cause: "The journal" },
    ruledOut: ["lanternfs/writes-stall.md#A disk", "lanternfs/writes-stall.md#The quorum"],
  },
];
