import { describe, expect, it } from "vitest";
import { drawPair, readSection } from "../../../../bench/embedder/pairs.ts";
import { quantise } from "../../../../bench/embedder/quantise.ts";
import { createRandom } from "../../../../bench/embedder/random.ts";
import { createModel, createTrainer, type Settings } from "../../../../bench/embedder/train.ts";
import { TypeIndex } from "../../../../bench/embedder/vocabulary.ts";
import { openWordVectors, writeWordTable } from "../../../../lib/embedding/word-vectors.ts";

const SETTINGS: Settings = { dimensions: 16, batch: 16, temperature: 0.05, learningRate: 0.01, dropout: 0.2 };
const EPOCHS = 30;
const TOPICS = [
  ["disk", "volume", "filesystem", "space", "inode"],
  ["memory", "heap", "swap", "cgroup", "killed"],
  ["certificate", "handshake", "issuer", "expired", "chain"],
  ["replica", "primary", "failover", "lag", "slot"],
];

/** Each section repeats three words of its topic under a heading of the two others. */
const SECTIONS = TOPICS.flatMap((words, topic) =>
  words.map((_, i) => {
    const at = (offset: number) => words[(i + offset) % words.length] ?? "";
    const text = `The ${at(2)} of the ${at(3)} needs ${at(4)}. Then ${at(3)} and ${at(2)} follow ${at(4)} again.`;
    return { source: `source-${topic}`, headings: [`${at(0)} ${at(1)}`], text, code: "" };
  }),
);

function trained(seed: number): Uint8Array {
  const types = new TypeIndex();
  const sections = SECTIONS.map((section) => readSection(types, section));
  const vocabulary = types.vocabulary({ words: 100, buckets: 10 });
  const model = createModel(vocabulary, SETTINGS, createRandom(seed));
  const random = createRandom(seed + 1);
  const step = createTrainer(model, vocabulary, SETTINGS, random);
  for (let epoch = 0; epoch < EPOCHS; epoch++) {
    const pairs = random.shuffle([...sections]).flatMap((section) => drawPair(section, random) ?? []);
    step(pairs.slice(0, SETTINGS.batch), 1);
  }
  return writeWordTable(quantise(model.table, { ...vocabulary, dimensions: SETTINGS.dimensions }));
}

describe("a training of word vectors", () => {
  it("gives the same bytes for the same texts and seed", () => {
    expect(trained(1)).toEqual(trained(1));
    expect(trained(2)).not.toEqual(trained(1));
  });

  it("brings words of one topic nearer to each other than to those of another", () => {
    const bytes = trained(1);
    const { similarity } = openWordVectors(Uint8Array.from(bytes).buffer);
    expect(similarity("disk", "inode")).toBeGreaterThan(similarity("disk", "issuer"));
    expect(similarity("replica", "lag")).toBeGreaterThan(similarity("replica", "heap"));
  });
});
