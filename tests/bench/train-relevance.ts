// `npm run train:relevance`: makes the weights of the relevance model, functions/investigation/relevance/runbook-weights.json.
// Asks every report of every corpus with its runbook and with it removed, on throw-away stacks. `--examples FILE` also
// writes the examples, for `npm run bench:relevance -- --examples FILE`.

import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { collectExamples, type Examples } from "./relevance/examples.ts";
import { trainingCorpora } from "./relevance/load-corpora.ts";
import { progress } from "./relevance/progress.ts";
import { trainModel } from "./relevance/train.ts";

const WEIGHTS = fileURLToPath(new URL("../../functions/investigation/relevance/runbook-weights.json", import.meta.url));
const FINGERPRINT_LENGTH = 12;

const { values: options } = parseArgs({ options: { examples: { type: "string" } } });
const { corpora, missing } = await trainingCorpora();
for (const each of missing) console.log(`Left out: ${each}.`);
const examples: Examples[] = [];
for (const corpus of corpora) {
  examples.push(await collectExamples(corpus, progress));
  progress(`${corpus.name}: ${examples.at(-1)?.asked.length} reports asked.\n`);
}
if (options.examples !== undefined) await writeFile(options.examples, JSON.stringify(examples));
const model = trainModel(examples);
const fingerprint = createHash("sha256").update(JSON.stringify(model)).digest("hex").slice(0, FINGERPRINT_LENGTH);
const trained_on = examples.map((each) => `${each.corpus} (${each.asked.length})`);
const command = "npm run train:relevance";
await writeFile(WEIGHTS, `${JSON.stringify({ command, fingerprint, trained_on, ...model }, null, 2)}\n`);
console.log(`Wrote ${WEIGHTS}, trained on ${trained_on.join(", ")}.`);
