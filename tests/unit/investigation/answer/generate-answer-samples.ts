// Answers generated from scripted replies of the models.

import { DependencyError } from "../../../../functions/dependencies.ts";
import { createAnswerContext } from "../../../../functions/investigation/answer/answer-context.ts";
import { generateAnswer } from "../../../../functions/investigation/answer/generate-answer.ts";
import type { TriageEvent } from "../../../../functions/investigation/run/events.ts";
import { createRun } from "../../../../functions/investigation/run/run.ts";
import { NOTHING_OBSERVED } from "../../../../functions/schemas/live-evidence.ts";
import {
  modelsOf,
  type Reply,
  recallOf,
  sampleDraft,
  sampleIncident,
  samplePastIncident,
  sampleRunbook,
  sampleServices,
  scriptedModel,
} from "../samples.ts";

export const RECALLED = recallOf({
  runbooks: [sampleRunbook("# Killed\n\nThe kernel killed it. See https://docs.docker.com/engine.\n")],
  incidents: [samplePastIncident("past-1", { resolution: "More memory." })],
});
const TURNS = [{ question: "What was it yesterday?", answer: "The disk." }];

export const FIRST = sampleDraft();
export const SECOND = {
  ...sampleDraft({ summary: { citations: ["R1"], text: "Improved." } }),
  changes: "Named the limit.",
};
export const critic = (score: number, feedback = `Feedback of ${score}.`) => ({ feedback, score });
export const BUSY = new DependencyError("language_model", "busy", "the server answered 529");

export interface Scripts {
  readonly answer?: readonly Reply[];
  readonly small: readonly Reply[];
  readonly environment?: Record<string, string>;
  /** Tokens that are left for the run. */
  readonly tokens?: number;
}

/** Generates an answer with scripted replies; returns the value or the error, and all requests. */
export async function attempt(scripts: Scripts) {
  const { answer: replies = [FIRST, SECOND], small: criticisms, environment = {}, tokens } = scripts;
  const answer = scriptedModel(replies, "test:answer");
  const small = scriptedModel(criticisms, "test:small");
  const models = modelsOf(answer, small);
  const services = sampleServices({ models, environment });
  const events: TriageEvent[] = [];
  const run = createRun(services, { emit: (event) => events.push(event) });
  if (tokens !== undefined) run.limitTokens(tokens);
  const context = createAnswerContext(services, {
    models,
    run,
    incident: sampleIncident(),
    recalled: RECALLED,
    live: { ...NOTHING_OBSERVED, changes: { reported: true, recent: [] } },
    sessionNames: [],
    turns: TURNS,
  });
  const outcome = await generateAnswer(context).then(
    (value) => ({ value, error: undefined }),
    (error: unknown) => ({ value: undefined, error }),
  );
  return { ...outcome, events, answer: answer.requests, small: small.requests, usage: run.usage() };
}

/** The parts of a generated answer that the rules decide. */
export async function decided(scripts: Scripts) {
  const { value, error, answer, small } = await attempt(scripts);
  if (value === undefined) throw error;
  const { drafted, ...rest } = value;
  return { ...rest, summary: drafted.answer.summary.text, calls: [answer.length, small.length] };
}

export const ORIGINAL = "It was killed at its memory limit.";
