// `npm run bench:retrieval [-- <folder> [<file of alerts>]]`: how well the right runbook is found, on a data set of alerts and runbooks, in a
// throw-away stack with the real stores and the bundled embedder.

import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { renderTable } from "../../cli/table.ts";
import { startStack } from "../../dev/stack/start-stack.ts";
import { syncRunbooks } from "../../functions/knowledge/sync-runbooks.ts";
import { collectionOf } from "../../functions/search-index/collections.ts";
import { createServices, type Services } from "../../functions/services.ts";
import { nameOf, type Question, readDataSet } from "./retrieval/data-set.ts";
import { FIGURES, type Figures, figureCells, figuresOf } from "./retrieval/figures.ts";
import { noVector, randomVector, rank, runbooksOf, shippedHits } from "./retrieval/rankings.ts";
import { crossValidate, FEATURES, type Found, figuresWith } from "./retrieval/weights.ts";

const DEFAULT_FOLDER = join(import.meta.dirname, "../../../shared/bench/alerts");
const DOMAIN = "kubernetes";
const COLLECTION = collectionOf("runbooks", DOMAIN);
const FOLDS = 5;
/** Characters of a line where the output is no terminal. */
const WIDTH = 160;

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: "string" },
    ablate: { type: "boolean", default: false },
    validate: { type: "boolean", default: false },
    misses: { type: "boolean", default: false },
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
if (leftOut.length > 0) console.log(`Left out, without a word or a runbook in the folder: ${leftOut.join(", ")}.`);

console.log(`${questions.length} alerts, ${runbooks.length} runbooks. Starting a throw-away stack …`);
const stack = await startStack({
  dir: await mkdtemp(join(tmpdir(), "dejavu-bench-")),
  ephemeral: true,
  services: ["gateway", "chroma", "embeddings"],
});
try {
  // Nobody waits here, and a busy machine must not change a ranking.
  const patience = { POSTGRES_TIMEOUT_MS: "20000", CHROMA_TIMEOUT_MS: "20000", EMBEDDINGS_TIMEOUT_MS: "60000" };
  const services = createServices({ ...stack.workerEnv, ...patience, TRIAGE_BUDGET_MS: "59000" }, { log: () => {} });
  await load(services);
  await measure(services);
} finally {
  await stack.stop();
}

async function load({ background, config, now }: Services): Promise<void> {
  const report = await syncRunbooks(background, DOMAIN, runbooks, {
    origin: "folder",
    chunking: { size: config.CHUNK_SIZE, overlap: config.CHUNK_OVERLAP },
    now: now(),
    onProgress: (done, total) => progress(`${done} of ${total} chunks loaded`),
  });
  progress("");
  console.log(`${report.embedded + report.moved} chunks loaded.`);
}

/** Ranks of the right runbook, a question each. */
type Ranks = Map<string, number[]>;

async function measure(services: Services): Promise<void> {
  const unnamed = await measureAll(
    services,
    questions.map(({ text }) => text),
  );
  const named = await measureAll(
    services,
    questions.map(({ alert, text }) => `${alert}\n${text}`),
  );
  printFigures("Without the alert's name", unnamed.ranks);
  printFigures("With the alert's name", named.ranks);
  printAgainstBm25(unnamed.ranks);
  if (options.misses) printMisses(unnamed.found);
  if (options.ablate) printAblation(unnamed.found, named.found);
  if (options.validate) printValidation(unnamed.found);
  if (options.json !== undefined) {
    await writeFile(
      options.json,
      JSON.stringify({ unnamed: report(unnamed.ranks), named: report(named.ranks) }, null, 2),
    );
    console.log(`\nWritten to ${options.json}.`);
  }
}

async function measureAll(services: Services, texts: readonly string[]): Promise<{ ranks: Ranks; found: Found[] }> {
  const ranks: Ranks = new Map();
  const found: Found[] = [];
  for (const [i, { runbook }] of questions.entries()) {
    const text = texts[i] ?? "";
    const put = (name: string, ranking: readonly string[]) => {
      const place = ranking.indexOf(runbook);
      ranks.set(name, [...(ranks.get(name) ?? []), place < 0 ? Number.POSITIVE_INFINITY : place + 1]);
    };
    const all = await rank(services, COLLECTION, text);
    put("BM25", all.bm25);
    put("dense", all.dense);
    put("plain RRF", all.rrf);
    put("shipped", all.shipped);
    const blind = await shippedHits(services, COLLECTION, text, noVector());
    put("shipped, no embedder", runbooksOf(blind));
    const wild = randomVector(services.embedder.dimensions, i);
    put("shipped, random embedder", runbooksOf(await shippedHits(services, COLLECTION, text, wild)));
    found.push({ hits: all.hits, runbook });
    progress(`${i + 1} of ${questions.length} alerts`);
  }
  progress("");
  return { ranks, found };
}

function printFigures(title: string, ranks: Ranks): void {
  console.log(`\n${title}\n`);
  const rows = [...ranks].map(([name, each]) => [name, ...figureCells(figuresOf(each))]);
  printTable(["", ...FIGURES], rows);
}

function printAgainstBm25(ranks: Ranks): void {
  const rows: string[][] = [];
  questions.forEach(({ alert, text }, i) => {
    const before = ranks.get("BM25")?.[i] ?? 0;
    const after = ranks.get("shipped")?.[i] ?? 0;
    if (before !== after)
      rows.push([after < before ? "better" : "worse", shown(before), shown(after), alert, brief(text)]);
  });
  const better = rows.filter(([verdict]) => verdict === "better").length;
  console.log(`\nShipped against BM25, without names: ${better} better, ${rows.length - better} worse\n`);
  if (rows.length > 0) printTable(["", "BM25", "shipped", "alert", ""], rows.sort());
}

function printMisses(found: readonly Found[]): void {
  console.log("\nNot first, with what each signal gave\n");
  found.forEach(({ hits, runbook }, i) => {
    const ranking = runbooksOf(hits);
    if (ranking[0] === runbook) return;
    console.log(`${shown(ranking.indexOf(runbook) + 1)}. ${brief(questions[i]?.text ?? "")}`);
    for (const name of [runbook, ...ranking.slice(0, 2)]) {
      const best = hits.find(({ document }) => nameOf(document.source ?? "") === name);
      const parts = Object.entries(best?.contributions ?? {}).map(
        ([signal, { value }]) => `${signal} ${value.toFixed(2)}`,
      );
      console.log(`     ${(best?.score ?? 0).toFixed(2)} ${name}: ${parts.join(", ")}`);
    }
  });
}

function printAblation(unnamed: readonly Found[], named: readonly Found[]): void {
  const row = (name: string, factors: Record<string, number>) => [
    name,
    ...figureCells(figuresWith(unnamed, factors)),
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

function printValidation(found: readonly Found[]): void {
  const { fitted, shipped } = crossValidate(found, FOLDS);
  console.log(`\nHeld out of ${FOLDS} folds: mean, and lowest to highest\n`);
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

function shown(rank: number): string {
  return Number.isFinite(rank) && rank > 0 ? String(rank) : "–";
}

function brief(text: string): string {
  const line = text.replace(/\s+/g, " ");
  return line.length > 90 ? `${line.slice(0, 89)}…` : line;
}

function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[2K${text}`);
}
