// Wraps untrusted text for a prompt: in tags that it cannot close, without lines that try to instruct the model.

import { neutraliseInjections } from "../../../lib/injection/detect-injection.ts";
import { foldCharacters } from "../../../lib/injection/fold-text.ts";
import { displayText } from "../../../lib/text/display-text.ts";

const BLOCKS = [
  "report",
  "error_lines",
  "logs",
  "runbook",
  "check",
  "observed",
  "past_incident",
  "past_question",
  "past_procedure",
  "session",
  "domains",
  "answer",
  "cited_sources",
  "unexplained_lines",
  "feedback",
] as const;
type Block = (typeof BLOCKS)[number];
type Attributes = Readonly<Record<string, string>>;

/** Opening and closing tags of all blocks. */
const TAG = new RegExp(`<(?=[\\s/\\\\]*(?:${BLOCKS.join("|")})\\b)`, "gi");
const BEYOND_ASCII = /[^\x20-\x7e\t]/;

/** Untrusted text as `<name key="value">…</name>`. */
export function dataBlock(name: Block, text: string, attributes: Attributes = {}): string {
  const neutralised = Object.entries(attributes).map(([key, value]) => [key, neutraliseInjections(value).text]);
  return tagged(name, neutraliseInjections(text).text, Object.fromEntries(neutralised));
}

/** Text whose injections are already neutralised. */
export function tagged(name: Block, text: string, attributes: Attributes = {}): string {
  const head = Object.entries(attributes).map(
    ([key, value]) => ` ${key}="${withoutTags(displayText(value).replace(/\s+/g, " ").trim()).replaceAll('"', "'")}"`,
  );
  return `<${name}${head.join("")}>\n${withoutTags(displayText(text)).trim()}\n</${name}>`;
}

function withoutTags(text: string): string {
  return text
    .replace(TAG, "&lt;")
    .split("\n")
    .map((plain) => {
      if (!BEYOND_ASCII.test(plain)) return plain;
      // A model also reads a tag that is written in look-alike or invisible characters.
      const folded = foldCharacters(plain);
      return folded.search(TAG) === -1 ? plain : folded.replace(TAG, "&lt;");
    })
    .join("\n");
}
