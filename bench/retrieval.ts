// `npm run bench -- retrieval [<folder> [<file of alerts>]]`: whether alerts find their runbooks, on a data set of
// both. On a throw-away stack with the real stores and the bundled embedder. With `--beside`, the runbooks that ship
// with Dejavu are loaded too, and the reports are routed.

import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { describeSeed, seedRunbooks } from "../cli/seed-runbooks.ts";
import { renderTable } from "../cli/table.ts";
import { startStack } from "../dev/stack/start-stack.ts";
import { domainCatalog } from "../functions/knowledge/domain-store.ts";
import { routeDomain, scopeOf } from "../functions/knowledge/domains/route-domain.ts";
import { syncRunbooks } from "../functions/knowledge/sync-runbooks.ts";
import type { SearchScope } from "../functions/schemas/domain.ts";
import { createServices, type Services } from "../functions/services.ts";
import { nameOf, type Question, readDataSet } from "./retrieval/data-set.ts";
import { EQUIVALENTS } from "./retrieval/equivalents.ts";
import { FIGURES, type Figures, figureCells, figuresOf } from "./retrieval/figures.ts";
import { EVERYWHERE, noVector, randomVector, rank, runbooksOf, shippedHits } from "./retrieval/rankings.ts";
import { crossValidate, FEATURES, figuresWith, type SearchResult } from "./retrieval/weights.ts";

const DEFAULT_FOLDER = join(import.meta.dirname, "../../shared/bench/alerts");
/** The data set is a domain of its own, as a team's runbooks are. */
const DOMAIN = "data-set";
const FOLDS = 5;
/** Characters per line when the output is not a terminal. */
const WIDTH = 160;

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: "string" },
    ablate: { type: "boolean", default: false },
    validate: { type: "boolean", default: false },
    misses: { type: "boolean", default: false },
    beside: { type: "boolean", default: false },
  },
});
const [folder = DEFAULT_FOLDER, alertsFile] = positionals;
const { runbooks, questions, leftOut } = await readDataSet({
  alertsFile: resolve(alertsFile ?? join(folder, "alerts.json")),
  runbooksFolder: resolve(alertsFile === undefined ? join(folder, "runbooks") : folder),
}).catch((error: unknown): never => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
});
if (leftOut.length > 0)
  console.log(`Left out, since they have no text or no runbook in the folder: ${leftOut.join(", ")}.`);

console.log(`${questions.length} alerts, ${runbooks.length} runbooks. Starting a throw-away stack …`);
const stack = await startStack({
  dir: await mkdtemp(join(tmpdir(), "dejavu-bench-")),
  ephemeral: true,
  services: ["gateway", "chroma"],
});
try {
  // Long timeouts, so that a busy machine does not change a ranking.
  const longTimeouts = { DEPENDENCY_TIMEOUT_MS: "60000" };
  const services = createServices(
    { ...stack.workerEnv, ...longTimeouts, TRIAGE_BUDGET_MS: "59000" },
    { log: () => {} },
  );
  await load(services);
  if (options.beside) console.log(describeSeed(await seedRunbooks({ env: stack.workerEnv })));
  await measure(services);
} finally {
  await stack.stop();
}

async function load({ background, config, redact, now }: Services): Promise<void> {
  const report = await syncRunbooks(background, DOMAIN, runbooks, {
    origin: "folder",
    redact,
    chunking: { size: config.CHUNK_SIZE, overlap: config.CHUNK_OVERLAP },
    now: now(),
    onProgress: (done, total) => progress(`${done} of ${total} chunks loaded`),
  });
  progress("");
  console.log(`${report.embedded + report.moved} chunks loaded.`);
}

/** For each ranking, the rank of the right runbook for each question. */
type Ranks = Map<string, number[]>;

