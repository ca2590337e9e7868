// `npm run bench -- incidents`: recall quality of similar past incidents. Families of incidents with one cause, and
// their look-alikes, are triaged and resolved; then each member is the query for the others. Then families of causes in
// several systems, with vague titles and evidence. `--only families|causes`, `--split held_out|train`, `--json FILE`,
// `--seed N`.

import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import postgres from "postgres";
import { describeSeed, seedRunbooks } from "../cli/seed-runbooks.ts";
import { renderTable } from "../cli/table.ts";
import { startStack } from "../dev/stack/start-stack.ts";
import type { Internals } from "../functions/config/internals.ts";
import { createIncident } from "../functions/incidents/create-incident.ts";
import { createGuard } from "../functions/incidents/guard-request.ts";
import { recall } from "../functions/investigation/recall/recall.ts";
import type { RecalledIncident } from "../functions/investigation/recall/recall-result.ts";
import { domainCatalog } from "../functions/knowledge/domain-store.ts";
import { createServices, type Services } from "../functions/services.ts";
import { redact } from "../lib/redaction/redact.ts";
import { keptFixes, storeCauses } from "./incidents/ask-causes.ts";
import { readCauses, SPLITS, type Split } from "./incidents/cause-families.ts";
import { type FamilyIncident, incidentFamilies } from "./incidents/incident-families.ts";
import {
  type FamilyQuery,
  type Figures,
  figuresOf,
  ORDERS,
  orderBy,
  orderOf,
  type Ranking,
  withoutQuality,
} from "./incidents/incident-figures.ts";
import { storePastIncident } from "./incidents/past-incidents.ts";
import { printCauses } from "./incidents/print-causes.ts";

const guard = createGuard(redact);

const { values: options } = parseArgs({
  options: {
    only: { type: "string" },
    split: { type: "string", default: "held_out" },
    json: { type: "string" },
    seed: { type: "string", default: "1" },
  },
});
const NOW = new Date("2026-03-02T09:00:00Z");
const NO_SESSION = { sessionPastAnswers: [], attached: [] };
const TABLE_OPTIONS = { width: process.stdout.columns ?? 160, color: process.stdout.isTTY ?? false };
/** Wide enough that each feature's own best are all among the hits. */
const WIDE = { SEARCH_CANDIDATES: 50, INCIDENT_RECALL_LIMIT: 50 };

interface Question {
  readonly query: FamilyQuery;
  readonly id: string;
  readonly incident: FamilyIncident;
  /** Index in the family, from 0. */
  readonly place: number;
  readonly memberIds: readonly string[];
}

const split = SPLITS.find((each) => each === options.split);
if (split === undefined) throw new RangeError(`--split is "${options.split}". Give ${SPLITS.join(" or ")}.`);
if (options.only !== "causes") await measureFamilies();
if (options.only !== "families") {
  await printCauses(split, TABLE_OPTIONS.width);
  await onStack((_, servicesWith) => printKeptFixes(servicesWith({}), split));
}

function measureFamilies(): Promise<void> {
  return onStack(measure);
}

/** On a throw-away stack with the shipped runbooks. */
async function onStack(work: (sql: postgres.Sql, servicesWith: ServicesWith) => Promise<void>): Promise<void> {
  console.log("Starting a throw-away stack and loading the runbooks (half a minute) …");
  const stack = await startStack({
    dir: await mkdtemp(join(tmpdir(), "dejavu-bench-")),
    ephemeral: true,
    services: ["gateway", "chroma"],
  });
  // Direct access, since the API cannot change the score of an investigation.
  const sql = postgres(stack.info.urls.postgres, { max: 1, onnotice: () => {} });
  const servicesWith = (internals: Partial<Internals>) =>
    createServices({ ...stack.workerEnv, MODEL: "none" }, { log: () => {}, now: () => NOW, internals });
  try {
    console.log(describeSeed(await seedRunbooks({ env: stack.workerEnv })));
    await work(sql, servicesWith);
  } finally {
    await sql.end();
    await stack.stop();
  }
}

type ServicesWith = (internals: Partial<Internals>) => Services;

async function measure(sql: postgres.Sql, servicesWith: ServicesWith): Promise<void> {
  const shipped = servicesWith({});
  const questions = await loadFamilies(shipped);
  const unscored = await recallAll(questions, shipped, servicesWith(WIDE));
  printRecall(unscored);
  await setScores(sql, questions);
  const scored = await recallAll(questions, shipped, servicesWith(WIDE));
  printQuality(scored);
  if (options.json) {
    await writeFile(
      options.json,
      JSON.stringify({ seed: options.seed, unscored: plain(unscored), scored: plain(scored) }, null, 1),
    );
    console.log(`\nWrote every query with its hits to ${options.json}.`);
  }
}

async function loadFamilies(services: Services): Promise<Question[]> {
  const families = incidentFamilies(Number(options.seed));
  const questions: Question[] = [];
  let loaded = 0;
  for (const { domain, name, members, lookAlikes } of families) {
    const loadAll = async (incidents: readonly FamilyIncident[]) => {
      const ids: string[] = [];
      for (const incident of incidents) {
        if (process.stderr.isTTY) process.stderr.write(`\r${++loaded} incidents triaged and resolved`);
        ids.push(await storePastIncident(services, incident));
      }
      return ids;
    };
    const memberIds = await loadAll(members);
    const lookAlikeIds = new Set(await loadAll(lookAlikes));
    for (const [place, incident] of members.entries()) {
      const id = memberIds[place] ?? "";
      const relatives = new Set(memberIds.filter((each) => each !== id));
      questions.push({
        query: { domain, family: name, relatives, lookAlikes: lookAlikeIds },
        id,
        incident,
        place,
        memberIds,
      });
    }
  }
  if (process.stderr.isTTY) process.stderr.write("\r\x1b[2K");
  console.log(
    `${families.length} families with ${questions.length} incidents, and their look-alikes, triaged and resolved`,
  );
  return questions;
}

