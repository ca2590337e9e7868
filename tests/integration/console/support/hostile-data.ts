// Stores hostile texts in every place that people or systems fill.

import { expect } from "vitest";
import type { TriageResult } from "../../../../functions/schemas/triage-result.ts";
import { HOSTILE_TEXTS, joinHostileTexts } from "../../../support/hostile-texts.ts";
import type { Harness } from "../../support/harness.ts";

const MB = 1_000_000;
const MAX_LOGS = 500_000;

export interface HostileData {
  readonly first: TriageResult;
  /** Resembles the first, whose resolution it quotes. */
  readonly second: TriageResult;
  readonly runbook: string;
}

const TAG = "<img src=x onerror=hostileTextRan=1>\u202e";
/** Of a metric that a source of evidence returns. */
export const HOSTILE_LABELS = { instance: TAG, note: joinHostileTexts(300, " ") };

/**
 * The domain `postgres` must exist.
 * @param metrics address of a source of evidence
 */
export async function storeHostileData({ request, post, triage }: Harness, metrics: string): Promise<HostileData> {
  const send = async (method: string, path: string, body: string, type = "application/json") => {
    const response = await request(path, { method, body, headers: { "content-type": type } });
    expect(response.ok, `${path}: ${await response.clone().text()}`).toBe(true);
    return response;
  };
  const ok = async (path: string, body: unknown) => {
    const response = await post(path, body);
    expect(response.ok, `${path}: ${await response.clone().text()}`).toBe(true);
  };
  // No runbook answers it: its title, log and fix become the draft of one.
  const gap = await triage({
    title: `Replication of the ledger stalled ${TAG}`,
    target: "ledger",
    labels: { alertname: "LedgerReplicationStalled" },
    logs: `2026-03-01T02:55:12Z ERROR replication stalled: segment 4711 cannot be fetched, code E477 ${TAG}`,
  });
  await ok(`/v1/incidents/${gap.incident_id}/resolve`, {
    resolution: `Grew the volume. ${joinHostileTexts(600)}`,
    worked: false,
  });
  const runbook = "hostile.md";
  await send("PUT", `/v1/runbooks/postgres/${runbook}`, hostileRunbook(), "text/markdown");
  await ok("/v1/changes", {
    service: "orders",
    kind: "deployment",
    title: joinHostileTexts(400, " "),
    by: "<b>dana</b>",
    version: '"><img src=x>',
    url: "https://hostile.invalid/run",
    at: "2026-03-01T02:40:00Z",
    labels: { cluster: "<svg/onload=hostileTextRan=1>" },
  });
  const title = (until: number) => `postgres connection slots exhausted ${joinHostileTexts(until, " ")}`;
  const first = await triage({
    title: title(900),
    target: "orders<img src=x onerror=hostileTextRan=1>",
    severity: "critical",
    session_id: "on-call:hostile",
    labels: Object.fromEntries(HOSTILE_TEXTS.slice(0, 30).map(([, text], i) => [`label_${i}`, text.slice(0, 1_000)])),
    logs: hostileLog(),
  });
  await ok(`/v1/triages/${first.triage_id}/feedback`, { rating: "down", comment: joinHostileTexts(1_500) });
  await ok(`/v1/incidents/${first.incident_id}/resolve`, {
    resolution: `Restarted PgBouncer. ${joinHostileTexts(1_500)}`,
  });
  const second = await triage({
    title: title(500),
    target: "payments",
    session_id: "on-call:hostile",
    labels: { service: "payments", note: "</script><script>hostileTextRan=1</script>" },
    logs: hostileLog(),
  });
  await ok("/v1/admin/tokens", { name: TAG, scopes: ["read"] });
  await send("PUT", "/v1/sources/hostile", JSON.stringify({ kind: "prometheus", url: metrics }));
  return { first, second, runbook };
}

/** A log whose first line is as long as the API admits, with the failure between the hostile lines. */
function hostileLog(): string {
  const lines = HOSTILE_TEXTS.map(([, text]) => `ERROR ${text}`);
  const end = [...lines, "FATAL: sorry, too many clients already", ...lines].join("\n");
  return `INFO ${"x".repeat(Math.min(MB, MAX_LOGS - end.length - 10))}\n${end}`;
}

function hostileRunbook(): string {
  return [
    "# Connection slots are exhausted <script>hostileTextRan=1</script>",
    "PostgreSQL refuses clients: `FATAL: sorry, too many clients already`.",
    ...HOSTILE_TEXTS.map(([attack, text]) => `## A text that ${attack}\n\n${text}\n`),
    "## Mitigate",
    "1. Restart the pool: `kubectl rollout restart deploy/pgbouncer`.",
    '2. Run `psql -c "<img src=x onerror=hostileTextRan=1>"`, see [the page](javascript:hostileTextRan=1).',
  ].join("\n\n");
}
