import { describe, expect, it } from "vitest";
import { createGuard } from "../../../../functions/incidents/guard-request.ts";
import type { EvidenceSession } from "../../../../functions/investigation/live/evidence-session.ts";
import { runChecks } from "../../../../functions/investigation/live/run-checks.ts";
import { DEFAULT_CALIBRATION } from "../../../../functions/schemas/calibration.ts";
import type { EvidenceQuery, QueryResult } from "../../../../lib/checks/scope/query.ts";
import { redact } from "../../../../lib/redaction/redact.ts";
import { sampleSource } from "../../evidence-sources/samples.ts";
import { NOW, recallOf, sampleIncident, sampleRunbook, sampleServices } from "../samples.ts";

const RUNBOOK = `# Buffer full

## Confirm

\`\`\`promql {check=disk match=instance}
disk_used_ratio
\`\`\`
- confirms: any > 0.95: the disk is full
- refutes: all < 0.8: the disk has room

\`\`\`logql {check=refused match=instance}
count_over_time({app="buffer"}[5m])
\`\`\`
- confirms: any > 5: writes are refused

\`\`\`sql {check=slots match=none}
select count(*) as used from pg_stat_activity
\`\`\`
- confirms: any used > 90: the slots are used up
- refutes: all used < 70: slots are free
`;
const HOUR_MS = 3_600_000;
const SOURCES = [
  sampleSource({ name: "metrics" }),
  sampleSource({ name: "logs", kind: "loki" }),
  sampleSource({ name: "orders-db", kind: "postgres", url: "postgres://db-1:5432/orders" }),
];

/** The results by name of the check, and the queries, of an incident that began `ago` milliseconds before. */
async function checked(ago: number, sqlValue = 3) {
  const queries = new Map<string, EvidenceQuery>();
  const resultOf = (query: EvidenceQuery): QueryResult =>
    query.language === "sql"
      ? { kind: "rows", columns: ["used"], rows: [[sqlValue]] }
      : { kind: "series", series: [{ labels: {}, points: [[NOW.getTime(), 0.99]] }] };
  const session: EvidenceSession = {
    failures: [],
    guard: createGuard(redact),
    call: () => ({ timeoutMs: 1_000 }),
    connect: (definition) => ({
      state: "ready",
      client: {
        definition,
        server: definition.kind === "postgres" ? "db-1:5432/orders" : null,
        run: async (query) => resultOf(query),
        ping: async () => ({ version: null }),
        linkTo: () => null,
      },
      ask: async (query) => {
        queries.set(query.language, query);
        return { at: NOW, result: { ok: true, value: resultOf(query) } };
      },
    }),
  };
  const checks = await runChecks(sampleServices(), session, {
    incident: sampleIncident({ labels: { instance: "buffer-1:9100" } }),
    recalled: recallOf({ runbooks: [sampleRunbook(RUNBOOK, { size: 2_000 })] }),
    sources: SOURCES,
    calibration: DEFAULT_CALIBRATION,
    start: new Date(NOW.getTime() - ago),
  });
  return { queries, results: Object.fromEntries(checks.map(({ result }) => [result.name, result])) };
}

describe("the time that a check asks about", () => {
  it("is the present for an incident that began within the last hour", async () => {
    const { queries, results } = await checked(HOUR_MS);
    expect(queries.get("promql")).toMatchObject({ at: NOW });
    expect(queries.get("logql")).toMatchObject({ end: NOW });
    expect(results.disk).toMatchObject({ verdict: "confirmed", as_of: null, server: null });
    expect(results.slots).toMatchObject({ verdict: "refuted", server: "db-1:5432/orders" });
  });

  it("is the start of an incident that is long past, where the source knows the past", async () => {
    const { queries, results } = await checked(5 * HOUR_MS);
    const start = new Date(NOW.getTime() - 5 * HOUR_MS);
    expect(queries.get("promql")).toMatchObject({ at: start });
    expect(queries.get("logql")).toMatchObject({ end: start });
    expect(results.disk).toMatchObject({ as_of: start.toISOString(), checked_at: NOW.toISOString() });
  });

  it("refutes nothing long after the start, where only the present can be asked", async () => {
    const { slots } = (await checked(5 * HOUR_MS)).results;
    expect(slots).toMatchObject({ verdict: "inconclusive", rule: null, as_of: null });
    expect(slots?.statement).toMatch(/only the present can be asked.*slots are free/);
    expect((await checked(5 * HOUR_MS, 95)).results.slots).toMatchObject({ verdict: "confirmed" });
  });
});
