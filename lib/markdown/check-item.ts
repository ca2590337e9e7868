// A check as a step for a person: its sentence and its command. It reads the form only, so a check with a mistake is a step, too.

import { type CodeFence, languageOf } from "./check-blocks.ts";

export interface CheckStep {
  /** Such as `Check "slots-used": confirms if any > 0.9 (the slots are nearly used up).` */
  readonly text: string;
  /** The language as the author wrote it, in lower case. */
  readonly language: string;
  readonly name: string;
  /** Whether its language cannot change anything. Commands of others are judged like those of any step. */
  readonly isReadOnly: boolean;
}

const READ_ONLY_LANGUAGES = new Set(["promql", "logql"]);

const NAME = /\bcheck\s{0,5}=\s{0,5}["']?([^\s"'{}]{1,100})/i;
/** A word of an author, and its form in the sentence. */
const VERBS = [
  [/^confirm/, "confirms if"],
  [/^refute/, "refutes if"],
] as const;
const INCONCLUSIVE = /^inconclusive\b[\s.:;,–—-]{0,10}/i;

/** The sentence of a check. */
export function checkStep({ info, rules }: CodeFence): CheckStep {
  const name = NAME.exec(info)?.[1] ?? "";
  const clauses = rules.flatMap(({ keyword, text }) => {
    const verb = VERBS.find(([pattern]) => pattern.test(keyword))?.[1];
    if (text === null || text === "") return [];
    if (verb === undefined) {
      const words = text.replace(INCONCLUSIVE, "").replace(/\.$/, "");
      return words === "" ? [] : [`else ${words}`];
    }
    const { condition, meaning } = splitRule(text);
    return [`${verb} ${condition}${meaning === "" ? "" : ` (${meaning.replace(/\.$/, "")})`}`];
  });
  const sentence = `Check "${name}"${clauses.length === 0 ? "" : `: ${clauses.join("; ")}`}.`;
  const language = languageOf(info);
  return { text: sentence.replaceAll("**", ""), language, name, isReadOnly: READ_ONLY_LANGUAGES.has(language) };
}

/** The query as people run it; null without one. */
export function commandOf(language: string, query: string): string | null {
  if (query === "") return null;
  return language === "k8s" && !/^kubectl\s/.test(query) ? `kubectl ${query}` : query;
}

/** Splits at the first colon outside of quotes and brackets. The condition may stand in a code span. */
function splitRule(text: string): { readonly condition: string; readonly meaning: string } {
  const span = /^`([^`]{1,500})`\s{0,5}:/.exec(text);
  if (span) return { condition: span[1] ?? "", meaning: text.slice(span[0].length).trim() };
  let quote = "";
  let depth = 0;
  for (const [i, character] of [...text].entries()) {
    if (quote !== "") quote = character === quote ? "" : quote;
    else if (character === '"' || character === "'") quote = character;
    else if (character === "[") depth += 1;
    else if (character === "]") depth -= 1;
    else if (character === ":" && depth === 0) {
      const characters = [...text];
      return {
        condition: characters.slice(0, i).join("").trim(),
        meaning: characters
          .slice(i + 1)
          .join("")
          .trim(),
      };
    }
  }
  return { condition: text, meaning: "" };
}
