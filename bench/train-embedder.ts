// `npm run train:embedder -- <folder>`: the word vectors of lib/embedding/, learned from a folder of gzipped JSON Lines. A
// stopped training goes on after its last epoch. The same folder, settings and seed give the same weights.

import { createHash } from "node:crypto";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { writeWordTable } from "../lib/embedding/word-vectors.ts";
import { readCorpus } from "./embedder/corpus.ts";
import { drawPair, type Pair, readSection, type SectionWords } from "./embedder/pairs.ts";
import { quantise } from "./embedder/quantise.ts";
import { createRandom } from "./embedder/random.ts";
import { createModel, createTrainer, type Model, type Settings } from "./embedder/train.ts";
import { TypeIndex } from "./embedder/vocabulary.ts";
import { progress } from "./relevance/progress.ts";

const DEFAULT_FOLDER = fileURLToPath(new URL("../../shared/corpus", import.meta.url));
const WEIGHTS = fileURLToPath(new URL("../lib/embedding/word-vectors.bin", import.meta.url));
const STATE_FOLDER = fileURLToPath(new URL("../.dejavu/train-embedder", import.meta.url));

const SETTINGS: Settings = { dimensions: 256, batch: 512, temperature: 0.05, learningRate: 0.002, dropout: 0.2 };
const EPOCHS = 6;
const [WORDS, BUCKETS] = [20_000, 10_000];
/** Neighbouring pairs of a batch that come from one source: texts about one system are the hardest to tell apart. */
const FROM_ONE_SOURCE = 64;
const WARM_UP_STEPS = 100;
/** Share of the learning rate at the end. */
const LAST_RATE = 0.05;
/** Of a state: its epochs and steps. */
const HEADER_BYTES = 8;

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: "string", default: "1" }, out: { type: "string", default: WEIGHTS } },
});
const folder = resolve(positionals[0] ?? DEFAULT_FOLDER);
const seed = Number(options.seed);
if (!Number.isInteger(seed)) throw new Error(`--seed is "${options.seed}". Give an integer.`);

await train().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});

async function train(): Promise<void> {
  const corpus = await readCorpus(folder);
  const types = new TypeIndex();
  const sections = corpus.map((section, i) => {
    if (i % 1_000 === 0) progress(`${i} of ${corpus.length} sections read`);
    return readSection(types, section);
  });
  const vocabulary = types.vocabulary({ words: WORDS, buckets: BUCKETS });
  const sources = new Set(corpus.map(({ source }) => source));
  progress(`${sections.length} sections of ${sources.size} sources, ${types.types.length} different words.\n`);

  const key = createHash("sha256")
    .update(JSON.stringify([SETTINGS, EPOCHS, WORDS, BUCKETS, FROM_ONE_SOURCE, seed, vocabulary.texts]))
    .update(vocabulary.hashes)
    .update(vocabulary.counts)
    .digest("hex")
    .slice(0, 16);
  const state = join(STATE_FOLDER, `${key}.state`);
  const model = createModel(vocabulary, SETTINGS, createRandom(seed));
  const done = await resume(state, model);
  const steps = EPOCHS * Math.floor(sections.length / SETTINGS.batch);
  for (let epoch = done; epoch < EPOCHS; epoch++) {
    const random = createRandom(seed + 1_000 * (epoch + 1));
    const step = createTrainer(model, vocabulary, SETTINGS, random);
    const pairs = drawPairs(sections, random);
    const batches = Math.floor(pairs.length / SETTINGS.batch);
    let loss = 0;
    for (let i = 0; i < batches; i++) {
      const rate = Math.min(1, model.steps / WARM_UP_STEPS) * (1 - (1 - LAST_RATE) * Math.min(1, model.steps / steps));
      loss += step(pairs.slice(i * SETTINGS.batch, (i + 1) * SETTINGS.batch), rate);
      progress(
        `epoch ${epoch + 1} of ${EPOCHS}: ${Math.round((100 * i) / batches)} %, loss ${(loss / (i + 1)).toFixed(3)}`,
      );
    }
    progress(`Epoch ${epoch + 1} of ${EPOCHS}: ${pairs.length} pairs, loss ${(loss / batches).toFixed(3)}.\n`);
    await save(state, model, epoch + 1);
  }
  const table = quantise(model.table, { ...vocabulary, dimensions: SETTINGS.dimensions });
  const file = writeWordTable(table);
  await writeFile(options.out, file);
  await rm(state);
  console.log(`Wrote ${options.out}: ${file.length} bytes, version ${table.version.toString(16)}.`);
}

/** A pair of each section, in groups of one source. */
function drawPairs(sections: readonly SectionWords[], random: ReturnType<typeof createRandom>): Pair[] {
  const bySource = Map.groupBy(sections, ({ source }) => source);
  const groups: Pair[][] = [];
  for (const ofSource of bySource.values()) {
    const pairs = random.shuffle([...ofSource]).flatMap((section) => drawPair(section, random) ?? []);
    for (let i = 0; i < pairs.length; i += FROM_ONE_SOURCE) groups.push(pairs.slice(i, i + FROM_ONE_SOURCE));
  }
  return random.shuffle(groups).flat();
}

async function save(file: string, { table, means, squares, steps }: Model, epochs: number): Promise<void> {
  await mkdir(STATE_FOLDER, { recursive: true });
  const numbers = [Uint32Array.of(epochs, steps), table, means, squares];
  const bytes = numbers.map((each) => new Uint8Array(each.buffer, each.byteOffset, each.byteLength));
  await writeFile(`${file}.new`, Buffer.concat(bytes));
  await rename(`${file}.new`, file);
}

/** Takes over the state of a training that was stopped. @returns its epochs */
async function resume(file: string, model: Model): Promise<number> {
  const bytes = await readFile(file).catch(() => null);
  const size = model.table.byteLength;
  if (bytes === null || bytes.length !== HEADER_BYTES + 3 * size) return 0;
  for (const [i, part] of [model.table, model.means, model.squares].entries())
    new Uint8Array(part.buffer).set(bytes.subarray(HEADER_BYTES + i * size, HEADER_BYTES + (i + 1) * size));
  model.steps = bytes.readUInt32LE(4);
  const epochs = bytes.readUInt32LE(0);
  progress(`Goes on after epoch ${epochs}.\n`);
  return epochs;
}
