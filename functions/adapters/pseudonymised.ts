// Language models, rerankers and embedders that receive placeholders in the place of names.

import { createPseudonymiser, maskNames } from "../../lib/pseudonyms/pseudonymiser.ts";
import type { Embedder } from "./embedder.ts";
import type { LanguageModel, ModelRequest, ModelResult } from "./language-model.ts";
import type { Reranker } from "./reranker.ts";

/** For the model: without it, some models take a placeholder for a mistake and correct it. */
const ABOUT_PLACEHOLDERS =
  "Names such as pod-1, host-2, namespace-1, address-3 or user-1 stand for the real ones. Copy them letter by letter wherever you mean the same object, also in quotes and commands, and make up none.";

/** Hides the names in a request and puts them back into its answer. The map of one request is dropped with it. */
export function createPseudonymousModel(model: LanguageModel): LanguageModel {
  return {
    name: model.name,
    spanNames: model.spanNames,
    async ask<T>(request: ModelRequest<T>): Promise<ModelResult<T>> {
      const { turns, nameHints, onPartial, ...rest } = request;
      const instructions = `${request.instructions}\n\n${ABOUT_PLACEHOLDERS}`;
      const texts = turns.map(({ text }) => text);
      const names = createPseudonymiser(texts, nameHints);
      const result = await model.ask<T>({
        ...rest,
        instructions,
        turns: turns.map(({ role, text }) => ({ role, text: names.hide(text) })),
        onPartial: onPartial && ((value, attempt) => onPartial(restorePartial(value, names), attempt)),
      });
      if (!result.ok) return { ...result, error: names.restore(result.error), text: names.restore(result.text) };
      const value = mapLeaves(result.value, (leaf) => (typeof leaf === "string" ? names.restore(leaf) : leaf));
      const restored = request.schema.safeParse(value);
      // Only a schema that limits a text's length or form could refuse a name.
      return restored.success
        ? { ok: true, value: restored.data }
        : { ok: false, error: "A text is too long or has another form.", text: JSON.stringify(value) };
    },
  };
}

/** Masks the names in the query and the texts. A name that one of them shows is masked in all of them. */
export function createPseudonymousReranker(reranker: Reranker): Reranker {
  return {
    model: reranker.model,
    rerank(query, texts, limits) {
      const [maskedQuery = "", ...maskedTexts] = maskNames([query, ...texts], limits?.nameHints);
      return reranker.rerank(maskedQuery, maskedTexts, limits);
    },
  };
}

/** Masks the names in each text by itself: the same text always has the same vector. */
export function createPseudonymousEmbedder(embedder: Embedder): Embedder {
  return {
    model: embedder.model,
    dimensions: embedder.dimensions,
    scale: embedder.scale,
    embed: (texts, purpose) =>
      embedder.embed(
        texts.flatMap((text) => maskNames([text])),
        purpose,
      ),
    hideNames: maskNames,
  };
}

type Restorer = Pick<ReturnType<typeof createPseudonymiser>, "restore" | "restoreBeginning">;

/** A partial answer may end within a placeholder; all texts before its last value are complete. */
function restorePartial(value: unknown, { restore, restoreBeginning }: Restorer): unknown {
  let count = 0;
  mapLeaves(value, () => {
    count += 1;
  });
  let position = 0;
  return mapLeaves(value, (leaf) => {
    position += 1;
    if (typeof leaf !== "string") return leaf;
    return position === count ? restoreBeginning(leaf) : restore(leaf);
  });
}

/** Changes each value, in the order in which JSON writes them. Keys stay. Empty objects and lists are values too. */
function mapLeaves(value: unknown, change: (leaf: unknown) => unknown): unknown {
  if (Array.isArray(value) && value.length > 0) return value.map((item) => mapLeaves(item, change));
  if (typeof value !== "object" || value === null || Object.keys(value).length === 0) return change(value);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapLeaves(item, change)]));
}
