// Train: an edge proxy whose runbooks share a symptom, and a replicated database with two near-duplicates.

import { type CheckCase, gauge } from "../check-case.ts";

const EDGE = { instance: "edge-a:9300", job: "heliograph" };
const slow = {
  title: "HeliographLatencyHigh: p95 of edge-a is 2.4 s",
  labels: { alertname: "HeliographLatencyHigh", severity: "warning", ...EDGE },
};

export const EDGE_CASES: readonly CheckCase[] = [
  {
    id: "heliograph-handshakes",
    part: "train",
    kind: "right",
    about: "one of three runbooks is confirmed, the others are refuted",
    request: slow,
    metrics: [
      gauge("heliograph_full_handshake_ratio", EDGE, 0.9),
      gauge("heliograph_cache_hit_ratio", EDGE, 0.93),
      gauge("heliograph_origin_wait_seconds", { ...EDGE, origin: "shop" }, 0.05),
    ],
    right: { source: "heliograph/handshakes.md" },
    ruledOut: ["heliograph/cache-flushed.md", "heliograph/origin-slow.md"],
  },
  {
    id: "heliograph-stale",
    part: "train",
    kind: "misleading",
    about: "one series is stale, one is NaN; the log shows the cause",
    request: {
      ...slow,
      logs: "2026-03-01T02:40:00Z WARN cache: purge of everything requested by deploy-bot\n2026-03-01T02:40:01Z WARN cache: hit rate dropped from 0.94 to 0.02",
    },
    metrics: [
      gauge("heliograph_origin_wait_seconds", { ...EDGE, origin: "shop" }, 3.5, { minutesAgo: 20 }),
      gauge("heliograph_cache_hit_ratio", EDGE, "NaN"),
      gauge("heliograph_full_handshake_ratio", EDGE, 0.05),
    ],
    right: { source: "heliograph/cache-flushed.md" },
    ruledOut: ["heliograph/handshakes.md"],
  },
  {
    id: "heliograph-other-edge",
    part: "train",
    kind: "misleading",
    about: "another instance is broken and the alert's own is fine: no runbook explains the alert",
    request: slow,
    metrics: [
      gauge("heliograph_origin_wait_seconds", { ...EDGE, origin: "shop" }, 0.04),
      gauge("heliograph_origin_wait_seconds", { ...EDGE, instance: "edge-b:9300", origin: "shop" }, 4.2),
      gauge("heliograph_cache_hit_ratio", EDGE, 0.95),
      gauge("heliograph_cache_hit_ratio", { ...EDGE, instance: "edge-b:9300" }, 0.01),
      gauge("heliograph_full_handshake_ratio", EDGE, 0.08),
    ],
    right: null,
    ruledOut: ["heliograph/origin-slow.md", "heliograph/cache-flushed.md", "heliograph/handshakes.md"],
  },
];

const REPLICA = { namespace: "moss", instance: "moss-2:9400", job: "mossdb" };
const behind = {
  title: "MossReplicaBehind: moss-2 is 340 s behind its primary",
  labels: { alertname: "MossReplicaBehind", severity: "critical", ...REPLICA },
};

export const DATABASE_CASES: readonly CheckCase[] = [
  {
    id: "mossdb-compaction",
    part: "train",
    kind: "right",
    about: "a cause of one runbook is confirmed, and its near-duplicate is refuted",
    request: behind,
    metrics: [
      gauge("moss_compaction_running_seconds", REPLICA, 912),
      gauge("moss_link_utilisation", REPLICA, 0.21),
      gauge("moss_primary_writes_per_second", REPLICA, 1_900),
      gauge("moss_replica_attached", REPLICA, 1),
    ],
    right: { source: "mossdb/replica-behind.md", cause: "A long compaction" },
    ruledOut: ["mossdb/replica-behind.md#The link", "mossdb/replica-behind.md#A burst", "mossdb/replica-detached.md"],
  },
  {
    id: "mossdb-detached",
    part: "train",
    kind: "right",
    about: "the near-duplicate is confirmed, and every cause of the nearer runbook is refuted",
    request: behind,
    metrics: [
      gauge("moss_compaction_running_seconds", REPLICA, 0),
      gauge("moss_link_utilisation", REPLICA, 0.02),
      gauge("moss_primary_writes_per_second", REPLICA, 700),
      gauge("moss_replica_attached", REPLICA, 0),
    ],
    right: { source: "mossdb/replica-detached.md" },
    ruledOut: ["mossdb/replica-behind.md"],
  },
  {
    id: "mossdb-unlabelled",
    part: "train",
    kind: "misleading",
    about: "the alert has no label to scope a check by, so none runs; the log shows the cause",
    request: {
      title: "MossReplicaBehind: a replica of mossdb is 340 s behind its primary",
      labels: { alertname: "MossReplicaBehind", severity: "critical" },
      logs: "2026-03-01T02:48:31Z ERROR applier: no primary: term mismatch (own 41, primary 42)",
    },
    metrics: [
      gauge("moss_compaction_running_seconds", { ...REPLICA, instance: "moss-9:9400" }, 2_000),
      gauge("moss_replica_attached", { ...REPLICA, instance: "moss-9:9400" }, 1),
    ],
    right: { source: "mossdb/replica-detached.md" },
    ruledOut: [],
  },
];
