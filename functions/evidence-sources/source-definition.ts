// A source of evidence as callers define it: its fields, limits, and the names that credentials may have.

import { z } from "@hono/zod-openapi";
import { redact } from "../../lib/redaction/redact.ts";
import { domainNameSchema } from "../schemas/domain.ts";
import { EVIDENCE_KIND_NAMES } from "../schemas/evidence/evidence-kinds.ts";
import type { EvidenceSourceDefinition } from "../schemas/evidence/source.ts";
import {
  CLEAR_TEXT_PROBLEM,
  findOpenUrlProblem,
  findUrlProblem,
  sendsInClearText,
} from "../schemas/evidence/source-url.ts";

/** A source costs a request in each check of its health. */
export const MAX_SOURCES = 40;

/** No setting of Dejavu has this prefix: a token that defines sources must not be able to send Dejavu's own secrets elsewhere. */
const CREDENTIAL_NAME = /^EVIDENCE_[A-Z0-9_]{1,55}$/;

const HEADER_NAME = /^[A-Za-z0-9-]{1,64}$/;
/** Headers that hold credentials, or that the transport sets. */
const RESERVED_HEADER =
  /^(?:authorization|proxy-.*|cookie|host|connection|content-.*|transfer-encoding|te|trailer|upgrade|expect|.*(?:token|secret|password|api-?key).*)$/i;
const LABEL_NAME = /^[A-Za-z_][A-Za-z0-9_./-]{0,127}$/;

const MAX_ENTRIES = 10;

/** A record with at most MAX_ENTRIES names. @param problemOf what is wrong with a name, as "must …"; null for a valid one */
function namesTo<T>(value: z.ZodType<T>, problemOf: (name: string) => string | null) {
  return z
    .record(z.string(), value)
    .check(({ value: record, issues }) => {
      const names = Object.keys(record);
      if (names.length > MAX_ENTRIES)
        issues.push({ code: "custom", message: `must have at most ${MAX_ENTRIES} names`, input: record });
      for (const name of names) {
        const message = problemOf(name);
        if (message !== null) issues.push({ code: "custom", message, input: record, path: [name] });
      }
    })
    .default({});
}

const headerValue = z
  .string()
  .min(1)
  .max(256)
  .regex(/^[\x20-\x7e]*$/, "must be visible ASCII characters")
  .refine((text) => redact(text).text === text, "looks as if it held a secret: name the Worker secret in `credential`");

function headerProblem(name: string): string | null {
  if (!HEADER_NAME.test(name)) return "must be a header name of at most 64 letters, digits and hyphens";
  return RESERVED_HEADER.test(name)
    ? "must not be a header that holds a credential or that the transport sets: name the Worker secret in `credential`"
    : null;
}

const labelProblem = (name: string) => (LABEL_NAME.test(name) ? null : "must be the name of a label");

/** The body of `PUT /v1/sources/{name}`. */
export const sourceInputSchema = z
  .strictObject({
    kind: z.enum(EVIDENCE_KIND_NAMES),
    url: z.string().describe("Address of its API. Queries go to this address only, and redirects are refused."),
    credential: z
      .string()
      .regex(
        CREDENTIAL_NAME,
        "must be the name of a Worker secret that begins with EVIDENCE_ and has capitals, digits and underscores, such as EVIDENCE_PROD_METRICS",
      )
      .nullable()
      .default(null)
      .describe("Name of the Worker secret that holds its credential; null without one."),
    headers: namesTo(headerValue, headerProblem).describe(
      "Headers of each request that hold no secret, such as `X-Scope-OrgID`.",
    ),
    labels: namesTo(z.array(z.string().min(1).max(256)).min(1).max(50), labelProblem).describe(
      "Alerts that it serves: each of these labels must have one of the values. Empty: all.",
    ),
    domains: z.array(domainNameSchema).max(20).default([]).describe("Domains that it serves. Empty: all."),
    open_url: z
      .string()
      .nullable()
      .default(null)
      .describe("Address for links that people open, such as that of Grafana; null: `url`."),
  })
  .check(({ value, issues }) => {
    const problem = (field: "url" | "open_url", message: string | null) => {
      if (message !== null) issues.push({ code: "custom", message, input: value[field], path: [field] });
    };
    const urlProblem = findUrlProblem(value.kind, value.url);
    const inClearText = urlProblem === null && value.credential !== null && sendsInClearText(value.url);
    problem("url", urlProblem ?? (inClearText ? CLEAR_TEXT_PROBLEM : null));
    if (value.open_url !== null) problem("open_url", findOpenUrlProblem(value.open_url));
  });
export type SourceInput = z.infer<typeof sourceInputSchema>;

/** The definition that an input makes; lists without repetitions. */
export function sourceDefinitionOf(name: string, input: SourceInput): EvidenceSourceDefinition {
  const labels = Object.fromEntries(
    Object.entries(input.labels).map(([label, values]) => [label, [...new Set(values)]]),
  );
  return { name, ...input, labels, domains: [...new Set(input.domains)].sort() };
}
