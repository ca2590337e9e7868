// A notification target as callers define it: the fields of every kind, their limits, and the names that credentials may have.

import { z } from "@hono/zod-openapi";
import { domainNameSchema } from "../schemas/domain.ts";
import { isPrivateAddress } from "../schemas/evidence/source-url.ts";
import { SEVERITIES } from "../schemas/incident.ts";
import { OUTCOMES } from "../schemas/outcome.ts";
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

const unique = <T extends readonly string[]>(values: T) => [...new Set(values)] as unknown as T;

const choice = {
  domains: z
    .array(domainNameSchema)
    .max(20)
    .transform(unique)
    .default([])
    .describe("Domains whose incidents it gets. Empty: all."),
  matchers: z
    .array(matcher)
    .max(10)
    .default([])
    .describe(
      'Matchers of labels as in Alertmanager, with `=`, `!=`, `=~` and `!~`, such as `team="db"`; all must match. The target of the incident is the label `target`.',
    ),
  min_severity: z.enum(SEVERITIES).default("info").describe("The least severity."),
  outcomes: z
    .array(z.enum(OUTCOMES))
    .min(1)
    .max(OUTCOMES.length)
    .transform(unique)
    .default(["cause", "possible", "unknown"])
    .describe("Outcomes of the answer. An investigation that failed counts as `unknown`."),
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
      "Minutes after the start of a message in which further incidents of the same failure edit it. After that, a further incident gets a message of its own.",
    ),
  per_minute: z
    .int()
    .min(1)
    .max(60)
    .default(5)
    .describe("First messages in a minute. If more wait, the worst are sent, and one summary counts the others."),
};

export const credentialSchema = z
  .string()
  .regex(
    CREDENTIAL_NAME,
    "must be the name of a Worker secret that begins with NOTIFY_ and has capitals, digits and underscores, such as NOTIFY_ONCALL",
  )
  .nullable()
  .default(null)
  .describe(
    "Name of the Worker secret that holds its credential; null without one. The secret itself is never stored.",
  );

const KINDS: readonly NotificationKind[] = NOTIFICATION_KINDS;

function inputOf({ name, options, credential }: NotificationKind) {
  const required = credentialSchema.refine(
    (value) => value !== null || !credential.isRequired,
    `must name the Worker secret that holds ${credential.holds}`,
  );
  return z.strictObject({
    kind: z.literal(name),
    ...options.shape,
    credential: required.describe(`Name of the Worker secret that holds ${credential.holds}.`),
    ...choice,
  });
}

/** The body of `PUT /v1/notifications/{name}`. */
export const targetInputSchema = z.discriminatedUnion(
  "kind",
  // The registry is not empty.
  KINDS.map(inputOf) as [ReturnType<typeof inputOf>, ...ReturnType<typeof inputOf>[]],
);
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
});
export type NotificationTarget = z.infer<typeof targetSchema>;

export function kindOf(name: string): NotificationKind | undefined {
  return KINDS.find((kind) => kind.name === name);
}

/** The definition that an input makes. */
export function definitionOf(name: string, input: TargetInput): NotificationTarget {
  const {
    kind,
    credential,
    domains,
    matchers,
    min_severity,
    outcomes,
    events,
    window_minutes,
    per_minute,
    ...options
  } = input;
  return {
    ...{
      name,
      kind,
      options,
      credential,
      domains,
      matchers,
      min_severity,
      outcomes,
      events,
      window_minutes,
      per_minute,
    },
  };
}

/** Why a caller who is restricted to domains may not define the target; null if they may. @returns the field with "must …" */
export function restrictionProblem(
  { domains, credential, options }: NotificationTarget,
  allowed: readonly string[],
): { readonly field: string; readonly message: string } | null {
  if (domains.length === 0 || !domains.every((domain) => allowed.includes(domain)))
    return { field: "domains", message: `must be among the domains of the token: ${allowed.join(", ")}` };
  const prefixes = domains.map((domain) => `NOTIFY_${domain.toUpperCase().replaceAll("-", "_")}__`);
  // Credentials of others would let the target speak in their place.
  if (credential === null || !prefixes.some((prefix) => credential.startsWith(prefix)))
    return {
      field: "credential",
      message: `must begin with ${prefixes.join(" or ")} for a token that is limited to domains`,
    };
  if (typeof options.url === "string" && isPrivateAddress(options.url))
    return { field: "url", message: "must not be a private address for a token that is limited to domains" };
  return null;
}
