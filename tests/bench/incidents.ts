// `npm run bench:incidents`: how well similar past incidents are found. Families of incidents with one cause, and their
// look-alikes, go through triage and resolution; then each member asks for the others. `--json FILE`, `--seed N`.

import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import postgres from "postgres";
import { describeSeed, seedRunbooks } from "../../cli/seed-runbooks.ts";
import { renderTable } from "../../cli/table.ts";
import { startStack } from "../../dev/stack/start-stack.ts";
import { createIncident } from "../../functions/incidents/create-incident.ts";
import { guardRequest } from "../../functions/incidents/guard-request.ts";
import { triage } from "../../functions/investigation/investigate.ts";
import { resolve } from "../../functions/investigation/learning/resolve-incident.ts";
import { recall } from "../../functions/investigation/recall/recall.ts";
import type { RecalledIncident } from "../../functions/investigation/recall/recall-result.ts";
import { DOMAIN_NAMES } from "../../functions/schemas/domain.ts";
import { createServices, type Services } from "../../functions/services.ts";
import { type FamilyIncident, incidentFamilies } from "./retrieval/incident-families.ts";
import {
  type Asked,
  type Figures,
  figuresOf,
  ORDERS,
  orderBy,
  orderOf,
  type Ranking,
  withoutQuality,
} from "./retrieval/incident-figures.ts";

const { values: options } = parseArgs({
  options: { json: { type: "string" }, seed: { type: "string", default: "1" } },
});
const NOW = new Date("2026-03-02T09:00:00Z");
const SHOWN = { width: process.stdout.columns ?? 160, color: process.stdout.isTTY ?? false };
/** Wide enough that each feature's own best are all among the hits. */
const WIDE = { SEARCH_CANDIDATES: "50", INCIDENT_RECALL_LIMIT: "50" };

interface Question {
  readonly asked: Asked;
  readonly id: string;
  readonly incident: FamilyIncident;
  /** Its place in the family, from 0. */
  readonly place: number;
  readonly memberIds: readonly string[];
}

console.log("Starting a throw-away stack and loading the runbooks (half a minute) …");
const stack = await startStack({
  dir: await mkdtemp(join(tmpdir(), "dejavu-bench-")),
  ephemeral: true,
  services: ["gateway", "chroma", "embeddings"],
});
// What the product may not: give an investigation another score.
const sql = postgres(stack.info.urls.postgres, { max: 1, onnotice: () => {} });
try {
  console.log(describeSeed(await seedRunbooks({ env: stack.workerEnv })));
  await measure();
} finally {
  await sql.end();
  await stack.stop();
}

async function measure(): Promise<void> {
  const shipped = servicesWith({});
  const questions = await loadFamilies(shipped);
  const alike = await ask(questions, shipped, servicesWith(WIDE));
  printFinding(alike);
  await judge(questions);
  const judged = await ask(questions, shipped, servicesWith(WIDE));
  printQuality(judged);
  if (options.json) {
    await writeFile(
      options.json,
      JSON.stringify({ seed: options.seed, alike: plain(alike), judged: plain(judged) }, null, 1),
    );
    console.log(`\nEvery question with its hits is in ${options.json}.`);
  }
}

function servicesWith(environment: Record<string, string>): Services {
  return createServices({ ...stack.workerEnv, MODEL: "none", ...environment }, { log: () => {}, now: () => NOW });
}

async function loadFamilies(services: Services): Promise<Question[]> {
  const families = incidentFamilies(Number(options.seed));
  const questions: Question[] = [];
  let loaded = 0;
  for (const { domain, name, members, lookAlikes } of families) {
    const remember = async (incidents: readonly FamilyIncident[]) => {
      const ids: string[] = [];
      for (const incident of incidents) {
        if (process.stderr.isTTY) process.stderr.write(`\r${++loaded} incidents triaged and resolved`);
        ids.push(await investigate(services, incident));
      }
      return ids;
    };
    const memberIds = await remember(members);
    const others = new Set(await remember(lookAlikes));
    for (const [place, incident] of members.entries()) {
      const id = memberIds[place] ?? "";
      const relatives = new Set(memberIds.filter((each) => each !== id));
      questions.push({
        asked: { domain, family: name, relatives, lookAlikes: others },
        id,
        incident,
        place,
        memberIds,
      });
    }
  }
  if (process.stderr.isTTY) process.stderr.write("\r\x1b[2K");
  console.log(
    `${families.length} families: ${questions.length} incidents beside their look-alikes, each triaged and resolved`,
  );
  return questions;
}

/** @returns the incident's id */
async function investigate(services: Services, { report, fix }: FamilyIncident): Promise<string> {
  const background: Promise<unknown>[] = [];
  const runInBackground = (work: Promise<unknown>) => void background.push(work);
  const outcome = await triage(services, report, { idempotency: null, runInBackground });
  await Promise.all(background);
  if (outcome.state !== "answered") throw new Error(`The triage of "${report.title}" was ${outcome.state}.`);
  const { incident_id: incidentId } = outcome.result;
  await resolve(services, { incidentId, resolution: fix, resolvedBy: "on-call", worked: null }, runInBackground);
  await Promise.all(background);
  return incidentId;
}

