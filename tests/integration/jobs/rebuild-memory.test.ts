// The job rebuild-memory: records of an earlier version, which mixed failures under one title, are made anew from their reports.

import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { observationDetailSchema } from "../../../functions/incidents/observation-detail.ts";
import { jobRunSchema } from "../../../functions/jobs/job-records.ts";
import { rebuildMemory } from "../../../functions/jobs/rebuild-memory.ts";
import { NO_SIGNATURE, SIGNATURE_VERSION } from "../../../functions/schemas/failure-signature.ts";
import { createHarness, deleteIncidents, sql, workerEnv } from "../support/harness.ts";
import { loadFreshRunbooks } from "../support/inventory.ts";
import { failingCall, MINUTE_MS } from "./support.ts";

const harness = createHarness({ MODEL: "none" });
const { services, clock } = harness;
const NOTHING = { records: 0, split: 0, joined: 0, failed: 0 };

const VAGUE = { title: "Service availability disruption", target: "checkout", labels: { domain: "docker" } };
const OOM = {
  ...VAGUE,
  logs: "03:00:01 FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory",
};
const CERTIFICATE = {
  ...VAGUE,
  logs: "03:00:01 ERROR tls handshake with upstream failed: x509: certificate has expired or is not yet valid",
};
const DISK = { ...VAGUE, logs: "03:00:01 ERROR could not write temporary file: write failed: no space left on device" };

beforeAll(() => loadFreshRunbooks(services, workerEnv));
beforeEach(() => deleteIncidents(services));

async function report(body: object, resolution?: string): Promise<string> {
  clock.advance(MINUTE_MS);
  const { incident_id } = await harness.triage(body);
  clock.advance(MINUTE_MS);
  if (resolution !== undefined)
    expect((await harness.post(`/v1/incidents/${incident_id}/resolve`, { resolution })).status).toBe(200);
  return incident_id;
}

/**
 * The form of an earlier version, whose signature says nothing: all incidents are in the record of the first, under one
 * fingerprint. The last resolution is its fix; `superseded` are the fixes of earlier ones that it still had.
 */
async function mixIntoOne(ids: readonly string[], { superseded = ids } = {}): Promise<string> {
  const [first = ""] = ids;
  await sql.begin(async (tx) => {
    await tx`update public.incidents set observation_id = ${first}, fingerprint = null where id = any (${[...ids]})`;
    await tx`delete from public.documents where id = any (${ids.slice(1)})`;
    await tx`delete from public.observations where id = any (${ids.slice(1)})`;
    await tx`delete from public.fixes where observation_id = ${first}`;
    await tx`delete from public.observation_fingerprints where observation_id = ${first}`;
    await tx`insert into public.observation_fingerprints values ('docker', ${`old ${first}`}, ${first})`;
    await tx`update public.observations set fingerprint = ${`old ${first}`}, signature_version = 0,
        signature = ${sql.json({ ...NO_SIGNATURE })},
        occurrences = ${ids.length} where id = ${first}`;
    await tx`with stored as (
        insert into public.fixes (id, observation_id, fingerprint, text, created_at)
        select gen_random_uuid(), ${first}, ${`old ${first}`}, i.resolution, min(i.resolved_at) from public.incidents i
        where i.id = any (${[...superseded]}) and i.resolution is not null group by i.resolution returning id, text
      )
      insert into public.fix_tries (fix_id, incident_id, at, helped, resolved)
      select s.id, i.id, i.resolved_at, true, true from stored s join public.incidents i on i.resolution = s.text
      where i.id = any (${[...superseded]})`;
    await tx`select public.settle_fixes(${first}, ${clock.now()})`;
  });
  return first;
}

async function runJob() {
  const response = await harness.request("/v1/admin/jobs/rebuild-memory", { method: "POST" });
  const { counts, error } = jobRunSchema.parse(await response.json());
  expect(error).toBeNull();
  return counts;
}

async function observation(id: string) {
  return observationDetailSchema.parse(await (await harness.request(`/v1/memory/observations/${id}`)).json());
}

