// Owns what people can ask for in Slack, and how their words are read as one of these commands. Pure.

import type { TriageRequest } from "../../incidents/create-incident.ts";
import { incidentDigits } from "../../incidents/find-incident.ts";

export type Command =
  | { readonly name: "help" }
  | { readonly name: "triage"; readonly text: string }
  | { readonly name: "similar"; readonly text: string }
  /** `incident`: the digits of its name, see `incidentDigits`. */
  | { readonly name: "status"; readonly incident: string }
  | { readonly name: "resolve"; readonly incident: string; readonly resolution: string }
  /** A command that lacks something, or names an incident by too little. */
  | { readonly name: "unclear"; readonly meant: "similar" | "status" | "resolve" };

/** The same limits as those of the API. */
const MAX_QUESTION = 4_000;
const MAX_RESOLUTION = 4_000;

/** Whatever begins with no command's name is a text to triage. @param text as the person saw it */
export function readCommand(text: string): Command {
  const [first, rest] = afterFirstWord(text.trim());
  const [second, third] = afterFirstWord(rest);
  switch (first.toLowerCase()) {
    case "":
      return { name: "help" };
    case "help":
      if (rest === "") return { name: "help" };
      break;
    case "similar":
      return rest === "" ? { name: "unclear", meant: "similar" } : { name: "similar", text: cut(rest, MAX_QUESTION) };
    case "status": {
      // "status page down" is an incident and not the question for one.
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
 * The first line is what the person asks, the lines under it are what he pasted: an instruction in a question is
 * refused, and one in a log only cut out.
 */
export function triageRequestOf(text: string, sessionId: string): TriageRequest {
  const [first = "", ...others] = text.split(/\r?\n/);
  const isLong = first.length > MAX_QUESTION;
  const logs = (isLong ? [first, ...others] : others).join("\n").trim();
  return {
    question: cut(first, MAX_QUESTION),
    ...(logs === "" ? {} : { logs }),
    session_id: sessionId,
    reportedBy: "slack",
  };
}

/** A thread is a session; where Slack does not tell the thread, the channel is. 1 to 128 of the characters of a session id. */
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
