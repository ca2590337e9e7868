// The definition of a domain, as a `domain.yaml` or `PUT /v1/domains/{name}` gives it: schema and limits.

import { z } from "zod";
import { effectOfCommands } from "../../../lib/commands/step-effect.ts";
import { storable } from "../../schemas/storable.ts";
import { describePatternProblem, MAX_PATTERN_LENGTH } from "./hint-pattern.ts";

const MAX_ENTRIES = 60;
const MAX_WORDS = 100;
const MAX_WORD_LENGTH = 80;
const MAX_TEXT_LENGTH = 300;
const MAX_COMMAND_LENGTH = 1_000;
const MAX_LOOKS = 8;

const CHANGING_LOOK = "changes state, and a first look must only read";

const LABEL_NAME = /^[A-Za-z_][A-Za-z0-9_.-]{0,99}$/;
const LABEL_NAME_RULE = "must be the name of a label: a letter or _, then letters, digits or _ . -";
const TYPE_NAME = /^[a-z][a-z0-9_]{0,62}$/;
const WORD_OR_DIGIT = /[\p{L}\p{N}]/u;

const weightSchema = z
  .union([z.literal(1), z.literal(2), z.literal(3)], "must be 1, 2 or 3")
  .default(3)
  .describe(
    "3: rarely occurs elsewhere. 2: usual here, possible elsewhere. 1: a faint hint, which never chooses alone.",
  );

const wordSchema = storable(MAX_WORD_LENGTH).refine(
  (word) => WORD_OR_DIGIT.test(word),
  "must hold a letter or a digit: it is compared with the words of a report",
);

const hintSchema = z
  .strictObject({
    words: z
      .array(wordSchema)
      .min(1)
      .max(MAX_WORDS)
      .optional()
      .describe("Whole words and phrases. Case does not count."),
    pattern: storable(MAX_PATTERN_LENGTH)
      .optional()
      .describe("A regular expression that takes linear time and matches no ordinary words."),
    weight: weightSchema,
  })
  .refine(({ words, pattern }) => words !== undefined || pattern !== undefined, "needs `words` or a `pattern`")
  .describe("Matches a report that holds one of the words or phrases, or the regular expression (flags `iu`).");
export type HintDefinition = z.infer<typeof hintSchema>;

const labelValueSchema = storable(MAX_TEXT_LENGTH).min(1);

const labelRuleSchema = z
  .strictObject({
    match: z
      .record(z.string().regex(LABEL_NAME, LABEL_NAME_RULE), z.array(labelValueSchema).min(1).max(MAX_WORDS))
      .refine((match) => Object.keys(match).length > 0, "needs at least one label")
      .refine(
        (match) => !Object.hasOwn(match, "domain"),
        "must not hold the label `domain`: its value is the domain's name already",
      )
      .describe("Every label must have one of its values. `*` stands for any text. Case does not count."),
    weight: weightSchema,
  })
  .describe(
    "Labels that decide for the domain. Of all domains, the heaviest match wins, then the one with the best label. Weight 3 also limits the search to the domain while it holds something relevant.",
  );
export type LabelRuleDefinition = z.infer<typeof labelRuleSchema>;

const lookSchema = z
  .strictObject({
    text: storable(MAX_TEXT_LENGTH).min(1).describe("What to look at, in one sentence."),
    command: storable(MAX_COMMAND_LENGTH).min(1).nullable().default(null).describe("Only reads."),
  })
  .describe("A first step for an unknown cause.");
export type Look = z.infer<typeof lookSchema>;

const incidentTypeSchema = z.strictObject({
  name: z
    .string()
    .regex(TYPE_NAME, "must be lower-case words joined by underscores, such as oom_killed")
    .describe("The `incident_type` in the front matter of runbooks, such as `oom_killed`."),
  hints: z.array(hintSchema).min(1).max(MAX_ENTRIES),
});

/** A definition whose patterns were checked when it was stored. */
export const storedDefinitionSchema = z.strictObject({
  description: storable(MAX_TEXT_LENGTH).default("").describe("One sentence for people and for language models."),
  labels: z.array(labelRuleSchema).max(MAX_ENTRIES).default([]),
  hints: z
    .array(hintSchema)
    .max(MAX_ENTRIES)
    .default([])
    .describe("Words of a report that hint at the domain. Its name hints at it in any case."),
  excluded_words: z
    .array(wordSchema)
    .max(MAX_WORDS)
    .default([])
    .describe("Other technologies that the labels match too: a report that names one is not decided by these labels."),
  only_when_decided: z
    .boolean()
    .default(false)
    .describe(
      "Whether texts and past incidents of the domain are recalled only for reports that its labels or words decide for, that attach one of its runbooks, or for searches that name it.",
    ),
  target_labels: z
    .array(z.string().regex(LABEL_NAME, LABEL_NAME_RULE))
    .max(MAX_ENTRIES)
    .default([])
    .describe("Labels that name the affected object, best first."),
  incident_types: z
    .array(incidentTypeSchema)
    .max(MAX_ENTRIES)
    .default([])
    .refine((types) => new Set(types.map(({ name }) => name)).size === types.length, "must have each name once")
    .describe("Kinds of incidents, with the words that show them. Weight 2 or more recognises one."),
  first_looks: z.array(lookSchema).max(MAX_LOOKS).default([]),
});
export type DomainDefinition = z.infer<typeof storedDefinitionSchema>;

/** A definition from outside, with its patterns and first looks checked. */
export const domainDefinitionSchema = storedDefinitionSchema.check((context) => {
  const { hints, incident_types, first_looks } = context.value;
  const check = (each: readonly HintDefinition[], path: readonly (string | number)[]) => {
    for (const [i, { pattern }] of each.entries()) {
      const problem = pattern === undefined ? null : describePatternProblem(pattern);
      if (problem === null) continue;
      context.issues.push({ code: "custom", message: problem, input: pattern, path: [...path, i, "pattern"] });
    }
  };
  for (const [i, { text, command }] of first_looks.entries()) {
    const field = effectOfCommands({ text: "", command }) === "changes_state" ? "command" : "text";
    if (effectOfCommands({ text, command }) !== "changes_state") continue;
    const input = field === "command" ? command : text;
    context.issues.push({ code: "custom", message: CHANGING_LOOK, input, path: ["first_looks", i, field] });
  }
  check(hints, ["hints"]);
  for (const [i, type] of incident_types.entries()) check(type.hints, ["incident_types", i, "hints"]);
});

export const EMPTY_DEFINITION: DomainDefinition = storedDefinitionSchema.parse({});

const entryAuthorSchema = z.object({
  /** The domains that the caller was restricted to. */
  domains: z.array(z.string()),
  /** Rises with each entry that a restricted caller stores. */
  place: z.number().int(),
});
export type EntryAuthor = z.infer<typeof entryAuthorSchema>;

/** Who stored each label rule and each hint of a definition, in its order; null for a caller without restriction. */
export const entryAuthorsSchema = z.object({
  labels: z.array(entryAuthorSchema.nullable()),
  hints: z.array(entryAuthorSchema.nullable()),
});

/** A domain with its definition. */
export interface DefinedDomain {
  readonly name: string;
  readonly definition: DomainDefinition;
  /** Missing if no restricted caller stored an entry. */
  readonly authors?: z.infer<typeof entryAuthorsSchema> | undefined;
}
