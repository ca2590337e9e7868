// Turns rated answers into cases: an answer that was rated up is expected again; of one that was rated down, the runbook that
// a person chose instead, else the case waits until a person writes the right answer.

import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { z } from "zod";
import { feedbackEntrySchema } from "../functions/routes/v1/feedback-list.ts";
import type { Dejavu } from "./runner/dejavu-client.ts";

export type RatedAnswer = z.infer<typeof feedbackEntrySchema>;

const pageSchema = z.object({ feedback: z.array(feedbackEntrySchema), next_cursor: z.string().nullable() });

/** Pages of 100 ratings; nobody reviews more cases than that. */
const MAX_PAGES = 20;

export interface StoredRatings {
  /** Newest first. */
  readonly ratings: RatedAnswer[];
  /** Whether older ratings were left out. */
  readonly isTruncated: boolean;
}

/** The newest stored ratings. @throws Error with the problem that the API reports */
export async function readRatings(dejavu: Pick<Dejavu, "get">): Promise<StoredRatings> {
  const ratings: RatedAnswer[] = [];
  let cursor: string | null = "";
  for (let page = 0; cursor !== null && page < MAX_PAGES; page++) {
    const after: string = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const { feedback, next_cursor } = pageSchema.parse(await dejavu.get(`/v1/feedback?limit=100${after}`));
    ratings.push(...feedback);
    cursor = next_cursor;
  }
  return { ratings, isTruncated: cursor !== null };
}

export interface FeedbackCase {
  /** File name. */
  readonly name: string;
  readonly yaml: string;
  /** The case has a line `review` and does not run before a person has removed it. */
  readonly needsReview: boolean;
}

/** One case for each rated answer. One down rating is enough to need a review. Pure. */
export function casesOf(ratings: readonly RatedAnswer[]): FeedbackCase[] {
  const byTriage = Map.groupBy(
    ratings.filter(({ rating }) => rating !== "none"),
    ({ triage_id }) => triage_id,
  );
  return [...byTriage].flatMap(([triageId, all]) => {
    const [rated] = all;
    if (rated === undefined) return [];
    const down = all.filter(({ rating }) => rating === "down");
    const corrections = down.flatMap((each) => each.corrections);
    const runbook = corrections.find(({ part }) => part === "runbook")?.right;
    const comments = down.flatMap(({ comment }) => (comment === null ? [] : [`“${comment}”`]));
    const downReview = [
      `${down.length} of ${all.length} people rated this answer down.`,
      ...(comments.length > 0 ? [`Comments: ${comments.join(", ")}.`] : []),
      ...(corrections.length > 0 ? [`Wrong: ${corrections.map(correctionText).join("; ")}.`] : []),
      "Write the right answer below, then remove this line.",
    ].join(" ");
    const isCorrected = runbook !== undefined;
    const needsReview = !isCorrected && (down.length > 0 || citedKind(rated) === "incident");
    const review = !needsReview ? undefined : down.length > 0 ? downReview : INCIDENT_REVIEW;
    const body = caseOf(rated, { review, isDown: down.length > 0, runbook });
    return { name: `rated-${triageId.slice(0, 8)}.yaml`, yaml: stringify(body), needsReview };
  });
}

function correctionText({ part, was, right }: RatedAnswer["corrections"][number]): string {
  return `${part}${was === undefined ? "" : ` “${was}”`}${right === undefined ? "" : `, right: “${right}”`}`;
}

/** The id of an incident is valid in one database only, and only until the incident is deleted. */
const INCIDENT_REVIEW =
  "This answer cites a past incident. Add that incident as a step of `before` with `as:`, replace the id below by that name, then remove this line.";

function runbooksOf({ sources }: RatedAnswer): string[] {
  return [...new Set(sources.flatMap(({ kind, source }) => (kind === "runbook" && source !== null ? [source] : [])))];
}

function citedKind(rated: RatedAnswer): "runbooks" | "incident" | "nothing" {
  if (runbooksOf(rated).length > 0) return "runbooks";
  return rated.sources.some(({ kind }) => kind === "incident") ? "incident" : "nothing";
}

function caseOf(
  rated: RatedAnswer,
  {
    review,
    isDown,
    runbook,
  }: { readonly review: string | undefined; readonly isDown: boolean; readonly runbook: string | undefined },
) {
  const { title, question, target, severity, labels, logs, domain, outcome, sources, at } = rated;
  const expectedSources = {
    runbooks: { runbooks: runbooksOf(rated) },
    incident: { incident: sources.find(({ kind }) => kind === "incident")?.id },
    nothing: {},
  }[citedKind(rated)];
  const isBareQuestion = question !== null && question === title;
  const corrected = runbook === undefined ? {} : { outcome: "cause", runbooks: [runbook] };
  return {
    ...(review === undefined ? {} : { review }),
    description: `Rated ${isDown ? "down" : "up"} on ${at.slice(0, 10)}.`,
    category: citedKind(rated) === "incident" ? "memory" : "reasoning",
    domain,
    ask: {
      ...(isBareQuestion ? {} : { title }),
      ...(question === null ? {} : { question }),
      // With the original target the trial would count as a repeat of the real incident and change its record.
      ...(target === null ? {} : { target: `${target.slice(0, 240)}-replayed` }),
      severity,
      ...(Object.keys(labels).length > 0 ? { labels } : {}),
      ...(logs === null ? {} : { logs }),
    },
    expect: isDown ? corrected : { outcome, domain, ...expectedSources },
  };
}

/** Writes the cases that have no file yet. @returns the number of new files */
export function writeCases(folder: string, cases: readonly FeedbackCase[]): number {
  mkdirSync(folder, { recursive: true });
  const added = cases.filter(({ name }) => !existsSync(join(folder, name)));
  for (const { name, yaml } of added) writeFileSync(join(folder, name), yaml, { flag: "wx" });
  return added.length;
}
