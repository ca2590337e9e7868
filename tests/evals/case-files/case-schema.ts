// Owns the form of a case: what is reported before, what is asked, what the answer must be. cases/README.md tells it to
// whoever adds one.

import { z } from "zod";
import { INJECTION_CATEGORIES } from "../../../functions/guardrails/injection/detect-injection.ts";
import { triageRequestSchema } from "../../../functions/routes/v1/triage-request.ts";
import { DOMAIN_NAMES } from "../../../functions/schemas/domain.ts";
import { CATEGORIES } from "../runs/run-file.ts";

const name = z.string().regex(/^[a-z0-9][a-z0-9-]*$/, "must be lower-case letters, digits and hyphens");
const share = z.number().min(0).max(1);

const bodySchema = triageRequestSchema.refine(({ session_id }) => session_id === undefined, {
  path: ["session_id"],
  message: "is the runner's: name a session with `session:` beside it, not in it",
});

const beforeSchema = z.strictObject({
  report: bodySchema,
  /** By what `expect` calls it. */
  as: name.optional(),
  /** Those of one name belong to one conversation; without a name each is its own. */
  session: name.optional(),
  resolved: z
    .strictObject({
      resolution: z.string().min(1),
      resolved_by: z.string().min(1).optional(),
      worked: z.boolean().optional(),
    })
    .optional(),
  vote: z.enum(["up", "down"]).optional(),
});

/** One way to put a fact, or several of which any will do. */
const factSchema = z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]).transform((fact) => [fact].flat());

const expectSchema = z.strictObject({
  /** Sources, as `kubernetes/probe-failure.md`; any of them will do. */
  runbooks: z.array(z.string().min(1)).min(1).optional(),
  /** What `before` calls it, or the id of an incident that is on record. */
  incident: z.string().min(1).optional(),
  /** The earlier answer to what `before` calls so. */
  memory: name.optional(),
  outcome: z.enum(["cause", "benign", "unknown"]).optional(),
  domain: z.enum(DOMAIN_NAMES).optional(),
  incident_type: z.string().min(1).optional(),
  facts: z.array(factSchema).min(1).optional(),
  forbidden: z.array(z.string().min(1)).min(1).optional(),
  /** The category of the injection; true for any; false where the question is harmless. */
  blocked: z.union([z.boolean(), z.enum(INJECTION_CATEGORIES)]).optional(),
  lines_removed: z.number().int().nonnegative().optional(),
  /** Planted values, none of which may come back. */
  redacted: z.array(z.string().min(4)).min(1).optional(),
  /** Values that only look like secrets or personal data, each of which is still on record. */
  kept: z.array(z.string().min(1)).min(1).optional(),
  /** Of the fixes that the one of `incident` retired, how each begins. */
  superseded: z.array(z.string().min(1)).min(1).optional(),
  confidence: z.strictObject({ min: share.optional(), max: share.optional() }).optional(),
});

export const caseSchema = z
  .strictObject({
    /** The file's name where it holds one case. */
    id: name,
    /** The folder's name where that is a category. */
    category: z.enum(CATEGORIES),
    description: z.string().min(1),
    domain: z.enum(DOMAIN_NAMES),
    before: z.array(beforeSchema).default([]),
    session: name.optional(),
    ask: z.preprocess((ask) => (Array.isArray(ask) ? ask : [ask]), z.array(bodySchema).min(1)),
    expect: expectSchema,
    /** What a person has yet to decide; such a case is not run. */
    review: z.string().min(1).optional(),
  })
  .check(({ value, issues }) => {
    const complain = (path: string[], message: string) => issues.push({ code: "custom", input: value, path, message });
    const { expect, before, ask, category } = value;
    const named = new Set(before.flatMap(({ as }) => as ?? []));
    const { incident, memory } = expect;
    if (incident !== undefined && !named.has(incident) && !z.uuid().safeParse(incident).success)
      complain(
        ["expect", "incident"],
        `is no name that \`before\` gives with \`as:\` (${[...named].join(", ")}), and no id`,
      );
    if (memory !== undefined && !named.has(memory))
      complain(["expect", "memory"], `is no name that \`before\` gives with \`as:\` (${[...named].join(", ")})`);
    if (expect.superseded !== undefined && incident === undefined)
      complain(["expect", "superseded"], "needs `incident`, whose fix retired those");
    if (category === "consistency" && ask.length < 2)
      complain(["ask"], "must be a list of at least two ways of asking, since the category is consistency");
    if (Object.keys(expect).length === 0 && value.review === undefined)
      complain(["expect"], "says nothing: name at least what outcome is right");
  });

export type EvalCase = z.output<typeof caseSchema>;
export type Expectation = EvalCase["expect"];
export type AskBody = EvalCase["ask"][number];
