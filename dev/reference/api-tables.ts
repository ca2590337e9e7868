// The tables of docs/reference/api.md, from the OpenAPI document.

import { z } from "zod";
import { currentDocument } from "../api-document/current-document.ts";

/** The guides of a tag. */
const GUIDES: Readonly<Record<string, string>> = {
  triage: "[guide](../guides/api.md)",
  incidents: "[guide](../guides/api.md)",
  alerts: "[guide](../guides/alerts.md)",
  changes: "[guide](../guides/changes.md)",
  slack: "[guide](../guides/slack.md)",
  mcp: "[guide](../guides/agents.md), [tools](mcp.md)",
  search: "[guide](../guides/runbooks.md)",
  knowledge: "[domains](../guides/domains.md), [runbooks and documents](../guides/runbooks.md)",
  evidence: "[guide](../guides/evidence.md)",
  notifications: "[guide](../guides/notifications.md)",
  memory: "[guide](../guides/memory.md)",
  quality: "[guide](../guides/observability.md#quality-of-the-answers)",
  admin: "[jobs](../guides/memory.md#jobs), [tokens](../guides/tokens.md)",
  session: "[guide](../guides/console.md)",
  health: "[guide](../guides/observability.md)",
  reference: "[guide](../guides/api.md)",
};

const SIGNED: readonly string[] = ["/slack", "/v1/alerts/pagerduty", "/v1/changes/github"];

const documentSchema = z.object({
  tags: z.array(z.object({ name: z.string() })),
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.object({
        tags: z.array(z.string()),
        summary: z.string(),
        security: z.array(z.record(z.string(), z.array(z.string()))),
      }),
    ),
  ),
});
type Operation = z.infer<typeof documentSchema>["paths"][string][string];

/** One section a tag, with its endpoints in the order of the API reference. */
export function apiTables(): string {
  const { tags, paths } = documentSchema.parse(currentDocument());
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  return tags
    .map(({ name }) => {
      const rows = operations
        .filter(({ operation }) => operation.tags.includes(name))
        .map(
          ({ path, method, operation }) =>
            `| \`${method} ${path}\` | ${scopeOf(path, operation)} | ${operation.summary} |`,
        );
      const guides = GUIDES[name];
      if (guides === undefined) throw new Error(`GUIDES needs the pages of the tag ${name}.`);
      return [`## ${name}`, "", guides, "", "| endpoint | scope | purpose |", "|---|---|---|", ...rows, ""].join("\n");
    })
    .join("\n");
}

function scopeOf(path: string, { security }: Operation): string {
  if (SIGNED.includes(path)) return "signature";
  if (security.length === 0) return "public";
  const scopes = security.flatMap((alternative) => Object.values(alternative).flat());
  if (scopes.length === 0) return path === "/mcp" ? "per tool" : "any token";
  return scopes.map((scope) => `\`${scope}\``).join(" or ");
}
