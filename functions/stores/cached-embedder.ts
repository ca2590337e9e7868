// Owns what an isolate keeps in mind of embeddings: a storm asks the same again and again, and an embedding is the
// slowest part of a recall.

import { createHash } from "node:crypto";
import { setBounded } from "../bounded.ts";
import type { Embedder } from "./embedder.ts";
import { callOutside, OutsideError } from "./outside.ts";

/** Of all vectors together, 8 bytes each: 4 MB of the 128 that an isolate has; 1,000 texts of 512 dimensions. */
const MOST_NUMBERS = 512_000;

/**
 * An embedder that asks another one for each text once. The texts used longest ago leave first; a text is kept as its
 * digest. Who asks for a text that is just being embedded waits for that, and has its failure, which is not kept.
 *
 * @param timeoutMs how long to wait for a text that somebody else has asked for
 */
export function createCachedEmbedder(embedder: Embedder, timeoutMs: number): Embedder {
  const { model, dimensions } = embedder;
  const most = Math.max(1, Math.floor(MOST_NUMBERS / dimensions));
  const known = new Map<string, readonly number[]>();
  const underWay = new Map<string, Promise<readonly number[]>>();

  const ask = (key: string, text: string): Promise<readonly number[]> => {
    const asked = embedder.embed([text]).then(([vector = []]) => vector);
    underWay.set(key, asked);
    return asked.finally(() => {
      if (underWay.get(key) === asked) underWay.delete(key);
    });
  };

  // A Worker drops what a request has under way when its caller hangs up: its promise then never settles, and everybody
  // who waits for it needs a deadline of his own.
  const waitFor = async (key: string, asked: Promise<readonly number[]>): Promise<readonly number[]> => {
    try {
      return await callOutside({ system: "embeddings", timeoutMs, retries: 0 }, () => asked);
    } catch (error) {
      if (error instanceof OutsideError && error.failure === "timeout" && underWay.get(key) === asked)
        underWay.delete(key);
      throw error;
    }
  };

  const vectorOf = async (text: string): Promise<number[]> => {
    const key = createHash("sha256").update(text).digest("base64");
    const asked = underWay.get(key);
    const vector = known.get(key) ?? (await (asked ? waitFor(key, asked) : ask(key, text)));
    setBounded(known, key, vector, most);
    return [...vector];
  };

  return { model, dimensions, embed: (texts) => Promise.all(texts.map(vectorOf)) };
}
