// The migration of records that kept superseded fixes in one column: to fixes with a proof for each incident.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import postgres from "postgres";
import { expect, it, onTestFinished } from "vitest";
import { REPO_DIR } from "../../../dev/stack/paths.ts";
import { startStack } from "../../../dev/stack/start-stack.ts";
import { scratchDir, writeProject } from "../stack/support/scratch.ts";

const FIRST_OF_UPGRADE = "20261204000000";
const MIGRATIONS = join(REPO_DIR, "supabase/migrations");
const AT = (day: number) => new Date(Date.UTC(2026, 0, day));

function migrations(isWanted: (version: string) => boolean): Record<string, string> {
  const names = readdirSync(MIGRATIONS).filter((name) => isWanted(name.slice(0, FIRST_OF_UPGRADE.length)));
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(MIGRATIONS, name), "utf8")]));
}

function uuid(n: number): string {
  return `00000000-0000-4000-8000-${n.toString().padStart(12, "0")}`;
}

/** Three reports of one failure, and one of a failure without a fix. The incident 9 is deleted. */
async function fill(sql: postgres.Sql): Promise<void> {
  for (const [n, target] of ["api", "cart", "api", null].entries())
    await sql`insert into public.incidents (id, created_at, title, target, severity, session_id, domain, domain_rule, incident_type,
        incident_type_rule, status)
      values (${uuid(n)}, ${AT(n + 1)}, 'It broke', ${target}, 'high', 's', 'docker', 'default', 'unknown', 'default', 'triaged')`;
  const superseded = [
    { resolution: "Restarted it", resolved_by: null, resolved_at: AT(3), incident_id: uuid(2), superseded_at: AT(4) },
    {
      resolution: "Raised the limit",
      resolved_by: "bob",
      resolved_at: AT(2),
      incident_id: uuid(1),
      superseded_at: AT(3),
    },
    { resolution: "Prayed", resolved_by: null, resolved_at: AT(1), incident_id: uuid(9), superseded_at: AT(2) },
  ];
  const fix = { text: "Raised the limit.", by: "dana", at: AT(4), incident: uuid(0) };
  for (const [n, changes] of [
    { fix, superseded },
    { fix: null, superseded: [] },
  ].entries())
    await sql`insert into public.observations (id, domain, fingerprint, created_at, incident_id, title, narrative, facts, task,
        task_type, target, severity, written_by, first_seen_at, last_seen_at, seen_at, resolution, resolved_by, resolved_at,
        resolved_incident_id, worked, superseded)
      values (${uuid(3 * n)}, 'docker', ${`key ${n}`}, ${AT(1)}, ${uuid(3 * n)}, 'It broke', '', '{}', '', 'unknown', null, 'high',
        'extractive', ${AT(1)}, ${AT(3)}, '{}', ${changes.fix?.text ?? null}, ${changes.fix?.by ?? null}, ${changes.fix?.at ?? null},
        ${changes.fix?.incident ?? null}, false, ${sql.json(changes.superseded.map((fix) => ({ ...fix })))})`;
  await sql`update public.incidents set observation_id = case when target is null then ${uuid(3)} else ${uuid(0)} end::uuid`;
}

it("keeps every fix with the incidents that it helped", { timeout: 120_000 }, async () => {
  const scratch = scratchDir();
  const projectDir = writeProject(join(scratch, "project"), {
    migrations: migrations((version) => version < FIRST_OF_UPGRADE),
  });
  const start = () => startStack({ dir: join(scratch, "data"), services: ["postgres"], projectDir });
  const earlier = await start();
  const before = postgres(earlier.info.urls.postgres, { max: 1, onnotice: () => {} });
  await fill(before);
  await before.end();
  await earlier.stop();

  writeProject(projectDir, { migrations: migrations(() => true) });
  const stack = await start();
  const sql = postgres(stack.info.urls.postgres, { max: 1, onnotice: () => {} });
  onTestFinished(async () => {
    await sql.end();
    await stack.stop();
  });
  const [record, other] = await sql`select public.observation_json(o) as json from public.observations o order by o.id`;
  expect(record?.json).toMatchObject({
    resolution: "Raised the limit.",
    resolved_incident_id: uuid(0),
    targets: ["api", "cart"],
    signature: { version: 0 },
    inactive_at: null,
    fixes: [
      { text: "Raised the limit.", tried: 2, worked: 2, last_worked_by: "dana", retired: null },
      {
        text: "Restarted it",
        tried: 1,
        worked: 1,
        retired: { at: "2026-01-04T00:00:00+00:00", reason: "a newer fix" },
      },
    ],
  });
  expect(other?.json).toMatchObject({ resolution: null, fixes: [], targets: [] });
  expect(
    await sql`select f.fingerprint, f.observation_id from public.observation_fingerprints f order by fingerprint`,
  ).toEqual([
    { fingerprint: "key 0", observation_id: uuid(0) },
    { fingerprint: "key 1", observation_id: uuid(3) },
  ]);
  const [retired] = await sql`select r.text from public.fixes f join public.fixes r on r.id = f.retired_by`;
  expect(retired).toEqual({ text: "Raised the limit." });
  // The states that the migration wrote are those that the application derives.
  const fixes = () => sql`select text, retired_at, retired_by, retired_reason from public.fixes order by text`;
  const migrated = await fixes();
  await sql`select public.settle_fixes(${uuid(0)}, ${AT(9)})`;
  expect(await fixes()).toEqual(migrated);
});
