// Schema of a case file: the setup steps, the request, and the expected answer. Documented in cases/README.md.

import { z } from "zod";
import { triageRequestSchema } from "../../functions/routes/v1/triage-request.ts";
import { domainNameSchema } from "../../functions/schemas/domain.ts";
import { OUTCOMES } from "../../functions/schemas/outcome.ts";
import { INJECTION_CATEGORIES } from "../../lib/injection/injection-category.ts";
import { CATEGORIES } from "../runs/run-file.ts";
import { isSample } from "./samples.ts";

const name = z.string().regex(/^[a-z0-9][a-z0-9-]*$/, "must be lower-case letters, digits and hyphens");
const share = z.number().min(0).max(1);

const bodySchema = triageRequestSchema.refine(({ session_id }) => session_id === undefined, {
  path: ["session_id"],
  message: "is set by the runner: name the session with `session:` beside the report, not in it",
});

/** One step that runs before the request of the case. */
const setupStepSchema = z.strictObject({
  report: bodySchema,
  /** The name by which `expect` refers to this step. */
  as: name.optional(),
  /** Steps with the same session name share one session. A step without a name gets a session of its own. */
  session: name.optional(),
  resolved: z
    .strictObject({
      resolution: z.string().min(1),
      resolved_by: z.string().min(1).optional(),
      worked: z.boolean().optional(),
    })
    .optional(),
  rating: z.enum(["up", "down"]).optional(),
});

/** One wording of a fact, or a list of equivalent wordings. */
const factSchema = z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]).transform((fact) => [fact].flat());

const outcome = z.enum(OUTCOMES);

/** Only such a domain is written to and deleted from, so that a case cannot replace a real runbook. */
const OWN_RUNBOOK = /^eval-[a-z0-9-]+\/[a-z0-9-]+\.md$/;

const seriesSchema = z.strictObject({
  labels: z.record(z.string(), z.string()).default({}),
  value: z.union([z.number(), z.literal("NaN")]),
});
export type MetricSeries = Readonly<Record<string, readonly z.output<typeof seriesSchema>[]>>;

const expectSchema = z.strictObject({
  /** Runbook sources such as `kubernetes/probe-failure.md`; one of them is enough. */
  runbooks: z.array(z.string().min(1)).min(1).optional(),
  /** The `as` name of a step in `before`, or the id of a stored incident. */
  incident: z.string().min(1).optional(),
  /** The `as` name of the step whose answer must be recalled. */
  past_answer: name.optional(),
  /** One outcome, or a list of which each is right. */
  outcome: z
    .union(
      [outcome, z.array(outcome).min(1)],
      `is not valid: expected one of ${OUTCOMES.join(", ")}, or a list of them`,
    )
    .transform((outcomes) => [outcomes].flat())
    .optional(),
  domain: domainNameSchema.optional(),
  incident_type: z.string().min(1).optional(),
  facts: z.array(factSchema).min(1).optional(),
  forbidden: z.array(z.string().min(1)).min(1).optional(),
  /** Parts of the report's lines that the answer must quote as evidence. */
  quotes: z.array(z.string().min(1)).min(1).optional(),
  /** The injection category; `true` for any category; `false` for a harmless question. */
  blocked: z.union([z.boolean(), z.enum(INJECTION_CATEGORIES)]).optional(),
  lines_removed: z.number().int().nonnegative().optional(),
  /** Planted secrets and personal data that must not appear in the answer or in stored records. */
  redacted: z.array(z.string().min(4)).min(1).optional(),
  /** Harmless values that resemble secrets or personal data and must be stored unchanged. */
  kept: z.array(z.string().min(1)).min(1).optional(),
  /** First words of each fix that the current fix of `incident` replaced. */
  superseded: z.array(z.string().min(1)).min(1).optional(),
  confidence: z.strictObject({ min: share.optional(), max: share.optional() }).optional(),
});

export const caseSchema = z
  .strictObject({
    /** Defaults to the file name when the file holds one case. */
    id: name,
    /** Defaults to the folder name when that is a category. */
    category: z.enum(CATEGORIES),
    description: z.string().min(1),
    domain: domainNameSchema,
    /** Runbooks that are stored before the steps and deleted after the trial: text by source. */
    own_runbooks: z.record(z.string(), z.string().min(1)).default({}),
    /** Whether the sample notes, logs and postmortems are stored before the steps and deleted after the trial. */
    samples: z.boolean().default(false),
    /** Series of a metrics server, by the name of the metric. Checks of one metric can be asked. */
    metrics: z.record(z.string().regex(/^[a-z][a-z0-9_]*$/), z.array(seriesSchema).min(1)).optional(),
    before: z.array(setupStepSchema).default([]),
    session: name.optional(),
    ask: z.preprocess((ask) => (Array.isArray(ask) ? ask : [ask]), z.array(bodySchema).min(1)),
    expect: expectSchema,
    /** An open question for a person. A case with this field is not run. */
    review: z.string().min(1).optional(),
  })
  .check(({ value, issues }) => {
    const addIssue = (path: string[], message: string) => issues.push({ code: "custom", input: value, path, message });
    const { expect, before, ask, category } = value;
    const stepNames = new Set(before.flatMap(({ as }) => as ?? []));
    const { incident, past_answer } = expect;
    const notAStep = `is not the \`as:\` name of a step in \`before\` (${[...stepNames].join(", ") || "none"})`;
    if (incident !== undefined && !stepNames.has(incident) && !z.uuid().safeParse(incident).success)
      addIssue(["expect", "incident"], `${notAStep} and not an incident id`);
    if (past_answer !== undefined && !stepNames.has(past_answer)) addIssue(["expect", "past_answer"], notAStep);
    if (expect.superseded !== undefined && incident === undefined)
      addIssue(["expect", "superseded"], "needs `incident`: the incident whose fixes were replaced");
    for (const source of Object.keys(value.own_runbooks).filter((each) => !OWN_RUNBOOK.test(each)))
      addIssue(["own_runbooks", source], "must be named eval-<domain>/<name>.md, in lower case");
    const isOwnAndMissing = (source: string) =>
      source.startsWith("eval-") && value.own_runbooks[source] === undefined && !isSample(source);
    for (const source of (expect.runbooks ?? []).filter(isOwnAndMissing))
      addIssue(["expect", "runbooks"], `has ${source}, which is not among own_runbooks or the samples`);
    if (category === "consistency" && ask.length < 2)
      addIssue(["ask"], "must be a list of at least two requests in the category consistency");
    if (value.metrics !== undefined && ask.some(({ labels }) => labels?.alertname === undefined))
      addIssue(["metrics"], "needs the label alertname in each request: the source serves these alerts alone");
    if (Object.keys(expect).length === 0 && value.review === undefined)
      addIssue(["expect"], "is empty: set at least `outcome`");
  });

export type EvalCase = z.output<typeof caseSchema>;
export type SetupStep = EvalCase["before"][number];
export type Expectation = EvalCase["expect"];
export type AskBody = EvalCase["ask"][number];