async function measure(services: Services): Promise<void> {
  const withoutNames = await measureAll(
    services,
    questions.map(({ text }) => text),
  );
  const withNames = await measureAll(
    services,
    questions.map(({ alert, text }) => `${alert}\n${text}`),
  );
  printFigures("Without the alert's name", withoutNames.ranks);
  printFigures("With the alert's name", withNames.ranks);
  printSections("Without the alert's name", withoutNames.results);
  printSections("With the alert's name", withNames.results);
  printAgainstBm25(withoutNames.ranks);
  if (options.misses) printMisses(withoutNames.results);
  if (options.ablate) printAblation(withoutNames.results, withNames.results);
  if (options.validate) printValidation(withoutNames.results);
  if (options.json !== undefined) {
    await writeFile(
      options.json,
      JSON.stringify({ withoutNames: report(withoutNames.ranks), withNames: report(withNames.ranks) }, null, 2),
    );
    console.log(`\nWritten to ${options.json}.`);
  }
}

async function measureAll(
  services: Services,
  texts: readonly string[],
): Promise<{ ranks: Ranks; results: SearchResult[] }> {
  const ranks: Ranks = new Map();
  const results: SearchResult[] = [];
  for (const [i, { runbook }] of questions.entries()) {
    const text = texts[i] ?? "";
    const addRank = (name: string, ranking: readonly string[]) => {
      const index = ranking.indexOf(runbook);
      ranks.set(name, [...(ranks.get(name) ?? []), index < 0 ? Number.POSITIVE_INFINITY : index + 1]);
    };
    const scope = options.beside ? await scopeFor(services, text) : EVERYWHERE;
    const all = await rank(services, text, scope);
    addRank("BM25", all.bm25);
    addRank("dense", all.dense);
    addRank("plain RRF", all.rrf);
    addRank("shipped", all.shipped);
    if (options.beside)
      addRank(
        "shipped, equivalents count",
        all.shipped.map((name) => equivalentOf(runbook, name)),
      );
    const hitsWithoutVector = await shippedHits(services, text, { scope, vector: noVector() });
    addRank("shipped, no embedder", runbooksOf(hitsWithoutVector));
    const random = randomVector(services.embedder.dimensions, i);
    addRank("shipped, random embedder", runbooksOf(await shippedHits(services, text, { scope, vector: random })));
    results.push({ hits: all.hits, runbook });
    progress(`${i + 1} of ${questions.length} alerts`);
  }
  progress("");
  return { ranks, results };
}

/** The scope that a triage of the text would search. */
async function scopeFor(services: Services, text: string): Promise<SearchScope> {
  const catalog = await domainCatalog(services);
  return scopeOf(routeDomain(catalog, { labels: {}, headline: text, details: "" }));
}

/** The right runbook in place of a runbook that ships and is about the same failure. */
function equivalentOf(right: string, name: string): string {
  return EQUIVALENTS[right]?.includes(name) ? right : name;
}

function printFigures(title: string, ranks: Ranks): void {
  console.log(`\n${title}\n`);
  const rows = [...ranks].map(([name, each]) => [name, ...figureCells(figuresOf(each))]);
  printTable(["", ...FIGURES], rows);
}

/** The shipped ranking of the alerts whose runbook has sections for several alerts. */
function printSections(title: string, results: readonly SearchResult[]): void {
  const ofSections = results.flatMap(({ hits, runbook }, i) => {
    const section = questions[i]?.section;
    return section === undefined ? [] : [{ hits, runbook, section }];
  });
  if (ofSections.length === 0) return;
  const runbookRanks = ofSections.map(
    ({ hits, runbook }) => runbooksOf(hits).indexOf(runbook) + 1 || Number.POSITIVE_INFINITY,
  );
  const sectionRanks = ofSections.map(({ hits, runbook, section }, i) => {
    const best = hits.find(({ document }) => nameOf(document.source ?? "") === runbook);
    const isRight = best?.document.headingPath.includes(section) ?? false;
    return isRight ? (runbookRanks[i] ?? 0) : Number.POSITIVE_INFINITY;
  });
  console.log(`\n${title}: ${ofSections.length} alerts of a section of a long runbook\n`);
  const row = (name: string, ranks: readonly number[]) => [name, ...figureCells(figuresOf(ranks))];
  printTable(["", ...FIGURES], [row("runbook", runbookRanks), row("runbook, right section best", sectionRanks)]);
}

