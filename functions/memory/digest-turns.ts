// Shortens the turns of a session to one text without a model. Each turn gets a fair share. Pure functions.

import { type Block, fitBlocks } from "../../lib/text/fit-blocks.ts";
import { outcomeText } from "../answer-view/outcome-name.ts";
import { FIXED_BY, UNANSWERED } from "./past-answers.ts";
import type { StoredTurn } from "./session-summary.ts";

/** The parts of a turn that a digest shows. */
export type DigestedTurn = Pick<StoredTurn, "question" | "answer" | "rating" | "createdAt" | "findings">;

/**
 * Each turn as a block of lines, in chronological order: question, error lines, outcome, the cause if one was believed,
 * what was ruled out, and the fix. A repeated turn appears once, with its count.
 *
 * @param length maximum number of characters
 */
export function digestTurns(turns: readonly DigestedTurn[], length: number): string {
  const distinct = distinctTurns(turns);
  const inOrder = distinct.toSorted((a, b) => byTime(a.turn, b.turn)).map(({ block }) => block);
  const byImportance = distinct.toSorted((a, b) => byRating(a.turn, b.turn)).map(({ block }) => block);
  return fitBlocks(inOrder, length, byImportance);
}

/** The blocks of the turns, newest first. */
export function turnBlocks(turns: readonly DigestedTurn[]): Block[] {
  return distinctTurns(turns)
    .toSorted((a, b) => byTime(b.turn, a.turn))
    .map(({ block }) => block);
}

/** The blocks of a stored digest, or the paragraphs of a model's summary. Their first lines are kept first. */
export function summaryBlocks(summary: string): Block[] {
  return summary
    .split(/\n{2,}/)
    .filter((paragraph) => paragraph.trim() !== "")
    .map((paragraph) =>
      paragraph.split("\n").map((text, rank) => ({ label: "", text: text.trim(), rank, cut: "sentences" as const })),
    );
}

interface DistinctTurn {
  readonly turn: DigestedTurn;
  readonly block: Block;
}

/** Turns with the same text count once. The newest stands for them. */
function distinctTurns(turns: readonly DigestedTurn[]): DistinctTurn[] {
  const groups = new Map<string, DigestedTurn[]>();
  for (const turn of turns.toSorted((a, b) => byTime(b, a))) {
    const key = JSON.stringify(blockOf(turn, 1).map(({ label, text }) => [label, text.toLowerCase()]));
    groups.set(key, [...(groups.get(key) ?? []), turn]);
  }
  return [...groups.values()].flatMap(([turn, ...repeats]) =>
    turn === undefined ? [] : [{ turn, block: blockOf(turn, repeats.length + 1) }],
  );
}

/** Ranks: the outcome and the fix, one line of each kind, then the others. */
function blockOf(turn: DigestedTurn, count: number): Block {
  const { findings, rating } = turn;
  const times = count === 1 ? "" : ` (asked ${count} times)`;
  const conclusion = conclusionOf(turn);
  const fix = findings?.fix ?? null;
  return [
    { label: "Q: ", text: oneLine(turn.question) + times, rank: 0, cut: "sentences" },
    ...(findings?.errorLines ?? []).map((line, i) => ({
      // The lines of a benign report show a working system.
      label: findings?.outcome === "benign" ? "Evidence: " : "Error: ",
      text: line,
      rank: i === 0 ? 3 : 6 + i,
      cut: i === 0 ? ("words" as const) : ("whole" as const),
    })),
    ...(findings === null ? [] : [outcomeLine(findings, rating)]),
    ...(conclusion === "" ? [] : [{ label: "A: ", text: conclusion, rank: 5, cut: "sentences" as const }]),
    ...(findings?.ruledOut ?? []).map((text, i) => ({
      label: "Ruled out: ",
      text: oneLine(text),
      rank: i === 0 ? 4 : 6.5 + i,
      cut: "sentences" as const,
    })),
    ...(fix === null ? [] : [{ label: "Fixed by: ", text: oneLine(fix), rank: 2, cut: "sentences" as const }]),
  ];
}

function outcomeLine({ outcome, confidence }: NonNullable<DigestedTurn["findings"]>, rating: number): Block[number] {
  const ratings = rating === 0 ? "" : `, rated ${rating > 0 ? "+" : ""}${rating}`;
  return {
    label: "Outcome: ",
    text: `${outcomeText(outcome, confidence)}${ratings}`,
    rank: 1,
    cut: "whole",
  };
}

/** The stored answer without the fix, which has its own line. Without a believed cause, the outcome says all of it. */
function conclusionOf({ answer, findings }: DigestedTurn): string {
  if (findings === null) return oneLine(answer);
  const own =
    findings.fix !== null && answer.startsWith(FIXED_BY) ? answer.slice(FIXED_BY.length + findings.fix.length) : answer;
  const isBelieved = findings.outcome === "cause" || findings.outcome === "benign";
  return isBelieved && own.trim() !== UNANSWERED ? oneLine(own) : "";
}

function byRating(a: DigestedTurn, b: DigestedTurn): number {
  return b.rating - a.rating || byTime(b, a);
}

function byTime(a: DigestedTurn, b: DigestedTurn): number {
  return a.createdAt.getTime() - b.createdAt.getTime();
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
