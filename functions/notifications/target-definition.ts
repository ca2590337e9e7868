// A notification target as callers define it: the fields of every kind, their limits, and the names that credentials may have.

import { z } from "@hono/zod-openapi";
import { domainNameSchema } from "../schemas/domain.ts";
import { isPrivateAddress } from "../schemas/evidence/source-url.ts";
import { SEVERITIES } from "../schemas/incident.ts";
import { OUTCOME_WORDS, OUTCOMES } from "../schemas/outcome.ts";
import { HANDOVER_TIME } from "./handover-time.ts";
import { parseMatcher } from "./matchers.ts";
import { NOTIFICATION_KINDS } from "./targets/index.ts";
import { NOTIFICATION_EVENTS, type NotificationKind } from "./targets/target.ts";

export const MAX_TARGETS = 40;

/** No setting of Dejavu has this prefix: a token that defines targets must not be able to send Dejavu's own secrets elsewhere. */
const CREDENTIAL_NAME = /^NOTIFY_[A-Z0-9_]{1,57}$/;

const matcher = z
  .string()
  .max(500)
  .check(({ value, issues }) => {
    const parsed = parseMatcher(value);
    if (!parsed.ok) issues.push({ code: "custom", message: parsed.message, input: value });
  });

export const matchersSchema = z.array(matcher).max(10).default([]);

const unique = <T>(values: readonly T[]) => [...new Set(values)];

const choice = {
  domains: z
    .array(domainNameSchema)
    .max(20)
    .transform(unique)
    .default([])
    .describe("Domains whose incidents it gets. Empty: all."),
  matchers: matchersSchema.describe(
    'Matchers of labels as in Alertmanager, with `=`, `!=`, `=~` and `!~`, such as `team="db"`; all must match. The target of the incident is the label `target`.',
  ),
  min_severity: z.enum(SEVERITIES).default("info").describe("The least severity."),
  outcomes: z
    .array(z.enum(OUTCOMES))
    .min(1)
    .max(OUTCOMES.length)
    .transform(unique)
    .default(["cause", "possible", "unknown"])
    .describe(`Outcomes of the answer. ${OUTCOME_WORDS} An investigation that failed counts as \`unknown\`.`),
  events: z
    .array(z.enum(NOTIFICATION_EVENTS))
    .min(1)
    .max(NOTIFICATION_EVENTS.length)
    .transform(unique)
    .default([...NOTIFICATION_EVENTS])
    .describe("Events that it gets. Each of the later ones is a reply; a message is edited in any case."),
  window_minutes: z
    .int()
    .min(1)
    .max(43_200)
    .default(1_440)
    .describe(
      "Minutes after the start of a message in which further incidents of the same failure edit it. Later ones get another message.",
    ),
  per_minute: z
    .int()
    .min(1)
    .max(60)
    .default(5)
    .describe("First messages in a minute, the worst first. A summary counts the others; notes on tickets wait."),
  handover: z
    .string()
    .regex(HANDOVER_TIME, "must be a day and a time in UTC, such as daily 08:00 or monday 07:30")
    .nullable()
    .default(null)
    .describe(
      "When it gets a handover of its domains, in UTC, such as `daily 08:00` or `monday 07:30`; null for none.",
    ),
};

const credentialSchema = z
  .string()
  .regex(
    CREDENTIAL_NAME,
    "must be the name of a Worker secret that begins with NOTIFY_ and has capitals, digits and underscores, such as NOTIFY_ONCALL",
  )
  .nullable()
  .default(null)
  .describe("Name of the Worker secret that holds its credential; null without one.");

const KINDS: readonly NotificationKind[] = NOTIFICATION_KINDS;

/** Kinds that write on the ticket of an incident. */
export const TICKET_KINDS: readonly string[] = KINDS.filter(({ ticketOf }) => ticketOf !== null).map(
  ({ name }) => name,
);

