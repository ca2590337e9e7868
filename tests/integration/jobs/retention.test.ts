import { beforeEach, describe, expect, it } from "vitest";
import { deleteExpired } from "../../../functions/jobs/delete-expired.ts";
import { createHarness, emptyStores, sql } from "../support/harness.ts";
import { at, DAY_MS, LAST_TURN, MINUTE_MS, shift, storeTurns, uuid } from "./support.ts";

const { services } = createHarness();
const NOTHING = {
  past_answers: 0,
  outbox: 0,
  idempotency_keys: 0,
  job_runs: 0,
  alerts: 0,
  changes: 0,
  sign_in_codes: 0,
  console_sessions: 0,
  webhook_deliveries: 0,
  notification_messages: 0,
  mutes: 0,
  results: 0,
  increments: 0,
};

beforeEach(() => emptyStores(services));

const retentionAfter = (days: number, ms = 0) => deleteExpired(at(services, shift(LAST_TURN, days * DAY_MS + ms)));

/** Inserts a row of each kind that expires, dated LAST_TURN. */
async function insertExpiring(): Promise<void> {
  const [compressed] = await storeTurns(services, { count: 2 });
  await sql`update public.past_answers set compressed_at = ${LAST_TURN} where id = ${compressed ?? null}`;
  await sql`update public.outbox set done_at = ${LAST_TURN}`;
  await sql`insert into public.incidents (id, created_at, title, severity, labels, session_id, domain, domain_rule,
      incident_type, incident_type_rule, status)
    values (${uuid(50)}, ${LAST_TURN}, 't', 'low', '{}', 's', 'docker', 'r', 'unknown', 'r', 'triaged')`;
  await sql`insert into public.idempotency_keys (key, request_hash, started_at, incident_id)
    values ('a-key', 'h', ${LAST_TURN}, ${uuid(50)})`;
  await sql`insert into public.alerts (owner, source, fingerprint, starts_at, ends_at, status, alertname, domain, severity, title,
      received_at, last_received_at, incident_id, decision, rule)
    select 'service', 'grafana', f.name, ${LAST_TURN}, f.ends_at, f.status, 'a', 'docker', 'low', 't', ${LAST_TURN}, ${LAST_TURN}, ${uuid(50)}, 'created', 'r'
    from (values ('ended', ${LAST_TURN}::timestamptz, 'resolved'), ('firing', null, 'firing')) as f (name, ends_at, status)`;
  await sql`insert into public.job_runs (id, job, trigger, started_at) values (${uuid(60)}, 'recover-stuck-runs', 'cron', ${LAST_TURN})`;
  await sql`insert into public.webhook_deliveries (digest, at) values ('a-digest', ${LAST_TURN})`;
  await sql`insert into public.sign_in_codes (id, code_hash, credential, credential_proof, created_at, expires_at)
    values (${uuid(61)}, ${"0".repeat(64)}, 'service', ${"0".repeat(64)}, ${LAST_TURN}::timestamptz - interval '10 minutes', ${LAST_TURN})`;
  await sql`insert into public.mutes (domain, reason, owner, starts_at, ends_at) values ('docker', 'r', 'o', ${LAST_TURN}, ${LAST_TURN})`;
  await sql`insert into public.console_sessions (id, session_hash, credential, credential_proof, created_at, last_used_at, ends_at)
    values (${uuid(62)}, ${"0".repeat(64)}, 'service', ${"0".repeat(64)}, ${LAST_TURN}, ${LAST_TURN}, ${LAST_TURN}::timestamptz + interval '30 days')`;
}

describe("delete-expired", () => {
  it("keeps rows that are 90 days old and deletes them a minute later", async () => {
    await insertExpiring();
    // The increments of an incident and its alerts are folded.
    expect(await retentionAfter(90)).toEqual({ ...NOTHING, increments: 2 });
    expect(await retentionAfter(90, MINUTE_MS)).toEqual({
      past_answers: 1,
      outbox: 2,
      idempotency_keys: 1,
      job_runs: 1,
      webhook_deliveries: 1,
      alerts: 1,
      changes: 0,
      sign_in_codes: 1,
      console_sessions: 1,
      notification_messages: 0,
      mutes: 1,
      results: 0,
      increments: 0,
    });
    expect(await retentionAfter(90, MINUTE_MS)).toEqual(NOTHING);
  });

  it("never deletes a recalled past answer, an incident, or the document of either", async () => {
    await insertExpiring();
    await retentionAfter(10_000);
    const [remaining] = await sql`select (select count(*)::int from public.past_answers) as past_answers,
      (select count(*)::int from public.incidents) as incidents, (select count(*)::int from public.documents) as documents`;
    expect({ ...remaining }).toEqual({ past_answers: 1, incidents: 1, documents: 2 });
  });

  it("keeps an alert that is still received, or fires in an open incident, and deletes others", async () => {
    await insertExpiring();
    expect(await retentionAfter(91)).toMatchObject({ alerts: 1 });
    expect(await sql`select fingerprint from public.alerts`).toMatchObject([{ fingerprint: "firing" }]);
    await sql`update public.incidents set status = 'resolved', resolved_at = ${LAST_TURN}`;
    await sql`update public.alerts set last_received_at = ${shift(LAST_TURN, DAY_MS)}`;
    expect(await retentionAfter(91)).toMatchObject({ alerts: 0 });
    expect(await retentionAfter(91, MINUTE_MS)).toMatchObject({ alerts: 1 });
  });

  it("keeps pending outbox entries, and past answers whose removal is pending", async () => {
    await insertExpiring();
    await sql`update public.outbox set done_at = null`;
    expect(await retentionAfter(10_000)).toMatchObject({ past_answers: 0, outbox: 0 });
    await sql`update public.outbox set done_at = ${LAST_TURN}`;
    expect(await retentionAfter(10_000)).toMatchObject({ past_answers: 1, outbox: 2 });
  });

  it("deletes each row once when runs overlap, in batches of 2,000", async () => {
    await sql`insert into public.job_runs (id, job, trigger, started_at)
      select gen_random_uuid(), 'recover-stuck-runs', 'cron', ${LAST_TURN} from generate_series(1, 4001)`;
    const runs = await Promise.all([retentionAfter(91), retentionAfter(91)]);
    const rest = await retentionAfter(91);
    expect([...runs, rest].reduce((sum, { job_runs }) => sum + (job_runs ?? 0), 0)).toBe(4_001);
    expect(await sql`select 1 from public.job_runs`).toHaveLength(0);
  });
});
