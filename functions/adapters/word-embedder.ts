// The built-in embedder: a table of word vectors in the Worker, which sends no text to anybody.

import { wordVectors } from "../../lib/embedding/shipped-vectors.ts";
import type { Embedder, RelevanceScale } from "./embedder.ts";

/** Cosines of 0.04 and 0.68: the median of reports of different failures, and what two wordings of one seldom pass. */
const SCALE: RelevanceScale = { unrelated: 0.52, close: 0.84 };

/** Never throws and never waits. */
export function createWordEmbedder(): Embedder {
  const { version, dimensions, embed } = wordVectors;
  return {
    model: `word-vectors-${version.toString(16).padStart(8, "0")}`,
    dimensions,
    scale: SCALE,
    async embed(texts) {
      return texts.map((text) => [...embed(text)]);
    },
  };
}
