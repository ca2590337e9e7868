// The answer to a question about the session itself: it quotes the session's turns and summaries, and claims nothing.

import { type DependencyError, settle } from "../dependencies.ts";
import { isSessionQuestion } from "../incidents/session-question.ts";
import { digestSession, pastAnswersOfSession, readSession, type SessionRecord } from "../memory/session-record.ts";
import { EMPTY_ANSWER } from "../schemas/answer.ts";
import type { Incident } from "../schemas/incident.ts";
import type { FinalAnswer } from "./answer/final-answer.ts";
import { NOTHING_RECALLED, type Recall } from "./recall/recall-result.ts";
import type { InvestigationServices } from "./run/investigation-services.ts";

export interface Recap {
  readonly recalled: Recall;
  readonly finalAnswer: FinalAnswer;
  /** The database failed, so the session could not be read. */
  readonly failure: DependencyError | null;
}

/** Quoted characters. A message of a chat shows the beginning, which is the newest turn. */
const RECAP_LENGTH = 6_000;
const NOTHING_TO_RECAP =
  "There is nothing to recap: this session has no past answers. Ask in the session of the earlier questions, or describe the failure.";
const UNREADABLE = "The past answers of this session cannot be read at the moment. Ask again.";

/** Undefined for a report that is no question about its session. Never throws a DependencyError. */
export async function recapSession(services: InvestigationServices, incident: Incident): Promise<Recap | undefined> {
  if (!isSessionQuestion(incident)) return undefined;
  const { database, config, now, log } = services;
  const read = await settle(readSession(database, incident.sessionId));
  if (!read.ok) {
    log("warn", "session.recap_failed", { error: read.error.message });
    return { recalled: NOTHING_RECALLED, finalAnswer: recapAnswer(UNREADABLE, []), failure: read.error };
  }
  const pastAnswers = pastAnswersOfSession(read.value, incident.sessionId, {
    now: now(),
    halfLifeDays: config.TIME_DECAY_HALFLIFE_DAYS,
    sessionBoost: config.SESSION_BOOST,
  });
  return {
    recalled: { ...NOTHING_RECALLED, pastAnswers },
    finalAnswer: createRecapAnswer(read.value),
    failure: null,
  };
}

/** Outcome `unknown`: a recap names no cause of its own. */
export function createRecapAnswer(session: SessionRecord): FinalAnswer {
  const { turns, summaries } = session;
  const cited = [...turns, ...summaries].map(({ id }) => id);
  if (cited.length === 0) return recapAnswer(NOTHING_TO_RECAP, []);
  const content = [
    ...(turns.length === 0 ? [] : [counted(turns.length, "past answer", "past answers")]),
    ...(summaries.length === 0 ? [] : [counted(summaries.length, "summary", "summaries")]),
  ].join(" and ");
  return recapAnswer(
    `Recap of ${content} of this session, newest first:\n\n${digestSession(session, RECAP_LENGTH)}`,
    cited,
  );
}

function recapAnswer(text: string, citations: string[]): FinalAnswer {
  return {
    mode: "extractive",
    outcome: "unknown",
    confidence: 0,
    answer: { ...EMPTY_ANSWER, summary: { text, citations } },
    removed: { citations: 0, links: 0, statements: 0 },
    critique: null,
  };
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}