interface Answer extends Question {
  readonly shipped: readonly RecalledIncident[];
  readonly wide: readonly RecalledIncident[];
}

/** Each member asks under its own id, and so does not find itself: all others are what is remembered. */
async function ask(questions: readonly Question[], shipped: Services, wide: Services): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const question of questions) {
    const { request } = guardRequest(question.incident.report);
    const incident = createIncident(request, NOW, () => question.id);
    answers.push({
      ...question,
      shipped: (await recall(shipped, incident, {})).incidents,
      wide: (await recall(wide, incident, {})).incidents,
    });
  }
  return answers;
}

function printFinding(answers: readonly Answer[]): void {
  const ways: [string, (answer: Answer) => readonly string[]][] = [
    ...ORDERS.map((order): [string, (answer: Answer) => readonly string[]] => [
      order,
      ({ wide }) => orderBy(order, wide),
    ]),
    ["shipped, quality left out", ({ wide }) => withoutQuality(wide)],
    ["shipped", ({ shipped }) => orderOf(shipped)],
  ];
  const rows = ["all", ...DOMAIN_NAMES].flatMap((domain) =>
    ways.map(([name, order]) => {
      const about = answers.filter(({ asked }) => domain === "all" || asked.domain === domain);
      return [
        domain,
        name,
        ...cellsOf(figuresOf(about.map((answer) => ({ asked: answer.asked, ids: order(answer) })))),
      ];
    }),
  );
  console.log(`\nAll resolved, scores as they came\n${table(["domain", "order"], rows)}`);
}

/** Of each family one record is good, one poor, one not resolved, the rest ordinary; which one goes round. */
async function judge(questions: readonly Question[]): Promise<void> {
  await sql`update public.observations set final_score = 8, quality = null`;
  const families = new Map(
    questions.map((question) => [question.asked.family + question.asked.domain, question.memberIds]),
  );
  for (const [i, ids] of [...families.values()].entries()) {
    const [good, poor, open] = rolesIn(ids, i);
    await sql`update public.observations set final_score = 9.5, quality = 2 where id = ${good}`;
    await sql`update public.observations set final_score = 3, quality = -1 where id = ${poor}`;
    await sql`update public.observations set final_score = 5, resolution = null, resolved_by = null, resolved_at = null where id = ${open}`;
  }
}

function rolesIn(ids: readonly string[], turn: number): [good: string, poor: string, open: string] {
  const at = (offset: number) => ids[(turn + offset) % ids.length] ?? "";
  return [at(0), at(1), at(2)];
}

function printQuality(answers: readonly Answer[]): void {
  const families = [...new Map(answers.map(({ memberIds }) => [memberIds[0], memberIds])).values()];
  const roles = new Map(families.map((ids, i) => [ids[0], rolesIn(ids, i)]));
  const rows = (
    [
      ["quality left out", ({ wide }: Answer) => withoutQuality(wide)],
      ["shipped", ({ wide }: Answer) => orderOf(wide)],
    ] as const
  ).map(([name, order]) => {
    const rankings = answers.map((answer) => ({ answer, ranking: { asked: answer.asked, ids: order(answer) } }));
    const firstRelatives = (role: 0 | 1 | 2) => {
      const with_ = rankings.flatMap(({ answer, ranking }) => {
        const one = roles.get(answer.memberIds[0])?.[role] ?? "";
        return one === answer.id ? [] : [Number(firstRelative(ranking) === one)];
      });
      return (with_.reduce((sum, each) => sum + each, 0) / with_.length).toFixed(3);
    };
    const figures = figuresOf(rankings.map(({ ranking }) => ranking));
    return [name, firstRelatives(0), firstRelatives(1), firstRelatives(2), ...cellsOf(figures)];
  });
  const header = ["order", "good one first", "poor one first", "open one first"];
  console.log(
    `\nOne of each family good, one poor, one not resolved: which relative comes first\n${table(header, rows)}`,
  );
}

function firstRelative({ asked, ids }: Ranking): string | undefined {
  return ids.find((id) => asked.relatives.has(id));
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  return renderTable([...header, "R@1", "R@6", "MRR", "look-alike first"], rows, SHOWN);
}

function cellsOf({ first, firstSix, meanReciprocalRank, misled }: Figures): string[] {
  return [first, firstSix, meanReciprocalRank, misled].map((figure) => figure.toFixed(3));
}

/** What a file can hold of it: each hit with its features, for other orders to be tried on. */
function plain(answers: readonly Answer[]) {
  return answers.map(({ asked, id, incident, wide, shipped, memberIds }) => ({
    ...asked,
    relatives: [...asked.relatives],
    lookAlikes: [...asked.lookAlikes],
    id,
    memberIds,
    title: incident.report.title,
    shipped: orderOf(shipped),
    hits: wide.map(({ hit, grounding }) => ({
      id: hit.document.id,
      title: hit.document.title,
      type: hit.observation.taskType,
      target: hit.observation.target,
      resolved: hit.observation.resolution !== null,
      manualQuality: hit.observation.quality,
      finalScore: hit.observation.finalScore,
      distance: hit.distance,
      bm25: hit.bm25?.score,
      contributions: hit.contributions,
      ranking: hit.ranking,
      score: hit.score,
      grounding,
    })),
  }));
}
