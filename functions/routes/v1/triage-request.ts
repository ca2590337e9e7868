// Request schema and idempotency of the endpoints that take an incident as JSON.

import { createHash } from "node:crypto";
import { z } from "@hono/zod-openapi";
import { generatorExpression } from "../../../lib/checks/promql/generator-expression.ts";
import { type Caller, SERVICE_CALLER } from "../../access/caller.ts";
import { storedSessionId } from "../../access/session-ids.ts";
import type { TriageRequest } from "../../incidents/create-incident.ts";
import { readQuestion, readReport } from "../../incidents/read-report.ts";
import { SEVERITIES } from "../../schemas/incident.ts";
import { filledText, text } from "../http/input.ts";

const MAX_LABELS = 64;
const LONG_TEXT =
  "Put a stack trace, a log or another long text into logs, and the line that says what failed here; the command line finds that line by itself";
const LONG_LOG = "Send its end and the lines around the errors; the command line cuts a longer log by itself";

export const triageRequestSchema = z
  .strictObject({
    title: filledText(1_000, LONG_TEXT).optional().openapi({ example: "api-gateway container exited with code 137" }),
    question: filledText(4_000, LONG_TEXT).optional(),
    // Not trimmed: an answer quotes line numbers.
    text: text(500_000, LONG_LOG)
      .refine((value) => value.trim() !== "", "must not be empty")
      .optional()
      .openapi({
        description:
          "Instead of title, question and logs: an error, a question or a log as somebody pasted it. Its first line is the title or the question if a person wrote it; otherwise the line that says what failed is.",
      }),
    target: filledText(256).optional().openapi({ example: "api-gateway" }),
    severity: z.enum(SEVERITIES).optional().openapi({ example: "high" }),
    labels: z
      .record(filledText(128), text(1_024))
      .refine((labels) => Object.keys(labels).length <= MAX_LABELS, `must hold at most ${MAX_LABELS} labels`)
      .optional()
      .openapi({ example: { container_runtime: "docker" } }),
    logs: text(500_000, LONG_LOG)
      .optional()
      .openapi({ example: "Memory cgroup out of memory: Killed process 4711 (node)" }),
    runbook_url: filledText(2_048).optional().openapi({
      description: "A URL or a path that ends in the name of a stored runbook. That runbook is recalled first.",
    }),
    generator_url: filledText(8_192).optional().openapi({
      description:
        "The alert's link to the graph of its rule, `generatorURL` in Alertmanager. The expression in it is plotted from a source of evidence; the link is not called.",
    }),
    incident_type: z
      .string()
      .regex(/^[a-z][a-z0-9_]{0,63}$/, "must be lower-case words joined by underscores, at most 64 characters")
      .optional(),
    session_id: z
      .string()
      .regex(/^[A-Za-z0-9._:-]{1,128}$/, "must be 1 to 128 letters, digits, dots, colons, hyphens or underscores")
      .optional()
      .openapi({ description: "A session of this token. The same name of another token is another session." }),
  })
  .refine(({ title, question, text }) => title !== undefined || question !== undefined || text !== undefined, {
    path: ["title"],
    message: "is missing. Send a title, which says what failed, or a question",
  })
  .refine(
    ({ title, question, logs, text }) =>
      text === undefined || (title === undefined && question === undefined && logs === undefined),
    { path: ["text"], message: "stands for title, question and logs. Send either text or those" },
  );

/** Without an example: Swagger UI would send it with every request, and a second body under the same key is an error. */
export const idempotencyHeaders = z.object({
  "idempotency-key": z
    .string()
    .regex(/^[\x21-\x7e]{1,255}$/, "must be 1 to 255 visible ASCII characters without spaces")
    .optional()
    .openapi({
      description:
        "A repeated request with the same key and body returns the first result. Use a new key for each report, such as the name and start time of an alert: `HighErrorRate-2026-03-01T03:00:00Z`.",
    }),
});

export type TriageRequestBody = z.infer<typeof triageRequestSchema>;

/** A session of the caller: the one that it names, or a new one. */
export function triageRequestOf(
  { runbook_url, generator_url, session_id, text: pasted, ...request }: TriageRequestBody,
  caller: Caller,
  newId: () => string,
): TriageRequest {
  const session = storedSessionId(caller, session_id ?? newId());
  const expression = generatorExpression(generator_url) ?? undefined;
  return {
    ...request,
    ...contentOf(request, pasted),
    session_id: session,
    runbook: runbook_url,
    expression,
    reportedBy: caller.id,
  };
}

function contentOf(
  { title, question, logs }: Pick<TriageRequestBody, "title" | "question" | "logs">,
  pasted: string | undefined,
): Pick<TriageRequest, "title" | "question" | "logs"> {
  if (pasted === undefined)
    return title === undefined && question !== undefined
      ? { question: undefined, ...readQuestion(question, logs) }
      : {};
  const report = readReport(pasted, { isTyped: true, keepsLines: true });
  // Characters that nobody sees, and nothing else.
  if (report === null) return { title: pasted.slice(0, 1_000) };
  const headline =
    report.isWritten && report.title.endsWith("?") ? { question: report.title } : { title: report.title };
  return { ...headline, logs: report.logs };
}

/** The key as stored. It is hashed with the caller's id, so that two callers may use the same key. */
export function ownKey(key: string, { id }: Caller): string {
  if (id === SERVICE_CALLER.id) return key;
  return createHash("sha256").update(`${id} ${key}`).digest("hex");
}

/** Hashes a request independently of the order of its fields. */
export function requestHash(request: TriageRequestBody): string {
  const sorted = (value: unknown): unknown =>
    typeof value === "object" && value !== null
      ? Object.fromEntries(
          Object.entries(value)
            .sort(([a], [b]) => (a < b ? -1 : 1))
            .map(([key, item]) => [key, sorted(item)]),
        )
      : value;
  return createHash("sha256")
    .update(JSON.stringify(sorted(request)))
    .digest("hex");
}
