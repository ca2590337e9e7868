// The migrations over a database that was in use before there were layers of memory: nothing is lost, and what was
// remembered becomes an observation.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import postgres from "postgres";
import { afterAll, beforeAll, expect, it } from "vitest";
import { info, sql } from "../support/harness.ts";

const FOLDER = fileURLToPath(new URL("../../../supabase/migrations", import.meta.url));
const FIRST_WITH_LAYERS = "20261122100000";
const DATABASE = "upgrade_test";

const url = new URL(info.urls.postgres);
url.pathname = `/${DATABASE}`;
let old: postgres.Sql;

async function migrate(isWanted: (file: string) => boolean): Promise<void> {
  for (const file of readdirSync(FOLDER).sort().filter(isWanted))
    await old.unsafe(readFileSync(join(FOLDER, file), "utf8"));
}

beforeAll(async () => {
  await sql.unsafe(`drop database if exists ${DATABASE}`);
  await sql.unsafe(`create database ${DATABASE}`);
  old = postgres(url.href, { max: 1, onnotice: () => {} });
  await migrate((file) => file < FIRST_WITH_LAYERS);
});
afterAll(async () => {
  await old?.end();
  await sql.unsafe(`drop database if exists ${DATABASE}`);
});

const at = "2026-01-05T10:00:00Z";
const id = (n: number) => `00000000-0000-4000-8000-00000000000${n}`;

function incident(n: number, title: string) {
  return {
    ...{ id: id(n), created_at: at, title, question: null, target: "api", severity: "high", labels: {}, logs: null },
    ...{
      session_id: `s-${n}`,
      domain: "docker",
      domain_rule: "r",
      incident_type: "oom_killed",
      incident_type_rule: "r",
    },
  };
}

async function finish(n: number, title: string, outcome: string): Promise<void> {
  const result = { recalled: { runbooks: [], incidents: [{ id: id(9) }] }, sources: [], answer: { worked_before: [] } };
  const body = "Type: oom_killed\nTarget: api\nSeverity: high\n\nIt ran out of memory.";
  const document = {
    ...{ id: id(n), source: null, chunk_index: null, title, heading_path: [], body, metadata: { resolved: false } },
    ...{ written_at: at, content_hash: "a.b", terms: { memory: 1 } },
  };
  const p = {
    now: at,
    incident: incident(n, title),
    episode: { run_id: id(n), session_id: `s-${n}`, started_at: at, query: title },
    episode_finish: {
      ...{ run_id: id(n), finished_at: at, injection_blocked: false, retrieval_hit_count: 1, memory_hit_count: 0 },
      ...{ initial_confidence: 0.8, reflected: false, final_confidence: 0.8, final_answer: "It ran out of memory." },
    },
    triage: { id: id(n), mode: "extractive", outcome, confidence: 0.8, result, model: null, prompt_version: null },
    usage: { calls: 1, input_tokens: 5, cached_input_tokens: 0, output_tokens: 5, cost_usd: null },
    ...(outcome === "benign" ? {} : { memory: { collection: "incidents-docker", document, claim_until: at } }),
  };
  await old`select public.finish_triage(${old.json(p)})`;
}

it("keeps what was there, and makes observations of what was remembered", async () => {
  await finish(1, "api exited with code 137", "cause");
  await finish(2, "Watchdog", "benign");
  const fixed =
    "Type: oom_killed\nTarget: api\nSeverity: high\n\nIt ran out of memory.\n\nResolution: Raised the limit.";
  await old`update public.documents set body = ${fixed}`;
  await old`update public.incidents set status = 'resolved', resolution = 'Raised the limit.', resolved_by = 'dana',
    resolved_at = ${at} where id = ${id(1)}`;

  await migrate((file) => file >= FIRST_WITH_LAYERS);

  expect(await old`select * from public.observations`).toMatchObject([
    {
      id: id(1),
      title: "api exited with code 137",
      narrative: "It ran out of memory.",
      facts: ["Type: oom_killed", "Target: api", "Severity: high"],
      final_score: 8,
      occurrences: 1,
      resolution: "Raised the limit.",
      resolved_by: "dana",
    },
  ]);
  expect(await old`select benign, observation_id from public.incidents order by id`).toMatchObject([
    { benign: false, observation_id: id(1) },
    { benign: true, observation_id: null },
  ]);
  expect(await old`select incident_id from public.episodes order by run_id`).toMatchObject([
    { incident_id: id(1) },
    { incident_id: id(2) },
  ]);
  expect(await old`select recalled_ids from public.triages`).toMatchObject(Array(2).fill({ recalled_ids: [id(9)] }));
  expect(await old`select 1 from public.documents`).toHaveLength(1);
  expect(await old`select 1 from public.model_usage`).toHaveLength(2);
});

it("counts once what was there before anything was counted", async () => {
  const counted = await old<{ series: string; value: number }[]>`
    select metric || ' ' || (select string_agg(l.value, ' ' order by l.key) from jsonb_each_text(labels) l) as series, value
    from public.metrics where metric like any (array['dejavu_triages_total', 'dejavu_incidents_total', 'dejavu_model_tokens_total'])
      and value <> 0 order by 1`;
  // Those triages did not say in their results which domain they were in.
  expect(counted.map(({ series, value }) => `${series}: ${value}`)).toEqual([
    "dejavu_incidents_total docker direct: 2",
    "dejavu_model_tokens_total input: 10",
    "dejavu_model_tokens_total output: 10",
    "dejavu_triages_total other extractive benign: 1",
    "dejavu_triages_total other extractive cause: 1",
  ]);
});
