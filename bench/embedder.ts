// `npm run bench -- embedder [<folder>…]`: how well the built-in vectors alone find runbooks, and how fast they are made. On
// data sets of alerts and runbooks, as `npm run bench -- retrieval` takes them, and on pairs of reports of one failure.

import { basename, join, resolve } from "node:path";
import { renderTable } from "../cli/table.ts";
import { INTERNALS } from "../functions/config/internals.ts";
import { wordVectors } from "../lib/embedding/shipped-vectors.ts";
import { dot } from "../lib/embedding/word-vectors.ts";
import { chunkMarkdown, chunkText } from "../lib/markdown/chunk-markdown.ts";
import { nameOf, readDataSet } from "./retrieval/data-set.ts";
import { FIGURES, figureCells, figuresOf } from "./retrieval/figures.ts";

const DEFAULT_FOLDERS = ["alerts", "netdata", "openshift", "cloudnative-pg"].map((name) =>
  join(import.meta.dirname, "../../shared/bench", name),
);
/** Characters per line when the output is not a terminal. */
const WIDTH = 160;
const SPEED_TEXTS = 20_000;
const SHORT_TEXT = "api-gateway container exited with code 137 after its memory limit was reached";

const folders = process.argv.length > 2 ? process.argv.slice(2).map((folder) => resolve(folder)) : DEFAULT_FOLDERS;
const rows: string[][] = [];
for (const folder of folders) rows.push([basename(folder), ...(await figuresOfFolder(folder))]);
console.log(
  renderTable(["vectors alone", ...FIGURES], rows, {
    width: process.stdout.columns ?? WIDTH,
    color: process.stdout.isTTY,
  }),
);

const started = performance.now();
for (let i = 0; i < SPEED_TEXTS; i++) wordVectors.embed(SHORT_TEXT);
const perSecond = Math.round(SPEED_TEXTS / ((performance.now() - started) / 1_000));
console.log(
  `\n${perSecond} texts of ${SHORT_TEXT.split(" ").length} words a second, ${wordVectors.dimensions} dimensions.`,
);

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
