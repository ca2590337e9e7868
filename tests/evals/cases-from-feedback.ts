// Owns how answers that people voted on become cases: what helped is expected again, what did not waits until somebody
// says what would have been right.

import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { z } from "zod";
import { votedTriageSchema } from "../../functions/routes/v1/feedback-list.ts";
import type { Dejavu } from "./runner/dejavu-client.ts";

export type Voted = z.infer<typeof votedTriageSchema>;

const pageSchema = z.object({ feedback: z.array(votedTriageSchema), next_cursor: z.string().nullable() });

/** More votes than this are more than anybody reviews. */
const MOST_PAGES = 20;

export interface VotesRead {
  /** Last said first. */
  readonly votes: Voted[];
  /** Whether there are older ones that were not read. */
  readonly isCut: boolean;
}

/** The votes on record. @throws Error with the problem in plain words */
export async function readVotes(dejavu: Pick<Dejavu, "get">): Promise<VotesRead> {
  const votes: Voted[] = [];
  let cursor: string | null = "";
  for (let page = 0; cursor !== null && page < MOST_PAGES; page++) {
    const after: string = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const { feedback, next_cursor } = pageSchema.parse(await dejavu.get(`/v1/feedback?limit=100${after}`));
    votes.push(...feedback);
    cursor = next_cursor;
  }
  return { votes, isCut: cursor !== null };
}

export interface FeedbackCase {
  readonly name: string;
  readonly yaml: string;
  readonly isForReview: boolean;
}

/** One case for each answer that was voted on; where people disagree, it is for review. Pure. */
export function casesOf(votes: readonly Voted[]): FeedbackCase[] {
  const byTriage = Map.groupBy(
    votes.filter(({ rating }) => rating !== "none"),
    ({ triage_id }) => triage_id,
  );
  return [...byTriage].flatMap(([triageId, all]) => {
    const [voted] = all;
    if (voted === undefined) return [];
    const down = all.filter(({ rating }) => rating === "down");
    const comments = down.flatMap(({ comment }) => (comment === null ? [] : [`“${comment}”`]));
    const voices = [
      `${down.length} of ${all.length} voted this answer down.`,
      ...(comments.length > 0 ? [`They said: ${comments.join(", ")}.`] : []),
      "Write below what is right, then take this line out.",
    ].join(" ");
    const isForReview = down.length > 0 || restsOn(voted) === "incident";
    const review = down.length > 0 ? voices : isForReview ? INCIDENT_REVIEW : undefined;
    const body = caseOf(voted, { review, isDown: down.length > 0 });
    return { name: `voted-${triageId.slice(0, 8)}.yaml`, yaml: stringify(body), isForReview };
  });
}

/** That incident is of one database: anywhere else, and once it is forgotten, nothing of it is found. */
const INCIDENT_REVIEW =
  "This answer rested on a past incident. Write that out as a step of `before` with `as:`, and name it below in place of the id, then take this line out.";

function runbooksOf({ sources }: Voted): string[] {
  return [...new Set(sources.flatMap(({ kind, source }) => (kind === "runbook" && source !== null ? [source] : [])))];
}

function restsOn(voted: Voted): "runbooks" | "incident" | "nothing" {
  if (runbooksOf(voted).length > 0) return "runbooks";
  return voted.sources.some(({ kind }) => kind === "incident") ? "incident" : "nothing";
}

function caseOf(voted: Voted, { review, isDown }: { readonly review: string | undefined; readonly isDown: boolean }) {
  const { title, question, target, severity, labels, logs, domain, outcome, sources, at } = voted;
  const rests = {
    runbooks: { runbooks: runbooksOf(voted) },
    incident: { incident: sources.find(({ kind }) => kind === "incident")?.id },
    nothing: {},
  }[restsOn(voted)];
  const isBareQuestion = question !== null && question === title;
  return {
    ...(review === undefined ? {} : { review }),
    description: `Voted ${isDown ? "down" : "up"} on ${at.slice(0, 10)}.`,
    category: restsOn(voted) === "incident" ? "memory" : "reasoning",
    domain,
    ask: {
      ...(isBareQuestion ? {} : { title }),
      ...(question === null ? {} : { question }),
      // Another name than the true one: asking again must not touch what is remembered of the failure itself.
      ...(target === null ? {} : { target: `${target.slice(0, 240)}-replayed` }),
      severity,
      ...(Object.keys(labels).length > 0 ? { labels } : {}),
      ...(logs === null ? {} : { logs }),
    },
    expect: !isDown ? { outcome, domain, ...rests } : {},
  };
}

/** Writes those that there is no file of yet. @returns how many were new */
export function writeCases(folder: string, cases: readonly FeedbackCase[]): number {
  mkdirSync(folder, { recursive: true });
  const fresh = cases.filter(({ name }) => !existsSync(join(folder, name)));
  for (const { name, yaml } of fresh) writeFileSync(join(folder, name), yaml, { flag: "wx" });
  return fresh.length;
}
