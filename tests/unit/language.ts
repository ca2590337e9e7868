// The words that this project does not use, and the check of a text for them.

import { type ESTree, parseSync, Visitor } from "vite";

export interface RetiredWord {
  /** Matched against a line whose identifiers are parted into lower-case words. */
  readonly pattern: RegExp;
  /** The word to use. */
  readonly instead: string;
}

/** Retired words with what to say. The standard term is the one that incident response, search or serverless uses. */
export const RETIRED: readonly RetiredWord[] = [
  { pattern: /\b(owed|owe|owes|owing|debts?)\b/, instead: "pending" },
  { pattern: /\boutside (system|error|failure|call)s?\b|\bcall outside\b/, instead: "dependency" },
  {
    pattern: /\b(is|are|was|were|be|goes|went|being|been|stays?|while) away\b|\baway (from|altogether|for)\b/,
    instead: "unavailable",
  },
  { pattern: /\bdoors?\b/, instead: "endpoint, integration" },
  { pattern: /\bthe rooms\b|\bhouse rules\b|\blives? in\b/, instead: "modules, folders" },
  { pattern: /\b(told|tells|telling|untold|retold|is told)\b/, instead: "the exact verb: reported, shown, described" },
  { pattern: /\bdesks?\b/, instead: "answer context, command handlers" },
  { pattern: /\b(give|gives|given|gave) back\b|\brelease run\b/, instead: "requeue" },
  { pattern: /\bepisodes?\b/, instead: "investigation run" },
  { pattern: /\bpatience\b/, instead: "timeout, budget" },
  { pattern: /\b(learnt|lessons?|taught|teach|teaches)\b/, instead: "memory updates, learned" },
  { pattern: /\bafterwork\b|\bbehind the (answer|receipt|response)\b/, instead: "background task, after the response" },
  { pattern: /\b(deliberate|deliberation)\b/, instead: "generate answer" },
  {
    pattern: /\bquoted answers?\b|\bonly quotes\b|\bcompose (benign|blocked|extractive)\b/,
    instead: "extractive answer",
  },
  { pattern: /\byardsticks?\b/, instead: "relevance criteria" },
  { pattern: /\b(rank|log|ranking) signals?\b/, instead: "ranking feature, error lines" },
  { pattern: /\bmark piles?\b|\bfirsthand\b/, instead: "combining marks, quoted sentences" },
  { pattern: /\bfailure keys?\b/, instead: "fingerprint" },
  { pattern: /\bcovered alerts?\b/, instead: "grouped alerts" },
  { pattern: /\bknowledge (unavailable|stamps?|syncs?|collections?|documents?)\b/, instead: "cluster inventory" },
  { pattern: /\bunified search\b|\bkeyword search \(/, instead: "collection search, find" },
  { pattern: /\b(votes?|voted|voting|voters?)\b/, instead: "feedback, rating" },
  { pattern: /\bproven approach(es)?\b/, instead: "procedure" },
  { pattern: /\bearlier answers?\b/, instead: "past answers" },
  { pattern: /\bsweeps?\b|\bswept\b/, instead: "recover stuck runs" },
  { pattern: /\bupkeep\b|\bat hand\b/, instead: "what it does" },
  { pattern: /\b(roster|reaper)s?\b/, instead: "process registry, cleanup process" },
  { pattern: /\btell what it is about\b|\bwork contexts?\b/, instead: "request context" },
  {
    pattern: /\bwithout words\b|\bwake outbox\b|\btime left\b/,
    instead: "redacted errors, outbox drain, remaining budget",
  },
  { pattern: /\b(most|left for|shortest|longest) [a-z]+ ?= ?\d/, instead: "max, reserved, min" },
  { pattern: /^\s*(\/\/|--|\/\*\*?|\*) owns\b/, instead: "a noun phrase" },
  {
    pattern: /\bwhoever\b|\bwhatever (is|was|can|could|might|would|may|else|comes|came|happens|happened)\b/,
    instead: "the person or thing by name",
  },
];

/** Variable names that say nothing of what they hold. */
const VAGUE_NAMES = new Set(["known", "said", "asked", "found", "given", "seen", "held", "told"]);
const VAGUE_NAME = new RegExp(`\\b(?:${[...VAGUE_NAMES].join("|")})\\b`);

export interface Finding {
  readonly line: number;
  readonly words: string;
  readonly instead: string;
}

/** The retired words in a text, with their lines. */
export function retiredWordsIn(text: string): Finding[] {
  const parted = partIdentifiers(text);
  const present = RETIRED.filter(({ pattern }) => new RegExp(pattern, "m").test(parted));
  if (present.length === 0) return [];
  return parted.split("\n").flatMap((words, i) =>
    present.flatMap(({ pattern, instead }) => {
      const match = pattern.exec(words);
      return match ? [{ line: i + 1, words: match[0].trim(), instead }] : [];
    }),
  );
}

/** `owedWrites` and `OWED_WRITES` become "owed writes"; the rest of the text stays, in lower case. */
export function partIdentifiers(text: string): string {
  return text
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .replace(/([A-Za-z])_(?=[A-Za-z])/g, "$1 ")
    .toLowerCase();
}

/** The variables and parameters with a vague name, in the order of the file. @throws Error on a syntax error */
export function vagueNamesIn(file: string, text: string): string[] {
  if (!VAGUE_NAME.test(text)) return [];
  const { program, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file}: ${errors.map(({ message }) => message).join("; ")}`);
  const names: { readonly start: number; readonly name: string }[] = [];
  const collect = (pattern: ESTree.Node | null | undefined): void => {
    if (!pattern) return;
    switch (pattern.type) {
      case "Identifier":
        if (VAGUE_NAMES.has(pattern.name)) names.push({ start: pattern.start, name: pattern.name });
        return;
      case "AssignmentPattern":
        collect(pattern.left);
        return;
      case "ArrayPattern":
        pattern.elements.forEach(collect);
        return;
      case "ObjectPattern":
        for (const property of pattern.properties)
          collect(property.type === "Property" ? property.value : property.argument);
        return;
      case "RestElement":
        collect(pattern.argument);
    }
  };
  const collectParameters = ({ params }: ESTree.Function | ESTree.ArrowFunctionExpression) => params.forEach(collect);
  new Visitor({
    VariableDeclarator: ({ id }) => collect(id),
    FunctionDeclaration: collectParameters,
    FunctionExpression: collectParameters,
    ArrowFunctionExpression: collectParameters,
  }).visit(program);
  return names.sort((a, b) => a.start - b.start).map(({ name }) => name);
}
