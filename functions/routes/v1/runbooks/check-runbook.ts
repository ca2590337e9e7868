// Checks the text of a runbook without storing it.

import { createRoute, z } from "@hono/zod-openapi";
import { CHECK_LANGUAGES } from "../../../../lib/checks/check.ts";
import { inspectRunbook } from "../../../knowledge/inspect-runbook.ts";
import { MAX_DOCUMENT_BYTES } from "../../../knowledge/runbook-text/check-runbook-text.ts";
import { filledText, requireTextBody, text } from "../../http/input.ts";
import { Problem } from "../../http/problem.ts";
import { createRouter, jsonContent, problemContent } from "../../http/router.ts";
import { scoped } from "../../middleware/require-scope.ts";

const TEXT_TYPES = ["text/markdown", "text/plain"] as const;
const ROLES = ["symptoms", "confirm", "mitigate", "causes", "prevent"] as const;
const line = z.number().int().openapi({ description: "Line of the text, from 1." });

const inspectionSchema = z
  .object({
    title: z.string(),
    incident_type: z.string().nullable(),
    tags: z.array(z.string()),
    bytes: z.number().int(),
    chunks: z
      .number()
      .int()
      .openapi({ description: "Number of searched chunks; 0 if there is nothing to search for." }),
    sections: z
      .array(
        z.object({
          line,
          heading: z.string(),
          role: z.enum(ROLES).nullable().openapi({
            description: "What answers use the section for; null if its headings do not say.",
          }),
        }),
      )
      .openapi({ description: "Sections below headings from level 2 down." }),
    topics: z
      .array(
        z.object({
          heading_path: z
            .array(z.string())
            .openapi({ description: "Its headings, outermost first; empty for the failure of the title." }),
          title: z.string().openapi({
            description:
              "The headings that name it, without those that only collect failures; empty for the failure of the title.",
          }),
          anchor: z.string().nullable().openapi({
            description:
              "Its address in the text, as renderers of Markdown make it; null for the failure of the title.",
          }),
          line,
          roles: z.array(z.enum(ROLES)).openapi({ description: "Roles of its sections." }),
          missing: z
            .array(z.enum(ROLES))
            .openapi({ description: "Roles that answers use and none of its sections has." }),
        }),
      )
      .openapi({
        description:
          "The failures that the text is about, by its headings; one for most texts. Each is found and cited alone.",
      }),
    overview: z
      .array(z.object({ line, heading: z.string() }))
      .openapi({ description: "Sections about none of several failures; the heading is empty above the first one." }),
    missing: z.array(z.enum(ROLES)).openapi({ description: "Roles that answers use and no section has." }),
    checks: z
      .array(z.object({ line, name: z.string(), language: z.enum(CHECK_LANGUAGES) }))
      .openapi({ description: "Evidence checks that can run." }),
    problems: z
      .array(z.object({ line: line.nullable(), message: z.string() }))
      .openapi({ description: "What to correct; the line is null for the whole text." }),
    redactions: z
      .array(
        z.object({ line, kinds: z.array(z.string()).openapi({ description: "Kinds of secrets or personal data." }) }),
      )
      .openapi({ description: "Lines with secrets or personal data, which are removed before the text is stored." }),
  })
  .openapi({
    example: {
      title: "Ingress answers 502",
      incident_type: null,
      tags: ["ingress"],
      bytes: 1_804,
      chunks: 4,
      sections: [{ line: 3, heading: "Mitigate", role: "mitigate" }],
      topics: [
        {
          heading_path: [],
          title: "",
          anchor: null,
          line: 1,
          roles: ["mitigate"],
          missing: ["symptoms", "causes", "confirm"],
        },
      ],
      overview: [],
      missing: ["symptoms", "causes", "confirm"],
      checks: [{ line: 21, name: "error-rate", language: "promql" }],
      problems: [{ line: 41, message: 'the section "Prevent" is empty. Fill or remove it.' }],
      redactions: [{ line: 12, kinds: ["PASSWORD"] }],
    },
  });

const checkRoute = createRoute({
  method: "post",
  path: "/v1/runbooks/check",
  summary: "Check the text of a runbook",
  ...scoped("ingest", requireTextBody(TEXT_TYPES, MAX_DOCUMENT_BYTES)),
  request: {
    query: z.strictObject({
      source: filledText(200).default("runbook").openapi({
        description: "The name that it would have, such as `team/ingress.md`: the title of a text without one.",
      }),
    }),
    body: {
      required: true,
      description: `At most ${MAX_DOCUMENT_BYTES} bytes of UTF-8.`,
      content: {
        "text/markdown": {
          schema: z.string().openapi({ example: "# Ingress answers 502\n\n## Mitigate\n\n1. Roll back." }),
        },
      },
    },
  },
  responses: {
    200: jsonContent(
      "Sections, failures, checks, problems and lines with secrets. A text with problems can be stored.",
      inspectionSchema,
    ),
    422: problemContent("The text holds characters that cannot be stored."),
  },
});

/** The text of a request. @throws Problem if it cannot be stored */
export function storableText(body: string): string {
  const parsed = text(MAX_DOCUMENT_BYTES).safeParse(body);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Problem("invalid-request", "The text holds characters that cannot be stored.", {
    errors: [{ field: "body", message: issue?.message ?? "is not valid" }],
  });
}

export const runbookCheckRoutes = createRouter().openapi(checkRoute, async (c) => {
  const { config, redact, now } = c.get("services");
  const inspection = inspectRunbook(storableText(await c.req.text()), {
    source: c.req.valid("query").source,
    chunking: { size: config.CHUNK_SIZE, overlap: config.CHUNK_OVERLAP },
    redact,
    now: now(),
  });
  const { title, incidentType, tags, bytes, chunks, sections, topics, overview } = inspection;
  const { missing, checks, problems, redactions } = inspection;
  return c.json(
    {
      title,
      incident_type: incidentType,
      tags: [...tags],
      bytes,
      chunks,
      sections: [...sections],
      topics: topics.map(({ headingPath, roles, missing: without, ...topic }) => ({
        ...topic,
        heading_path: [...headingPath],
        roles: [...roles],
        missing: [...without],
      })),
      overview: [...overview],
      missing: [...missing],
      checks: [...checks],
      problems: [...problems],
      redactions: redactions.map(({ line: at, kinds }) => ({ line: at, kinds: [...kinds] })),
    },
    200,
  );
});
