// `npm run bench -- train-relevance`: the weights of the relevance models. Writes runbook-weights.json and
// incident-weights.json in functions/investigation/relevance/. Asks every report of every corpus with its runbook and
// with it removed, and every past incident with its family and without it, on throw-away stacks. `--only runbooks` or
// `--only incidents` makes one of them. `--examples FOLDER` keeps the examples, so that another run
// does not ask again; `--incident-examples FILE` writes those of incidents. `npm run bench -- relevance` reads both.

import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { createWordEmbedder } from "../functions/adapters/word-embedder.ts";
import type { IncidentModel } from "../functions/investigation/relevance/incident-model.ts";
import type { RelevanceModel } from "../functions/investigation/relevance/relevance-model.ts";
import { collectCauseExamples } from "./relevance/cause-examples.ts";
import { askedOf, readExamples } from "./relevance/examples.ts";
import { collectIncidentExamples } from "./relevance/incident-examples.ts";
import { trainingCorpora } from "./relevance/load-corpora.ts";
import { progress } from "./relevance/progress.ts";
import { collectSecondExamples } from "./relevance/second-examples.ts";
import { EMBEDDER_VARIABLES } from "./relevance/stores.ts";
import { trainModel } from "./relevance/train.ts";
import { trainIncidentModel } from "./relevance/train-incidents.ts";

const WEIGHTS_FOLDER = new URL("../functions/investigation/relevance/", import.meta.url);
const FINGERPRINT_LENGTH = 12;
/** The settings EMBEDDING… of the environment choose another embedder, for which the models are then made. */
const EMBEDDER_NAME = EMBEDDER_VARIABLES.EMBEDDING_MODEL?.replace(/^[^:]+:/, "") ?? createWordEmbedder().model;

const { values: options } = parseArgs({
  options: { only: { type: "string" }, examples: { type: "string" }, "incident-examples": { type: "string" } },
});
if (options.only !== undefined && options.only !== "runbooks" && options.only !== "incidents")
  throw new Error(`--only is "${options.only}". Give "runbooks" or "incidents".`);
if (options.only !== "incidents") await trainRunbooks();
if (options.only !== "runbooks") await trainIncidents();

async function trainRunbooks(): Promise<void> {
  const { corpora, missing } = await trainingCorpora();
  for (const each of missing) console.log(`Left out: ${each}.`);
  const examples = await readExamples(corpora, options.examples, progress);
  const sizes = examples.map((each) => `${each.corpus} (${each.reports.length})`);
  await writeWeights("runbook-weights.json", trainModel(examples.map(askedOf)), sizes);
}

async function trainIncidents(): Promise<void> {
  const examples = [
    ...(await collectIncidentExamples(progress)),
    ...(await collectCauseExamples("train", progress)),
    ...(await collectSecondExamples(progress)),
  ];
  const file = options["incident-examples"];
  if (file !== undefined) await writeFile(file, JSON.stringify(examples));
  const sizes = examples.map(({ group, reports }) => `${group} (${reports.length})`);
  progress(`incidents: ${sizes.join(", ")} reports asked.\n`);
  await writeWeights("incident-weights.json", trainIncidentModel(examples), sizes);
}

async function writeWeights(
  name: string,
  model: RelevanceModel | IncidentModel,
  trained_on: readonly string[],
): Promise<void> {
  const fingerprint = createHash("sha256").update(JSON.stringify(model)).digest("hex").slice(0, FINGERPRINT_LENGTH);
  const file = fileURLToPath(new URL(name, WEIGHTS_FOLDER));
  const facts = { fingerprint, embedder: EMBEDDER_NAME };
  await writeFile(file, `${JSON.stringify({ ...facts, ...model }, null, 2)}\n`);
  console.log(`Wrote ${file}, trained on ${trained_on.join(", ")}.`);
}
