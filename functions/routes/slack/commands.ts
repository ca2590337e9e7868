// Parses Slack commands. Pure functions.

import type { TriageRequest } from "../../incidents/create-incident.ts";
import { incidentDigits } from "../../incidents/incident-records.ts";
import { readReport } from "../../incidents/read-report.ts";

export type Command =
  | { readonly name: "help" }
  /** Asks for a link that signs the person in to the console. */
  | { readonly name: "console" }
  | { readonly name: "triage"; readonly text: string }
  | { readonly name: "similar"; readonly text: string }
  /** `incident`: the first digits of its id, see `incidentDigits`. */
  | { readonly name: "status"; readonly incident: string }
  | { readonly name: "resolve"; readonly incident: string; readonly resolution: string }
  /** A command without a required argument, or with too few digits of an incident. */
  | { readonly name: "unclear"; readonly meant: "similar" | "status" | "resolve" };

/** Characters; the same limits as in the API. */
const MAX_QUESTION = 4_000;
const MAX_RESOLUTION = 4_000;

/** Text that begins with no command name is triaged. @param text as the person saw it */
export function readCommand(text: string): Command {
  const [first, rest] = afterFirstWord(text.trim());
  const [second, third] = afterFirstWord(rest);
  switch (first.toLowerCase()) {
    case "":
      return { name: "help" };
    case "help":
      if (rest === "") return { name: "help" };
      break;
    case "console":
      if (rest === "") return { name: "console" };
      break;
    case "similar":
      return rest === "" ? { name: "unclear", meant: "similar" } : { name: "similar", text: cut(rest, MAX_QUESTION) };
    case "status": {
      // "status page down" reports an incident.
      if (third !== "") break;
      const incident = incidentDigits(second);
      return incident === undefined ? { name: "unclear", meant: "status" } : { name: "status", incident };
    }
    case "resolve": {
      const incident = incidentDigits(second);
      if (incident === undefined || third === "") return { name: "unclear", meant: "resolve" };
      return { name: "resolve", incident, resolution: cut(third, MAX_RESOLUTION) };
    }
  }
  return { name: "triage", text: text.trim() };
}

/**
 * A first line that a person wrote is the question, the others are logs. Of a pasted text the headline is the title, and
 * all of it logs: the guardrails reject an instruction in a question, but only remove one from a title and from logs.
 */
export function triageRequestOf(text: string, sessionId: string): TriageRequest {
  const { title, logs, isWritten } = readReport(text, { isTyped: true }) ?? {
    title: cut(text, MAX_QUESTION),
    logs: undefined,
    isWritten: true,
  };
  return {
    ...(isWritten ? { question: title } : { title }),
    ...(logs === undefined ? {} : { logs }),
    session_id: sessionId,
    reportedBy: "slack",
  };
}

/** A session id of 1 to 128 characters: one for each thread, or for the channel if Slack sends no thread. */
export function sessionIdOf(place: {
  readonly team: string;
  readonly channel: string;
  readonly thread?: string | undefined;
}): string {
  const parts = ["slack", place.team, place.channel, ...(place.thread === undefined ? [] : [place.thread])];
  return parts
    .join("-")
    .replace(/[^A-Za-z0-9._:-]/g, "_")
    .slice(0, 128);
}

function afterFirstWord(text: string): readonly [word: string, rest: string] {
  const [word = ""] = /^\S*/.exec(text) ?? [];
  return [word, text.slice(word.length).trimStart()];
}

function cut(text: string, length: number): string {
  return text.slice(0, length).toWellFormed();
}