/** All that the job writes, apart from versions and times. */
async function wholeMemory() {
  const records =
    await sql`select id, fingerprint, signature, signature_version, incident_id, title, narrative, occurrences, targets,
    resolution from public.observations order by id`;
  const fixes = await sql`select f.observation_id, f.fingerprint, f.text, f.retired_reason, t.incident_id, t.helped
    from public.fixes f join public.fix_tries t on t.fix_id = f.id order by 1, 3, 5`;
  const reports = await sql`select id, fingerprint, observation_id from public.incidents order by id`;
  return {
    records,
    fixes,
    reports,
    fingerprints: await sql`select * from public.observation_fingerprints order by 1, 2, 3`,
  };
}

async function indexedTexts() {
  const entries = await services.vectors.find("incidents", { limit: 99 });
  return Object.fromEntries(entries.map(({ id, metadata }) => [id, metadata?.resolution]));
}

describe("the job rebuild-memory", () => {
  it("gives each failure that an old record mixed up its own record and fix", async () => {
    const oom = await report(OOM, "Raised the limit.");
    const certificate = await report(CERTIFICATE, "Renewed the certificate.");
    const disk = await report(DISK, "Deleted old files.");
    clock.advance(60 * MINUTE_MS);
    const again = await report(OOM);
    const expected = await wholeMemory();
    const old = await mixIntoOne([oom, certificate, disk, again]);
    expect((await observation(old)).fixes).toMatchObject([
      { text: "Deleted old files." },
      { retired: { reason: "a newer fix" } },
      { retired: { reason: "a newer fix" } },
    ]);

    expect(await runJob()).toEqual({ ...NOTHING, records: 1, split: 2 });
    expect(await wholeMemory()).toEqual(expected);
    expect(await observation(oom)).toMatchObject({
      occurrences: 2,
      resolution: "Raised the limit.",
      fixes: [{ text: "Raised the limit.", retired: null, came_back_at: expect.any(String) }],
      signature: { version: SIGNATURE_VERSION, basis: "error_lines" },
    });
    expect(await observation(certificate)).toMatchObject({ occurrences: 1, resolution: "Renewed the certificate." });
    expect(await observation(disk)).toMatchObject({ occurrences: 1, fixes: [{ retired: null }] });
    expect(await indexedTexts()).toEqual({
      [oom]: "Raised the limit.",
      [certificate]: "Renewed the certificate.",
      [disk]: "Deleted old files.",
    });
    expect(await sql`select 1 from public.rebuilt_reports`).toHaveLength(0);
  });

  it("takes resolutions that the old record had lost from the incidents", async () => {
    const oom = await report(OOM, "Raised the limit.");
    const certificate = await report(CERTIFICATE, "Renewed the certificate.");
    await mixIntoOne([oom, certificate], { superseded: [certificate] });
    await runJob();
    expect(await observation(oom)).toMatchObject({ resolution: "Raised the limit.", fixes: [{ tried: 1, worked: 1 }] });
  });

  it.each([true, false])(
    "joins records of the same fingerprint, unless a person separated them (%s)",
    async (isSeparated) => {
      const first = await report(OOM, "Raised the limit.");
      const second = await report({ ...OOM, target: "cart" });
      const split = await harness.post(`/v1/memory/observations/${first}/split`, { incident_ids: [second] });
      expect(split.status).toBe(200);
      if (!isSeparated) await sql`delete from public.observation_separations`;
      for (const id of [first, second]) await mixIntoOne([id]);
      expect(await runJob()).toEqual({ ...NOTHING, records: 2, joined: isSeparated ? 0 : 1 });
      const records = await sql`select occurrences from public.observations`;
      expect(records).toEqual(isSeparated ? [{ occurrences: 1 }, { occurrences: 1 }] : [{ occurrences: 2 }]);
    },
  );

  it("joins a record with a newer one of the same fingerprint", async () => {
    const old = await report(OOM, "Raised the limit.");
    await mixIntoOne([old]);
    const newer = await report({ ...OOM, target: "cart" }, "Bounded the cache.");
    expect(await observation(newer)).toMatchObject({ occurrences: 1 });
    expect(await runJob()).toEqual({ ...NOTHING, records: 1, joined: 1 });
    expect(await observation(old)).toMatchObject({
      occurrences: 2,
      joined_ids: [newer],
      resolution: "Bounded the cache.",
    });
    expect(await indexedTexts()).toEqual({ [old]: "Bounded the cache." });
  });

  it("does not split a record that a person joined", async () => {
    const oom = await report(OOM, "Raised the limit.");
    const certificate = await report(CERTIFICATE);
    const body = { observation_id: certificate };
    expect((await harness.post(`/v1/memory/observations/${oom}/join`, body)).status).toBe(200);
    await mixIntoOne([oom, certificate]);
    expect(await runJob()).toEqual({ ...NOTHING, records: 1 });
    expect(await observation(oom)).toMatchObject({ occurrences: 2, signature: { basis: "error_lines" } });
  });

  it("keeps the text of a record without incidents, which is identified by its title then", async () => {
    const oom = await report(OOM);
    await mixIntoOne([oom]);
    await sql`update public.incidents set observation_id = null`;
    const before = await observation(oom);
    expect(await runJob()).toEqual({ ...NOTHING, records: 1 });
    const { title, narrative, facts, occurrences } = before;
    expect(await observation(oom)).toMatchObject({
      ...{ title, narrative, facts, occurrences },
      signature: { version: SIGNATURE_VERSION, basis: "title" },
    });
  });

  it("reads records with many reports in several calls", async () => {
    const first = await report(OOM);
    await mixIntoOne([first]);
    const copies =
      await sql`insert into public.incidents (id, created_at, title, target, severity, labels, logs, session_id, domain,
        domain_rule, incident_type, incident_type_rule, status, observation_id)
      select gen_random_uuid(), i.created_at + n * interval '1 minute', i.title, i.target, i.severity, i.labels,
        case when n % 2 = 0 then i.logs else ${CERTIFICATE.logs} end, i.session_id, i.domain, i.domain_rule, i.incident_type,
        i.incident_type_rule, i.status, i.observation_id
      from public.incidents i cross join generate_series(1, 24) n returning id`;
    expect(copies).toHaveLength(24);
    expect(await runJob()).toEqual({ ...NOTHING, records: 1, split: 1 });
    const counts = await sql`select occurrences from public.observations order by occurrences`;
    expect(counts).toEqual([{ occurrences: 12 }, { occurrences: 13 }]);
  });

  it("changes nothing when it runs again", async () => {
    await mixIntoOne([await report(OOM, "Raised the limit."), await report(CERTIFICATE)]);
    await runJob();
    const before = await wholeMemory();
    expect(await runJob()).toEqual(NOTHING);
    expect(await wholeMemory()).toEqual(before);
  });

  it("rebuilds each record once when runs overlap, beside reports and resolutions", async () => {
    const ids = [await report(OOM, "Raised the limit."), await report(CERTIFICATE), await report(DISK)];
    await mixIntoOne(ids);
    const [runs] = await Promise.all([
      Promise.all([1, 2, 3].map(() => rebuildMemory(services))),
      harness.triage(OOM),
      harness.post(`/v1/incidents/${ids[1]}/resolve`, { resolution: "Renewed the certificate." }),
    ]);
    expect(runs.reduce((sum, { records }) => sum + records, 0)).toBe(1);
    await sql`update public.observations set rebuild_claimed_until = null`;
    await runJob();
    const wrong = await sql`select o.id from public.observations o
      where o.occurrences <> (select count(*) from public.incidents i where i.observation_id = o.id and not i.duplicate)`;
    expect(wrong).toEqual([]);
    const [resolved] = await sql`select o.resolution, o.signature ->> 'basis' as basis from public.incidents i
      join public.observations o on o.id = i.observation_id where i.id = ${ids[1] ?? ""}`;
    expect(resolved).toEqual({ resolution: "Renewed the certificate.", basis: "error_lines" });
  });

  it.each([true, false])(
    "loses nothing when it is interrupted at any call (which took effect: %s)",
    async (whenReached) => {
      const reports = async () => [
        await report(OOM, "Raised the limit."),
        await report(CERTIFICATE, "Renewed the certificate."),
      ];
      const ids = await reports();
      const expected = await wholeMemory();
      for (let call = 1; ; call++) {
        await mixIntoOne(ids);
        const interrupted = failingCall(services, call, { whenReached });
        await rebuildMemory(interrupted.services).catch(() => undefined);
        clock.advance(60 * MINUTE_MS);
        await rebuildMemory(services);
        expect(await wholeMemory(), `interrupted at call ${call}`).toEqual(expected);
        if (!interrupted.wasReached()) break;
      }
      await harness.request("/v1/admin/jobs/retry-outbox", { method: "POST" });
      expect(Object.keys(await indexedTexts()).toSorted()).toEqual(ids.toSorted());
    },
  );
});
