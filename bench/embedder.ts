// `npm run bench -- embedder [<folder>…]`: how well the built-in vectors find runbooks, and what a vector costs. Folders are
// data sets of alerts and runbooks as `npm run bench -- retrieval` takes them. Also how near reports of one failure and of
// others are.

import { basename, join, resolve } from "node:path";
import { renderTable } from "../cli/table.ts";
import { createWordEmbedder } from "../functions/adapters/word-embedder.ts";
import { INTERNALS } from "../functions/config/internals.ts";
import { MERGE_SHARE, RECALL_SHARE } from "../functions/memory/procedures.ts";
import { MIN_SHARE } from "../functions/memory/recall-memory.ts";
import { wordVectors } from "../lib/embedding/shipped-vectors.ts";
import { dot } from "../lib/embedding/word-vectors.ts";
import { chunkMarkdown, chunkText } from "../lib/markdown/chunk-markdown.ts";
import { failurePairs, PAIR_KINDS } from "./embedder/failure-pairs.ts";
import { ranksByView } from "./embedder/record-views.ts";
import { SPLITS } from "./incidents/cause-families.ts";
import { nameOf, readDataSet } from "./retrieval/data-set.ts";
import { FIGURES, figureCells, figuresOf } from "./retrieval/figures.ts";

const DEFAULT_FOLDERS = ["alerts", "netdata", "openshift", "cloudnative-pg"].map((name) =>
  join(import.meta.dirname, "../../shared/bench", name),
);
/** Characters per line when the output is not a terminal. */
const WIDTH = 160;
const TABLE_OPTIONS = { width: process.stdout.columns ?? WIDTH, color: process.stdout.isTTY };
const SPEED_TEXTS = 20_000;
/** Few enough that none of their memory is collected meanwhile. */
const COUNTED_TEXTS = 1_000;
/** How much longer a long text is. */
const LONG = 20;
const SHORT_TEXT = "api-gateway container exited with code 137 after its memory limit was reached";
const OTHER_TEXT = "Memory limit too low for the working set of the container";

const folders = process.argv.length > 2 ? process.argv.slice(2).map((folder) => resolve(folder)) : DEFAULT_FOLDERS;
const rows: string[][] = [];
for (const folder of folders) rows.push([basename(folder), ...(await figuresOfFolder(folder))]);
console.log(renderTable(["vectors alone", ...FIGURES], rows, TABLE_OPTIONS));

printPairs();
printViews();
printCosts();

/** What share of the pairs a threshold of the product lets through. */
function printPairs(): void {
  const pairs = failurePairs();
  const { scale } = createWordEmbedder();
  const cosineAt = (share: number) => 2 * (scale.unrelated + share * (scale.close - scale.unrelated)) - 1;
  const thresholds = [0, MIN_SHARE, 0.5, RECALL_SHARE, MERGE_SHARE];
  const rowsOfPairs = SPLITS.flatMap((split) =>
    PAIR_KINDS.map((kind) => {
      const cosines = pairs.filter((pair) => pair.split === split && pair.kind === kind).map(({ cosine }) => cosine);
      const passing = thresholds.map((share) => cosines.filter((cosine) => cosine >= cosineAt(share)).length);
      return [
        `${split}, ${kind}`,
        String(cosines.length),
        ...passing.map((count) => (count / cosines.length).toFixed(3)),
      ];
    }),
  );
  const header = [
    "reports nearer than",
    "pairs",
    ...thresholds.map((share) => `${share} (${cosineAt(share).toFixed(2)})`),
  ];
  console.log(`\n${renderTable(header, rowsOfPairs, TABLE_OPTIONS)}`);
}

/** By which vectors the record of a failure is found. */
function printViews(): void {
  const rowsOfViews = SPLITS.flatMap((split) =>
    ranksByView(split).map(({ name, ranks }) => [
      `${split}, ${name}`,
      String(ranks.length),
      ...figureCells(figuresOf(ranks)),
    ]),
  );
  console.log(
    `\n${renderTable(["a later report finds its record", "reports", ...FIGURES], rowsOfViews, TABLE_OPTIONS)}`,
  );
}

/** CPU time, so that a busy machine does not change it. */
function printCosts(): void {
  const perSecond = (work: () => void) => {
    const before = process.cpuUsage();
    for (let i = 0; i < SPEED_TEXTS; i++) work();
    const { user, system } = process.cpuUsage(before);
    return Math.round(SPEED_TEXTS / ((user + system) / 1e6));
  };
  const embed = (text: string) => perSecond(() => wordVectors.embed(text));
  embed(SHORT_TEXT);
  const words = SHORT_TEXT.split(" ").length;
  console.log(
    `\nA second of CPU time: ${embed(SHORT_TEXT)} texts of ${words} words, ${perSecond(() => wordVectors.similarity(SHORT_TEXT, OTHER_TEXT))} similarities of two.`,
  );
  const bytesOf = (text: string) => {
    globalThis.gc?.();
    const before = process.memoryUsage().heapUsed;
    for (let i = 0; i < COUNTED_TEXTS; i++) wordVectors.embed(text);
    return Math.round((process.memoryUsage().heapUsed - before) / COUNTED_TEXTS);
  };
  const long = Array(LONG).fill(SHORT_TEXT).join(" ");
  console.log(
    `Allocated for a text of ${words} words: ${bytesOf(SHORT_TEXT)} bytes; of ${words * LONG}: ${bytesOf(long)}.`,
  );
}

async function figuresOfFolder(folder: string): Promise<string[]> {
  const { runbooks, questions } = await readDataSet({
    alertsFile: join(folder, "alerts.json"),
    runbooksFolder: join(folder, "runbooks"),
  });
  const options = { size: INTERNALS.CHUNK_SIZE, overlap: INTERNALS.CHUNK_OVERLAP };
  const chunks = runbooks.flatMap(({ source, markdown }) =>
    chunkMarkdown(markdown, nameOf(source), options).map((chunk) => ({
      runbook: nameOf(source),
      vector: wordVectors.embed(chunkText(chunk)),
    })),
  );
  const ranks = questions.map(({ text, runbook }) => {
    const question = wordVectors.embed(text);
    const best = new Map<string, number>();
    for (const chunk of chunks)
      best.set(chunk.runbook, Math.max(best.get(chunk.runbook) ?? -1, dot(question, chunk.vector)));
    const own = best.get(runbook) ?? -1;
    return 1 + [...best].filter(([name, cosine]) => name !== runbook && cosine >= own).length;
  });
  return figureCells(figuresOf(ranks));
}
