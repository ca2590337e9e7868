// Zod types that several settings share.

import { z } from "zod";
import type { EvidenceKind } from "../schemas/evidence/evidence-kinds.ts";
import { findUrlProblem } from "../schemas/evidence/source-url.ts";
import { httpUrl } from "../schemas/settings/http-url.ts";

export const count = (least: number, most: number, fallback: number) =>
  z.coerce.number().int().min(least).max(most).default(fallback);
export const share = (fallback: number) => z.coerce.number().min(0).max(1).default(fallback);
export const milliseconds = (fallback: number) => count(10, 120_000, fallback);
const isOrigin = (value: string) =>
  /^https?:[^*]+$/.test(value) && URL.canParse(value) && new URL(value).origin === value;
const webOrigin = z
  .string()
  .refine(
    isOrigin,
    "must be origins such as https://grafana.example.com, separated by commas: no path, no slash at the end, no *",
  );
export const serverUrl = httpUrl.refine(
  (url) => URL.canParse(url) && new URL(url).pathname === "/",
  "must not have a path",
);
/** The origin of the pages of this service. */
export const publicUrl = z
  .string()
  .trim()
  .transform((value) => value.replace(/\/$/, ""))
  .refine(isOrigin, "must be an address such as https://dejavu.example.com, without a path")
  .optional();
/** Address of a server; the client adds a path. @param key the setting that holds its credentials */
export const observerUrl = (added: string, key: string) =>
  httpUrl.refine(
    (url) => !URL.canParse(url) || isBareUrl(url),
    `must be an address such as http://127.0.0.1:6006: without ${added}, which is added, without a query, and without a ` +
      `user or password (what the server asks for is ${key}'s)`,
  );
export const webhookSecret = z.string().trim().min(16, "must have at least 16 characters").optional();

/** Address of a source of evidence. */
export const evidenceUrl = (kind: EvidenceKind) =>
  z
    .string()
    .trim()
    .check(({ value, issues }) => {
      const problem = findUrlProblem(kind, value);
      if (problem !== null) issues.push({ code: "custom", message: problem, input: value });
    })
    .optional();

/** A secret, or a binding with a connection string (Hyperdrive). */
export const secretOrBinding = z
  .union([
    z.string().trim(),
    z.object({ connectionString: z.string() }).transform((binding) => binding.connectionString),
  ])
  .optional();

/** US dollars for a million tokens: input, cached input, output. */
export const price = z
  .string()
  .trim()
  .regex(
    /^\d+(\.\d+)?\/\d+(\.\d+)?\/\d+(\.\d+)?(,\d+(\.\d+)?\/\d+(\.\d+)?\/\d+(\.\d+)?)?$/,
    'must be "<input>/<cached input>/<output>", such as "1/0.1/5", and may have a second one after a comma',
  )
  .optional();

/** `<queries>/<documents>`, or `none`. */
export const inputTypes = z
  .string()
  .trim()
  .regex(
    /^(none|[A-Za-z0-9_.-]{1,64}\/[A-Za-z0-9_.-]{1,64})$/,
    'must be "<queries>/<documents>", such as "query/document", or "none"',
  )
  .default("none");

/** Tokens a day, or `none`. */
export const tokenBudget = z
  .string()
  .trim()
  .regex(/^(none|\d{1,15})$/, 'must be a whole number from 0, or "none"')
  .transform((value) => (value === "none" ? value : Number(value)))
  .optional();

export const otlpHeaders = z
  .string()
  .default("")
  .transform((list, context) => {
    const headers = parseHeaders(list);
    if (headers) return headers;
    const message = 'must be headers such as "authorization=Bearer%20key", separated by commas';
    context.addIssue({ code: "custom", message });
    return z.NEVER;
  });
export const flag = z
  .enum(["true", "false"], "must be true or false")
  .default("false")
  .transform((value) => value === "true");

/** What stands between the commas. */
const commaList = z.string().transform((list) =>
  list
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== ""),
);

/** Characters of the name of a label. */
const MAX_LABEL_NAME = 128;

/** Origins separated by commas; an empty list by default. */
export const webOrigins = commaList.pipe(z.array(webOrigin)).default([]);

/** Names of labels, separated by commas; empty for none. */
export const labelNames = (byDefault: string) =>
  commaList
    .pipe(z.array(z.string().max(MAX_LABEL_NAME, "must be names of labels, separated by commas")))
    .prefault(byDefault);

/** Slack's ids of workspaces and channels, separated by commas; an empty list by default. */
export const slackIds = commaList
  .pipe(
    z.array(
      z.string().regex(/^[TECGD][A-Z0-9]{1,63}$/, "must be ids such as T024BE7LD or C024BE91L, separated by commas"),
    ),
  )
  .default([]);

function isBareUrl(url: string): boolean {
  const { username, password, pathname } = new URL(url);
  return (
    username === "" && password === "" && !/[?#]/.test(url) && !/\/v1\/(traces|span_annotations)\/*$/.test(pathname)
  );
}

/** Headers as OpenTelemetry writes them, `name=value,name=value` with percent-encoded values; undefined for anything else. */
function parseHeaders(list: string): Record<string, string> | undefined {
  const pairs = list
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "");
  const headers: Record<string, string> = {};
  for (const pair of pairs) {
    const [, name = "", encoded = ""] = /^([\w!#$%&'*+.^`|~-]+)=(.*)$/.exec(pair) ?? [];
    const value = percentDecoded(encoded);
    if (name === "" || value === undefined || !/^[\x20-\x7e]*$/.test(value)) return undefined;
    headers[name.toLowerCase()] = value;
  }
  return headers;
}

function percentDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
