// Embedding cache of an isolate. During an alert storm the same texts are embedded again and again, and the embedding
// is the slowest part of a recall.

import { createHash } from "node:crypto";
import { setBounded } from "../bounded-map.ts";
import { DependencyError } from "../dependencies.ts";
import { type StartTimer, within } from "../timers.ts";
import type { Embedder, EmbeddingPurpose } from "./embedder.ts";

type Vector = readonly number[];

/** Numbers in all vectors, 8 bytes each: 4 MB of an isolate's 128 MB, or 500 texts of 1,024 dimensions. */
const MAX_NUMBERS = 512_000;
/**
 * Texts being embedded. A dropped call never settles and is removed only by this limit; a text evicted too early is
 * requested again.
 */
const MAX_IN_FLIGHT = 1_000;

/**
 * An embedder that requests each text from another embedder once. The least recently used texts are evicted first; the
 * key is a digest of the text and of its purpose. A caller joins a pending request for the same text, and shares its failure, which is not
 * cached. Joining lasts for a third of the timeout: then the request counts as dropped, and the first caller repeats it
 * for all.
 *
 * @param timeoutMs how long one caller waits for a text
 */
export function createCachedEmbedder(embedder: Embedder, timeoutMs: number, startTimer: StartTimer): Embedder {
  const { model, dimensions, scale, hideNames } = embedder;
  const cache = createVectorCache(dimensions);
  const joinTimeoutMs = Math.ceil(timeoutMs / 3);

  const inTime = (ms: number, answer: Promise<Vector>): Promise<Vector> =>
    within({ startTimer, name: "shared_embedding", ms }, answer, () => {
      throw new DependencyError("embedder", "timeout", `no answer within ${ms} ms`);
    });

  const embedOne = async (text: string, purpose?: EmbeddingPurpose): Promise<Vector> =>
    (await embedder.embed([text], purpose))[0] ?? [];

  /** Requests the new texts at once, so that they cost one request. @returns the vectors by key */
  const requestNew = (texts: readonly string[], purpose?: EmbeddingPurpose): ReadonlyMap<string, Promise<Vector>> => {
    const fresh = [...new Map(texts.map((text) => [keyOf(text, purpose), text]))].filter(([key]) => cache.isNew(key));
    if (fresh.length === 0) return new Map();
    const vectors = embedder.embed(
      fresh.map(([, text]) => text),
      purpose,
    );
    const vectorAt = async (i: number) => (await vectors)[i] ?? [];
    return new Map(fresh.map(([key], i) => [key, cache.request(key, vectorAt(i))]));
  };

  // A Worker drops pending work of a request when its caller disconnects. Its promise then never settles, so everyone
  // who waits for it needs a deadline.
  const vectorOf = async (text: string, purpose?: EmbeddingPurpose): Promise<Vector> => {
    const key = keyOf(text, purpose);
    let awaited: Promise<Vector> | undefined;
    for (let remainingMs = timeoutMs; ; remainingMs -= joinTimeoutMs) {
      const vector = cache.get(key);
      if (vector) return vector;
      const shared = cache.pending(key);
      if (shared === undefined || shared === awaited)
        return inTime(remainingMs, cache.request(key, embedOne(text, purpose), shared));
      try {
        return await inTime(Math.min(joinTimeoutMs, remainingMs), shared);
      } catch (error) {
        const isLate = error instanceof DependencyError && error.failure === "timeout";
        if (!isLate || remainingMs <= joinTimeoutMs) throw error;
        awaited = shared;
      }
    }
  };

  return {
    model,
    dimensions,
    scale,
    hideNames,
    embed: (texts, purpose) => {
      const own = requestNew(texts, purpose);
      const requested = (text: string) => {
        const request = own.get(keyOf(text, purpose));
        return request === undefined ? vectorOf(text, purpose) : inTime(timeoutMs, request);
      };
      return Promise.all(texts.map(async (text) => [...(await requested(text))]));
    },
  };
}

/** Vectors and the requests for vectors, by the key of the text. */
function createVectorCache(dimensions: number) {
  const maxTexts = Math.max(1, Math.floor(MAX_NUMBERS / dimensions));
  const vectors = new Map<string, Vector>();
  const pending = new Map<string, Promise<Vector>>();
  return {
    isNew: (key: string) => !vectors.has(key) && !pending.has(key),
    pending: (key: string) => pending.get(key),
    /** Marks the vector as used. */
    get(key: string): Vector | undefined {
      const vector = vectors.get(key);
      if (vector) setBounded(vectors, key, vector, maxTexts);
      return vector;
    },
    /** @param earlier request for the same text; it may only be slow, and its result is as good */
    request(key: string, answer: Promise<Vector>, earlier?: Promise<Vector>): Promise<Vector> {
      const own = answer.then((vector) => {
        setBounded(vectors, key, vector, maxTexts);
        return vector;
      });
      const shared = earlier ? Promise.race([own, earlier.catch(() => own)]) : own;
      setBounded(pending, key, shared, MAX_IN_FLIGHT);
      const removePending = () => {
        if (pending.get(key) === shared) pending.delete(key);
      };
      shared.then(removePending, removePending);
      return shared;
    },
  };
}

function keyOf(text: string, purpose: EmbeddingPurpose = "document"): string {
  return createHash("sha256").update(`${purpose} ${text}`).digest("base64");
}