interface Answer extends Question {
  readonly shipped: readonly RecalledIncident[];
  readonly wide: readonly RecalledIncident[];
}

/** Triages and resolves one incident of each cause, and prints whether each kept its own fix. */
async function printKeptFixes(services: Services, split: Split): Promise<void> {
  const stored = await storeCauses(readCauses(split).families, (incident) => storePastIncident(services, incident));
  const { incidents, mixed, replaced } = await keptFixes(services, stored);
  console.log(
    `${incidents} incidents resolved; ${mixed} records mix causes; ${replaced} fixes were replaced by the fix of another cause`,
  );
}

/** Recalls with the id of each member, so that a member does not find itself. */
async function recallAll(questions: readonly Question[], shipped: Services, wide: Services): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const question of questions) {
    const { request } = guard.request(question.incident.report);
    const catalog = await domainCatalog(shipped);
    const incident = createIncident(request, { catalog, now: NOW, newId: () => question.id });
    answers.push({
      ...question,
      shipped: (await recall(shipped, incident, NO_SESSION)).incidents,
      wide: (await recall(wide, incident, NO_SESSION)).incidents,
    });
  }
  return answers;
}

function printRecall(answers: readonly Answer[]): void {
  const ways: [string, (answer: Answer) => readonly string[]][] = [
    ...ORDERS.map((order): [string, (answer: Answer) => readonly string[]] => [
      order,
      ({ wide }) => orderBy(order, wide),
    ]),
    ["shipped, quality left out", ({ wide }) => withoutQuality(wide)],
    ["shipped", ({ shipped }) => orderOf(shipped)],
  ];
  const rows = ["all", ...new Set(answers.map(({ query }) => query.domain))].flatMap((domain) =>
    ways.map(([name, order]) => {
      const selected = answers.filter(({ query }) => domain === "all" || query.domain === domain);
      return [
        domain,
        name,
        ...cellsOf(figuresOf(selected.map((answer) => ({ query: answer.query, ids: order(answer) })))),
      ];
    }),
  );
  console.log(`\nAll incidents resolved, scores as investigated\n${table(["domain", "order"], rows)}`);
}

/** In each family one incident gets a good score, one a poor score, one is unresolved; the roles rotate over the members. */
async function setScores(sql: postgres.Sql, questions: readonly Question[]): Promise<void> {
  await sql`update public.observations set final_score = 8, review_score = null`;
  const families = new Map(
    questions.map((question) => [question.query.family + question.query.domain, question.memberIds]),
  );
  for (const [i, ids] of [...families.values()].entries()) {
    const [good, poor, open] = rolesIn(ids, i);
    await sql`update public.observations set final_score = 9.5, review_score = 2 where id = ${good}`;
    await sql`update public.observations set final_score = 3, review_score = -1 where id = ${poor}`;
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
    const rankings = answers.map((answer) => ({ answer, ranking: { query: answer.query, ids: order(answer) } }));
    const firstRelatives = (role: 0 | 1 | 2) => {
      const isFirst = rankings.flatMap(({ answer, ranking }) => {
        const one = roles.get(answer.memberIds[0])?.[role] ?? "";
        return one === answer.id ? [] : [Number(firstRelative(ranking) === one)];
      });
      return (isFirst.reduce((sum, value) => sum + value, 0) / isFirst.length).toFixed(3);
    };
    const figures = figuresOf(rankings.map(({ ranking }) => ranking));
    return [name, firstRelatives(0), firstRelatives(1), firstRelatives(2), ...cellsOf(figures)];
  });
  const header = ["order", "good first", "poor first", "unresolved first"];
  console.log(
    `\nOne incident of each family good, one poor, one unresolved: share of queries for which it is the first relative\n${table(header, rows)}`,
  );
}

function firstRelative({ query, ids }: Ranking): string | undefined {
  return ids.find((id) => query.relatives.has(id));
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  return renderTable([...header, "R@1", "R@6", "MRR", "look-alike first"], rows, TABLE_OPTIONS);
}

function cellsOf({ first, firstSix, meanReciprocalRank, misled }: Figures): string[] {
  return [first, firstSix, meanReciprocalRank, misled].map((figure) => figure.toFixed(3));
}

/** What a file can hold of it: each hit with its features, for other orders to be tried on. */
function plain(answers: readonly Answer[]) {
  return answers.map(({ query, id, incident, wide, shipped, memberIds }) => ({
    ...query,
    relatives: [...query.relatives],
    lookAlikes: [...query.lookAlikes],
    id,
    memberIds,
    title: incident.report.title,
    shipped: orderOf(shipped),
    hits: wide.map(({ hit, relevance }) => ({
      id: hit.document.id,
      title: hit.document.title,
      type: hit.observation.taskType,
      target: hit.observation.target,
      resolved: hit.observation.resolution !== null,
      manualQuality: hit.observation.reviewScore,
      finalScore: hit.observation.finalScore,
      distance: hit.distance,
      bm25: hit.bm25?.score,
      contributions: hit.contributions,
      ranking: hit.ranking,
      score: hit.score,
      probability: relevance.probability,
    })),
  }));
}
