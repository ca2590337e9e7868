// `node bench/retrieval/lengthen-runbooks.ts <folder> <data set> <corpus>`: builds a data set for `npm run bench -- retrieval
// <folder>` from another one, whose runbooks become pages as long as people's own: each is followed by sections of
// documentation about the same things, and neighbours share some of them.

import { existsSync, readdirSync } from "node:fs";
import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { wordVectors } from "../../lib/embedding/shipped-vectors.ts";
import { dot } from "../../lib/embedding/word-vectors.ts";
import { readCorpus } from "../embedder/corpus.ts";
import { createRandom } from "../embedder/random.ts";
import { readDataSet } from "./data-set.ts";

/** Documentation that is about the same things, of which a page gets some. */
const NEAREST = 24;
const [FEWEST, MOST] = [4, 10];
const MIN_CHARACTERS = 400;

const [folderArgument, dataSet, corpusFolder] = process.argv.slice(2);
if (folderArgument === undefined || dataSet === undefined || corpusFolder === undefined)
  throw new Error(
    "Give the folder to write to, a data set and a corpus: node bench/retrieval/lengthen-runbooks.ts <folder> <data set> <corpus>",
  );
const folder = resolve(folderArgument);
if (existsSync(folder) && readdirSync(folder).length > 0)
  throw new Error(`${folder} is not empty. Give another folder.`);

const alertsFile = join(dataSet, "alerts.json");
const { runbooks } = await readDataSet({ alertsFile, runbooksFolder: join(dataSet, "runbooks") });
const sections = (await readCorpus(corpusFolder))
  .filter(({ text }) => text.length >= MIN_CHARACTERS)
  .map((section) => ({ ...section, vector: wordVectors.embed(`${section.headings.join("\n")}\n${section.text}`) }));
const random = createRandom(1);
const out = join(folder, "runbooks");
await mkdir(out, { recursive: true });
for (const { source, markdown } of runbooks) {
  const vector = wordVectors.embed(markdown);
  const nearest = sections
    .map((section) => ({ section, likeness: dot(vector, section.vector) }))
    .sort((a, b) => b.likeness - a.likeness)
    .slice(0, NEAREST)
    .map(({ section }) => section);
  const added = random.shuffle(nearest).slice(0, FEWEST + random.below(MOST - FEWEST + 1));
  const texts = added.map(({ headings, text }) => `## ${headings.at(-1) ?? "More"}\n\n${text.replace(/^#/gm, "\\#")}`);
  // Some pages begin with what they describe, as people write them.
  const parts = random.next() < 0.3 ? [texts[0] ?? "", markdown, ...texts.slice(1)] : [markdown, ...texts];
  await writeFile(join(out, source), `${parts.join("\n\n")}\n`);
}
await copyFile(alertsFile, join(folder, "alerts.json"));
console.log(`${runbooks.length} pages. Next: npm run bench -- retrieval ${folder}`);
