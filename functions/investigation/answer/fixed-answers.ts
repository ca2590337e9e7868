// Answers that need no search: to heartbeats, test alerts and prompt injections, and to reports of a healthy system. Pure
// functions.

import type { InjectionCategory } from "../../../lib/injection/injection-category.ts";
import { EMPTY_ANSWER } from "../../schemas/answer.ts";
import type { Incident } from "../../schemas/incident.ts";
import { EXTRACTIVE, type FinalAnswer } from "./final-answer.ts";
import { reportEvidence, stateEvidence } from "./report-evidence.ts";

/** Confidence that a heartbeat or a test alert is no incident. Less than 1: a label or a title may be wrong. */
const BENIGN_CONFIDENCE = 0.99;
/** Confidence that a report of a healthy system is no incident: the evidence may be of another object. */
const HEALTHY_CONFIDENCE = 0.9;

/** The answer to a heartbeat or test alert, without a search. */
export function createBenignAnswer(reason: string, incident: Incident): FinalAnswer {
  const summary = { text: `No incident: ${reason}.`, citations: [] };
  const answer = { ...EMPTY_ANSWER, summary, evidence: reportEvidence(incident) };
  return { ...EXTRACTIVE, outcome: "benign", confidence: BENIGN_CONFIDENCE, answer };
}

/** The answer to evidence of a healthy or recovered system; undefined for other evidence. */
export function createHealthyAnswer(incident: Incident): FinalAnswer | undefined {
  const { state } = incident.evidence;
  if (state === null || state.name === "nothing_found") return undefined;
  const finding = state.name === "healthy" ? "a working system" : "that the failure is over";
  const summary = { text: `No incident: the report shows ${finding}: "${state.quote}".`, citations: [] };
  const answer = { ...EMPTY_ANSWER, summary, evidence: stateEvidence(incident) };
  return { ...EXTRACTIVE, outcome: "benign", confidence: HEALTHY_CONFIDENCE, answer };
}

/** The refusal of a question that tries to instruct a model, with confidence 0. */
export function createBlockedAnswer(category: InjectionCategory): FinalAnswer {
  const text = `This question was not answered: it looks like an instruction to a model (${category}). Ask what is wrong in other words.`;
  const answer = { ...EMPTY_ANSWER, summary: { text, citations: [] } };
  return { ...EXTRACTIVE, outcome: "unknown", confidence: 0, answer };
}
