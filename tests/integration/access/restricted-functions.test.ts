// The SQL functions that the service calls, and which of them a caller that is restricted to domains may call.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sql } from "../support/harness.ts";

const SOURCES = new URL("../../../functions", import.meta.url).pathname;

/** Functions that concern all domains, and those that only jobs, webhooks with a signature, Slack and the service call. */
const FOR_UNRESTRICTED_CALLERS = [
  "announce_incidents",
  "applied_migrations",
  "call_restricted",
  "check_fixes",
  "claim_calibration",
  "claim_incident",
  "claim_inventory_listing",
  "claim_notification_outbox",
  "claim_notifications",
  "claim_outbox",
  "claim_rebuilds",
  "claim_sessions",
  "claim_webhook_delivery",
  "count_buffered_writes",
  "count_dropped_spans",
  "create_console_session",
  "decay_procedures",
  "delete_documents",
  "delete_evidence_source",
  "delete_expired",
  "delete_inventory",
  "find_access_token",
  "finish_inventory_listing",
  "finish_inventory_sync",
  "finish_job",
  "fold_increments",
  "get_calibration",
  "list_audit_events",
  "list_documents",
  "list_job_runs",
  "list_outbox",
  "put_evidence_source",
  "put_inventory",
  "record_deliveries",
  "record_folder_sources",
  "redeem_sign_in_code",
  "release_stuck_runs",
  "remove_deleted_texts",
  "reset_calibration",
  "retire_originals",
  "rewrite_memory",
  "rewrite_terms",
  "scrape_metrics",
  "source_origins",
  "start_job",
  "store_calibration",
  "store_summary",
  "touch_access_token",
  "upsert_documents",
  "use_console_session",
];

/** Names of the functions in `database.call("name", …)` and `database.call(condition ? "name" : "name", …)`. */
function calledFunctions(): string[] {
  const names = readdirSync(SOURCES, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .map((path) => readFileSync(join(SOURCES, path), "utf8"))
    .flatMap((text) => [...text.matchAll(/\.call\(\s*(?:[\w.]+ \? )?"(\w+)"(?: : "(\w+)")?/g)])
    .flatMap(([, first, second]) => [first, second])
    .filter((name) => name !== undefined);
  return [...new Set(names)].sort();
}

describe("every SQL function that the service calls", () => {
  it("is listed for restricted callers, or here for all others", async () => {
    const listed = new Set((await sql`select name from public.restricted_functions`).map(({ name }) => String(name)));
    const called = calledFunctions();
    expect(called.length).toBeGreaterThan(80);
    expect(called.filter((name) => !listed.has(name))).toEqual(FOR_UNRESTRICTED_CALLERS);
  });

  it("exists once if it is listed: a restricted call names it without the types of its arguments", async () => {
    const rows = await sql`select f.name, count(p.oid)::int as n from public.restricted_functions f
      left join pg_proc p on p.proname = f.name and p.pronamespace = 'public'::regnamespace
      group by f.name having count(p.oid) <> 1`;
    expect(rows).toEqual([]);
  });
});
