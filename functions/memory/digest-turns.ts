// Shortens the turns of a session to one text without a model, best rated first. Pure functions.

import { truncate } from "../schemas/incident.ts";
import type { StoredTurn } from "./session-summary.ts";

type Turn = Pick<StoredTurn, "question" | "answer" | "rating" | "createdAt">;

const QUESTION_LENGTH = 160;
const ANSWER_LENGTH = 300;

/**
 * `Q: …` and `A: …` lines in chronological order. A repeated question counts once, with its best rated and then newest
 * answer. Turns that do not fit are left out, the worst rated and oldest first.
 *
 * @param length maximum number of characters
 */
export function digestTurns(turns: readonly Turn[], length: number): string {
  const kept = new Map<string, { readonly turn: Turn; readonly text: string }>();
  let free = length;
  for (const turn of turns.toSorted(byRating)) {
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

function byRating(a: Turn, b: Turn): number {
  return b.rating - a.rating || byTime(b, a);
}

function byTime(a: Turn, b: Turn): number {
  return a.createdAt.getTime() - b.createdAt.getTime();
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
