// The draft of a postmortem with sentences of a small model. Each of them is held to the facts that it cites.

import type { z } from "zod";
import { tokenize } from "../../../lib/text/tokenize.ts";
import { postmortem, statedFacts } from "../../incidents/reports/postmortem.ts";
import type { PostmortemFacts } from "../../incidents/reports/postmortem-facts.ts";
import { nameHints, truncate } from "../../schemas/incident.ts";
import { bareName, quotesText } from "../answer/verifier.ts";
import { askModel, asModelFailure, COMPRESS_TEMPERATURE } from "../model/ask-model.ts";
import { PROSE_INSTRUCTIONS, prosePrompt, proseSchema } from "../prompts/postmortem.ts";
import type { InvestigationServices } from "../run/investigation-services.ts";
import { createRun } from "../run/run.ts";
import { recordUsage, sanitiseModelText } from "./background-model.ts";

const MAX_MS = 10_000;
const MAX_OUTPUT_TOKENS = 1_000;
/** Bounds of the prompt. */
const MAX_FACTS = 100;
const MAX_FACT_LENGTH = 400;
/** Longer words have no term, so that nothing would hold them. */
const LONG_WORD = /\S{60}/;
const QUOTATION_MARK = /["`“”]/;
/** Stems that limit or reverse a statement. A sentence has those of its facts, neither more nor fewer. */
const LIMITING = new Set(
  tokenize("not no never without likely possible probable candidate rejected refuted undecided"),
);

/** As from stored facts alone where no model may be asked, the model fails or no sentence is held. Never throws a DependencyError. */
export async function writePostmortem(services: InvestigationServices, facts: PostmortemFacts): Promise<string> {
  const { models, config, log } = services;
  // With a daily token budget of their own, operators leave all tokens to triages.
  if (models === null || typeof config.DAILY_TOKEN_BUDGET === "number") return postmortem(facts);
  const run = createRun(services, {});
  const stated = statedFacts(facts)
    .slice(0, MAX_FACTS)
    .map((fact) => truncate(fact, MAX_FACT_LENGTH));
  try {
    const { summary, impact, cause } = await askModel(models, run, {
      step: "postmortem",
      role: "small",
      instructions: PROSE_INSTRUCTIONS,
      prompt: prosePrompt(stated),
      nameHints: [facts.incident, ...facts.services.first.map(({ target }) => ({ target, labels: {} }))].flatMap(
        nameHints,
      ),
      schema: proseSchema,
      retries: 0,
      maxOutputTokens: MAX_OUTPUT_TOKENS,
      temperature: COMPRESS_TEMPERATURE,
      reserved: 0,
      maxMs: MAX_MS,
    });
    const keep = (sentences: readonly Sentence[]) => heldSentences(sentences, stated);
    return postmortem(facts, { summary: keep(summary), impact: keep(impact), cause: keep(cause) });
  } catch (error) {
    log("warn", "postmortem.prose_failed", { run_id: run.id, error: asModelFailure(error).message });
    return postmortem(facts);
  } finally {
    await recordUsage(services, run, facts.incident.id);
  }
}

type Sentence = z.infer<typeof proseSchema>["summary"][number];

/** The sentences whose words stand in the facts that they cite: F1 is the first. */
export function heldSentences(sentences: readonly Sentence[], facts: readonly string[]): string[] {
  return sentences.flatMap(({ citations, text }) => {
    const cited = citations.map((name) => facts[Number(bareName(name).slice(1)) - 1]);
    const source = cited.join("\n");
    const sourceTerms = new Set(tokenize(source));
    const terms = new Set(tokenize(text));
    const isHeld =
      terms.size > 0 &&
      !cited.includes(undefined) &&
      !LONG_WORD.test(text) &&
      [...terms].every((term) => sourceTerms.has(term)) &&
      [...LIMITING].every((term) => sourceTerms.has(term) === terms.has(term)) &&
      text.split(QUOTATION_MARK).every((part, i) => i % 2 === 0 || quotesText(source, part));
    return isHeld ? [sanitiseModelText(text)].filter((plain) => plain !== "") : [];
  });
}
