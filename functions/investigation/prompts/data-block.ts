// Owns how foreign text is put into a prompt: between tags that it cannot close, and without lines that try to instruct.

import { neutraliseInjections } from "../../guardrails/injection/detect-injection.ts";
import { foldCharacters } from "../../guardrails/injection/fold-text.ts";

const BLOCKS = [
  "report",
  "logs",
  "runbook",
  "past_incident",
  "past_question",
  "proven_approach",
  "session",
  "answer",
  "feedback",
] as const;
type Block = (typeof BLOCKS)[number];
type Attributes = Readonly<Record<string, string>>;

/** Any of our tags, open or closed. */
const TAG = new RegExp(`<(?=[\\s/\\\\]*(?:${BLOCKS.join("|")})\\b)`, "gi");
const BEYOND_ASCII = /[^\x20-\x7e\t]/;

/** Foreign text: `<name key="value">…</name>`. */
export function dataBlock(name: Block, text: string, attributes: Attributes = {}): string {
  const looked = Object.entries(attributes).map(([key, value]) => [key, neutraliseInjections(value).text]);
  return tagged(name, neutraliseInjections(text).text, Object.fromEntries(looked));
}

/** Text that was looked through already. */
export function tagged(name: Block, text: string, attributes: Attributes = {}): string {
  const head = Object.entries(attributes).map(
    ([key, value]) => ` ${key}="${withoutTags(value.replace(/\s+/g, " ").trim()).replaceAll('"', "'")}"`,
  );
  return `<${name}${head.join("")}>\n${withoutTags(text).trim()}\n</${name}>`;
}

function withoutTags(text: string): string {
  return text
    .replace(TAG, "&lt;")
    .split("\n")
    .map((plain) => {
      if (!BEYOND_ASCII.test(plain)) return plain;
      // A tag in look-alike or invisible characters is one to a model.
      const folded = foldCharacters(plain);
      return folded.search(TAG) === -1 ? plain : folded.replace(TAG, "&lt;");
    })
    .join("\n");
}