function printAgainstBm25(ranks: Ranks): void {
  const rows: string[][] = [];
  questions.forEach(({ alert, text }, i) => {
    const before = ranks.get("BM25")?.[i] ?? 0;
    const after = ranks.get("shipped")?.[i] ?? 0;
    if (before !== after)
      rows.push([after < before ? "better" : "worse", rankText(before), rankText(after), alert, brief(text)]);
  });
  const better = rows.filter(([verdict]) => verdict === "better").length;
  console.log(
    `\nShipped ranking compared with BM25, without names: ${better} better, ${rows.length - better} worse (rank of the right runbook)\n`,
  );
  if (rows.length > 0) printTable(["", "BM25", "shipped", "alert", ""], rows.sort());
}

function printMisses(results: readonly SearchResult[]): void {
  console.log("\nRight runbook not first: its rank and the contribution of each ranking feature\n");
  results.forEach(({ hits, runbook }, i) => {
    const ranking = runbooksOf(hits);
    if (ranking[0] === runbook) return;
    console.log(`${rankText(ranking.indexOf(runbook) + 1)}. ${brief(questions[i]?.text ?? "")}`);
    for (const name of [runbook, ...ranking.slice(0, 2)]) {
      const best = hits.find(({ document }) => nameOf(document.source ?? "") === name);
      const parts = Object.entries(best?.contributions ?? {}).map(
        ([feature, { value }]) => `${feature} ${value.toFixed(2)}`,
      );
      console.log(`     ${(best?.score ?? 0).toFixed(2)} ${name}: ${parts.join(", ")}`);
    }
  });
}

function printAblation(withoutNames: readonly SearchResult[], named: readonly SearchResult[]): void {
  const row = (name: string, factors: Record<string, number>) => [
    name,
    ...figureCells(figuresWith(withoutNames, factors)),
    figuresWith(named, factors)["R@1"].toFixed(3),
  ];
  const only = (feature: string) => Object.fromEntries(FEATURES.map((each) => [each, Number(each === feature)]));
  console.log("\nWithout a feature, and with one alone\n");
  printTable(
    ["", ...FIGURES, "R@1 named"],
    [
      row("all", {}),
      ...FEATURES.map((feature) => row(`without ${feature}`, { [feature]: 0 })),
      ...FEATURES.map((feature) => row(`${feature} × 2`, { [feature]: 2 })),
      ...FEATURES.map((feature) => row(`${feature} ÷ 2`, { [feature]: 0.5 })),
      ...FEATURES.map((feature) => row(`${feature} alone`, only(feature))),
    ],
  );
}

function printValidation(results: readonly SearchResult[]): void {
  const { fitted, shipped } = crossValidate(results, FOLDS);
  console.log(`\nCross-validation over ${FOLDS} folds: mean of the held-out folds (lowest–highest)\n`);
  const cells = (folds: readonly Figures[]) =>
    FIGURES.map((name) => {
      const values = folds.map((each) => each[name]);
      const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
      return `${mean.toFixed(3)} (${Math.min(...values).toFixed(3)}–${Math.max(...values).toFixed(3)})`;
    });
  printTable(
    ["", ...FIGURES],
    [
      ["weights fitted on the other folds", ...cells(fitted)],
      ["shipped weights", ...cells(shipped)],
    ],
  );
}

function report(ranks: Ranks) {
  return {
    figures: Object.fromEntries([...ranks].map(([name, each]) => [name, figuresOf(each)])),
    ranks: questions.map(({ alert, runbook }: Question, i) => ({
      alert,
      runbook,
      ranks: Object.fromEntries([...ranks].map(([name, each]) => [name, Number.isFinite(each[i]) ? each[i] : null])),
    })),
  };
}

function printTable(header: readonly string[], rows: readonly (readonly string[])[]): void {
  console.log(renderTable(header, rows, { width: process.stdout.columns ?? WIDTH, color: process.stdout.isTTY }));
}

function rankText(rank: number): string {
  return Number.isFinite(rank) && rank > 0 ? String(rank) : "–";
}

function brief(text: string): string {
  const line = text.replace(/\s+/g, " ");
  return line.length > 90 ? `${line.slice(0, 89)}…` : line;
}

function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[2K${text}`);
}