const KIND_NAMES = KINDS.map(({ name }) => name);

/** The options of each kind, for the API document: the kind decides which of them holds. */
function describeOptions() {
  return KINDS.map(({ product, options }) => {
    const { $schema: _, ...schema } = z.toJSONSchema(z.strictObject(options.shape), { io: "input" });
    return { ...schema, title: product };
  });
}

/** The body of `PUT /v1/notifications/{name}`. */
export const targetInputSchema = z
  .strictObject({
    kind: z.enum(KIND_NAMES).describe("The system."),
    options: z
      .record(z.string(), z.unknown())
      .default({})
      .meta({ description: "What a target of this kind needs. None is secret.", anyOf: describeOptions() }),
    credential: credentialSchema,
    ...choice,
  })
  .transform((input, context) => {
    const kind = KINDS.find(({ name }) => name === input.kind);
    if (kind === undefined) return input;
    if (kind.ticketOf !== null && input.handover !== null) {
      const message = "must be null: a note on a ticket is about one incident";
      context.addIssue({ code: "custom", message, path: ["handover"] });
    }
    const { isRequired, holds } = kind.credential;
    if (isRequired && input.credential === null) {
      const message = `must name the Worker secret that holds ${holds}`;
      context.addIssue({ code: "custom", message, path: ["credential"] });
    }
    const parsed = z.strictObject(kind.options.shape).safeParse(input.options);
    if (parsed.success) return { ...input, options: parsed.data };
    for (const { path, message } of parsed.error.issues)
      context.addIssue({ code: "custom", message, path: ["options", ...path] });
    return z.NEVER;
  });
export type TargetInput = z.infer<typeof targetInputSchema>;

export const targetSchema = z.object({
  name: z.string(),
  kind: z.string(),
  options: z.record(z.string(), z.unknown()),
  credential: z.string().nullable(),
  domains: z.array(z.string()),
  matchers: z.array(z.string()),
  min_severity: z.enum(SEVERITIES),
  outcomes: z.array(z.enum(OUTCOMES)),
  events: z.array(z.enum(NOTIFICATION_EVENTS)),
  window_minutes: z.number().int(),
  per_minute: z.number().int(),
  handover: z.string().nullable(),
});
export type NotificationTarget = z.infer<typeof targetSchema>;

const namesIn = <T extends string>(values: readonly T[]) =>
  z.array(z.string()).transform((stored) => values.filter((value) => stored.includes(value)));

/** A row, without the choices that only another version of the service has. */
export const storedTargetSchema = targetSchema.extend({
  outcomes: namesIn(OUTCOMES),
  events: namesIn(NOTIFICATION_EVENTS),
});

export function targetKindOf(name: string): NotificationKind | undefined {
  return KINDS.find((kind) => kind.name === name);
}

/** The definition that an input makes. */
export function targetDefinitionOf(name: string, input: TargetInput): NotificationTarget {
  return { name, ...input };
}

/**
 * Why a caller who is restricted to domains may not define a target of these; null if they may. The database refuses targets of
 * other domains. @returns the field with "must …"
 */
export function restrictionProblem(
  { domains, credential, options }: NotificationTarget,
  allowed: readonly string[],
): { readonly field: string; readonly message: string } | null {
  if (domains.length === 0 || !domains.every((domain) => allowed.includes(domain))) return null;
  const prefixes = domains.map((domain) => `NOTIFY_${domain.toUpperCase().replaceAll("-", "_")}__`);
  // Credentials of others would let the target speak in their place.
  if (credential === null || !prefixes.some((prefix) => credential.startsWith(prefix)))
    return {
      field: "credential",
      message: `must begin with ${prefixes.join(" or ")} for a token that is limited to domains`,
    };
  if (typeof options.url === "string" && isPrivateAddress(options.url))
    return { field: "options.url", message: "must not be a private address for a token that is limited to domains" };
  return null;
}
