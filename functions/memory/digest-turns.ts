// Owns how many turns of a session become one short text without a model: what helped is kept first. Pure.

import { truncate } from "../schemas/incident.ts";
import type { RememberedTurn } from "./session-summary.ts";

type Turn = Pick<RememberedTurn, "question" | "answer" | "rating" | "createdAt">;

const QUESTION_LENGTH = 160;
const ANSWER_LENGTH = 300;

/**
 * `Q: …` and `A: …` lines in the order of time. A question that was asked again counts once, with its best rated and
 * then newest answer. What does not fit is left out, the least helpful and oldest first.
 *
 * @param length characters of the whole text, at most
 */
export function digestTurns(turns: readonly Turn[], length: number): string {
  const kept = new Map<string, { readonly turn: Turn; readonly text: string }>();
  let free = length;
  for (const turn of turns.toSorted(byWorth)) {
    const question = oneLine(turn.question);
    const text = `Q: ${truncate(question, QUESTION_LENGTH)}\nA: ${truncate(oneLine(turn.answer), ANSWER_LENGTH)}`;
    const key = question.toLowerCase();
    if (kept.has(key) || text.length > free) continue;
    kept.set(key, { turn, text });
    free -= text.length + 1;
  }
  return [...kept.values()]
    .toSorted((a, b) => byTime(a.turn, b.turn))
    .map(({ text }) => text)
    .join("\n");
}

function byWorth(a: Turn, b: Turn): number {
  return b.rating - a.rating || byTime(b, a);
}

function byTime(a: Turn, b: Turn): number {
  return a.createdAt.getTime() - b.createdAt.getTime();
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
