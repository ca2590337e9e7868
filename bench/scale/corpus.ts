// Made-up runbook chunks in any number: words of the seed runbooks with a Zipf distribution, a topic for each source,
// invented identifiers. The same in every run.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { SearchDocument } from "../../functions/search-index/search-document.ts";
import { tokenize } from "../../lib/text/tokenize.ts";
import { randomNumbers } from "../support/random-numbers.ts";

const SEEDS = new URL("../../seeds/", import.meta.url).pathname;
const WORDS_PER_CHUNK = 110;
const TOPIC_WORDS = 40;
const LINE_WORDS = 8;
const LOG_START = Date.UTC(2026, 0, 1);
const VOCABULARY = 20_000;
/** Shift of the Zipf–Mandelbrot law: the commonest word is in about 60 of 100 chunks, as "container" in the Docker seeds. */
const SHIFT = 5;

export interface Corpus {
  /** Chunk `index`, counted over all sources. */
  document(index: number): SearchDocument;
  /** The words that a source uses most, apart from common ones. */
  topic(source: number): readonly string[];
  /** One of the first `sources` sources, and an alert about its topic; some words are repeated. */
  alert(seed: number, sources: number): { readonly source: number; readonly text: string };
  /** A log about a source's topic: every tenth line reports an error. */
  log(seed: number, source: number, lines: number): string;
  /** The ten commonest words. */
  readonly commonest: readonly string[];
}

export function createCorpus({ chunksPerSource }: { readonly chunksPerSource: number }): Corpus {
  const words = vocabulary();
  const cumulative: number[] = [];
  words.reduce((sum, _, rank) => (cumulative[rank] = sum + 1 / (rank + SHIFT)), 0);
  const total = cumulative.at(-1) ?? 0;
  const anyWord = (random: () => number) => words[lowerBound(cumulative, random() * total)] ?? "";

  /** The topic words of a source: from the whole vocabulary except the 200 commonest words. */
  const topicOf = (source: number) => {
    const random = randomNumbers(source * 2 + 1);
    return Array.from(
      { length: TOPIC_WORDS },
      () => words[200 + Math.floor(random() ** 2 * (words.length - 200))] ?? "",
    );
  };
  const identifier = (random: () => number, source: number) =>
    random() < 0.5 ? `svc-${source % 997}` : `err${1_000 + Math.floor(random() * 50_000)}`;

  return {
    topic: topicOf,
    document(index) {
      const source = Math.floor(index / chunksPerSource);
      const topic = topicOf(source);
      const random = randomNumbers(index * 2);
      const length = Math.round(WORDS_PER_CHUNK * (0.3 + 1.4 * random()));
      const body = Array.from({ length }, () => {
        const kind = random();
        if (kind < 0.03) return identifier(random, source);
        return kind < 0.3 ? topic[Math.floor(random() ** 2 * TOPIC_WORDS)] : anyWord(random);
      });
      return {
        id: `chunk-${index}`,
        source: `source-${source}.md`,
        chunkIndex: index % chunksPerSource,
        title: topic.slice(0, 4).join(" "),
        headingPath: [],
        body: body.join(" "),
        metadata: { kind: "runbook", tags: "docker" },
        writtenAt: new Date("2026-01-01T00:00:00Z"),
      };
    },
    alert(seed, sources) {
      const random = randomNumbers(1_000_003 * (seed + 1));
      const source = Math.floor(random() * sources);
      const topic = topicOf(source);
      const about = Array.from(
        { length: 3 + Math.floor(random() * 5) },
        () => topic[Math.floor(random() ** 2 * TOPIC_WORDS)],
      );
      const passing = Array.from({ length: 4 + Math.floor(random() * 10) }, () => anyWord(random));
      const text = [...about, ...passing, identifier(random, source), about[0], passing[0]].join(" ");
      return { source, text };
    },
    log(seed, source, lines) {
      const random = randomNumbers(2_000_003 * (seed + 1));
      const topic = topicOf(source);
      return Array.from({ length: lines }, (_, i) => {
        const words = Array.from({ length: LINE_WORDS }, (_, j) =>
          j === 0 ? topic[Math.floor(random() ** 2 * TOPIC_WORDS)] : anyWord(random),
        );
        const time = new Date(LOG_START + i * 1_000).toISOString();
        return `${time} ${i % 10 === 9 ? "ERROR" : "INFO"} ${identifier(random, source)} ${words.join(" ")}`;
      }).join("\n");
    },
    commonest: words.slice(0, 10),
  };
}

/** The words of the seed runbooks, commonest first, followed by invented words. */
function vocabulary(): string[] {
  const counts = new Map<string, number>();
  for (const file of readdirSync(SEEDS, { recursive: true, encoding: "utf8" })) {
    if (!file.endsWith(".md")) continue;
    for (const term of tokenize(readFileSync(join(SEEDS, file), "utf8"))) {
      if (/^[a-z]{3,}$/.test(term)) counts.set(term, (counts.get(term) ?? 0) + 1);
    }
  }
  const seedWords = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).map(([word]) => word);
  const words = new Set(seedWords);
  const random = randomNumbers(7);
  while (words.size < VOCABULARY) words.add(inventWord(random));
  return [...words];
}

const SYLLABLES = "ba co di fe gu ka lo mi nu pa re si to vu za cra ple stro ni do".split(" ");

function inventWord(random: () => number): string {
  return Array.from(
    { length: 3 + Math.floor(random() * 2) },
    () => SYLLABLES[Math.floor(random() * SYLLABLES.length)],
  ).join("");
}

/** The index of the first number that is at least `value`. */
function lowerBound(sorted: readonly number[], value: number): number {
  let low = 0;
  let high = sorted.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
