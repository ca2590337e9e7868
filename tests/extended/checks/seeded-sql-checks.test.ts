// The SQL checks of the shipped runbooks, against a real PostgreSQL with real sessions, locks, slots and tables.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createPostgresClient } from "../../../functions/adapters/evidence/postgres.ts";
import { evidenceSourceSchema } from "../../../functions/schemas/evidence/source.ts";
import { type Judgement, judge } from "../../../lib/checks/judge.ts";
import type { ParsedCheck } from "../../../lib/checks/parse-checks.ts";
import type { QueryResult } from "../../../lib/checks/scope/query.ts";
import { sql } from "../../../lib/checks/sql/sql.ts";
import { SHIPPED_CHECKS, SITUATIONS, VERDICTS } from "../../integration/checks/fixtures/shipped-checks.ts";
import { type OwnPostgres, startOwnPostgres } from "../../integration/checks/own-postgres.ts";
import { createTestTimers } from "../../support/test-timers.ts";

const verdictOf = { confirmed: "confirmed", refuted: "refuted", unclear: "inconclusive" } as const;
/** Situations wait for some seconds until a transaction or a lock counts as old. */
const TIMEOUT_MS = 60_000;

const checks = SHIPPED_CHECKS.filter(({ check }) => check.language === "sql");
const cases = checks.flatMap(({ id, check }) => {
  const situations = SITUATIONS.get(id);
  if (situations?.language !== "sql") return [];
  return VERDICTS.flatMap((name) => {
    const situation = situations[name];
    return situation ? [[id, name, { check, situation }] as const] : [];
  });
});
/** Without pg_monitor, these see their own session alone. */
const ABOUT_SESSIONS = ["slots-used-now", "idle-in-transaction", "active-sessions", "oldest-transaction", "holder-age"];

describe("an SQL check", () => {
  let server: OwnPostgres;
  beforeAll(async () => {
    server = await startOwnPostgres();
  }, 120_000);
  afterAll(() => server?.[Symbol.asyncDispose]());

  const run = ({ query }: ParsedCheck, url = server.url): Promise<QueryResult> => {
    const prepared = sql.prepare(query, { labels: {}, match: null, now: new Date() });
    if (!prepared.ok) throw new Error(prepared.reason);
    const definition = evidenceSourceSchema.parse({ name: "main", kind: "postgres", url });
    const client = createPostgresClient(definition, null, createTestTimers().startTimer);
    return client.run(prepared.value.query, { timeoutMs: 10_000 });
  };

  it.each(cases)(
    "%s: %s",
    async (_id, name, { check, situation }) => {
      const judged = async (): Promise<Judgement> => {
        if (typeof situation !== "function") return judge(check, { kind: "rows", ...situation });
        await using _prepared = await situation(server);
        return judge(check, await run(check));
      };
      expect(await judged()).toMatchObject({ verdict: verdictOf[name] });
    },
    TIMEOUT_MS,
  );

  it.each(checks.map(({ id, check }) => [id, check] as const))(
    "%s: runs, and decides nothing without rows",
    async (_id, check) => {
      const result = await run(check);
      if (result.kind !== "rows") throw new Error("An SQL query returns rows.");
      for (const rule of [check.confirms, check.refutes])
        if (rule !== null) expect(result.columns).toContain(/^(?:any|all) (\w+) /.exec(rule.condition)?.[1]);
      expect(judge(check, { ...result, rows: [] })).toMatchObject({ verdict: "inconclusive", value: null });
    },
  );

  it("decides nothing about sessions that its login may not see", async () => {
    await using _session = await server.hold("begin", "select 1");
    const names = checks.filter(({ check }) => ABOUT_SESSIONS.includes(check.name));
    expect(names).toHaveLength(ABOUT_SESSIONS.length);
    for (const { id, check } of names)
      expect([id, judge(check, await run(check, server.strangerUrl)).verdict]).toEqual([id, "inconclusive"]);
  });
});
