// Owns what an isolate keeps in mind of embeddings: a storm asks the same again and again, and an embedding is the
// slowest part of a recall.

import { createHash } from "node:crypto";
import { setBounded } from "../bounded-map.ts";
import { callDependency, DependencyError } from "../dependencies.ts";
import type { Embedder } from "./embedder.ts";

type Vector = readonly number[];

/** Of all vectors together, 8 bytes each: 4 MB of the 128 that an isolate has; 1,000 texts of 512 dimensions. */
const MAX_NUMBERS = 512_000;
/** Texts being embedded. A dropped call never ends and leaves only by this; one pushed out too early is asked twice. */
const MAX_IN_FLIGHT = 1_000;

/**
 * An embedder that asks another one for each text once. The texts used longest ago leave first; a text is kept as its
 * digest. Who asks for a text that is just being embedded waits for that, and has its failure, which is not kept. He waits
 * for a third of his time: then the call counts as dropped, and the first whose patience ends asks anew, for all.
 *
 * @param timeoutMs how long anybody waits for a text, whoever asks for it
 */
export function createCachedEmbedder(embedder: Embedder, timeoutMs: number): Embedder {
  const { model, dimensions } = embedder;
  const most = Math.max(1, Math.floor(MAX_NUMBERS / dimensions));
  const joinTimeoutMs = Math.ceil(timeoutMs / 3);
  const known = new Map<string, Vector>();
  const underWay = new Map<string, Promise<Vector>>();

  const ask = (key: string, text: string, earlier: Promise<Vector> | undefined): Promise<Vector> => {
    const own = embedder.embed([text]).then(([vector = []]) => {
      setBounded(known, key, vector, most);
      return vector;
    });
    // The earlier call may only be slow: its answer is as good.
    const asked = earlier ? Promise.race([own, earlier.catch(() => own)]) : own;
    setBounded(underWay, key, asked, MAX_IN_FLIGHT);
    const forget = () => {
      if (underWay.get(key) === asked) underWay.delete(key);
    };
    asked.then(forget, forget);
    return asked;
  };

  // A Worker drops what a request has under way when its caller hangs up: its promise then never settles, and everybody
  // who waits for it needs a deadline of his own.
  const vectorOf = async (text: string): Promise<Vector> => {
    const key = createHash("sha256").update(text).digest("base64");
    let awaited: Promise<Vector> | undefined;
    for (let leftMs = timeoutMs; ; leftMs -= joinTimeoutMs) {
      const vector = known.get(key);
      if (vector) {
        setBounded(known, key, vector, most);
        return vector;
      }
      const asked = underWay.get(key);
      if (asked === undefined || asked === awaited) return within(leftMs, ask(key, text, asked));
      try {
        return await within(Math.min(joinTimeoutMs, leftMs), asked);
      } catch (error) {
        const isLate = error instanceof DependencyError && error.failure === "timeout";
        if (!isLate || leftMs <= joinTimeoutMs) throw error;
        awaited = asked;
      }
    }
  };

  const copyOf = async (text: string): Promise<number[]> => [...(await vectorOf(text))];
  return { model, dimensions, embed: (texts) => Promise.all(texts.map(copyOf)) };
}

function within(timeoutMs: number, answer: Promise<Vector>): Promise<Vector> {
  return callDependency({ dependency: "embedder", timeoutMs, retries: 0 }, () => answer);
}
