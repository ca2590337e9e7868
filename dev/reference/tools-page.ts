// docs/reference/mcp.md, from the tools of the MCP server.

import { z } from "zod";
import { TOOLS } from "../../functions/routes/mcp/server.ts";
import { escapeText, schemaTable } from "./schema-table.ts";

const resultSchema = z.object({ properties: z.record(z.string(), z.unknown()) });

const INTRODUCTION = `# MCP tools

The tools that \`/mcp\` offers to agents. A client sees those that its token allows, with the full schema of each result. [Agents](../guides/agents.md) shows how to connect one.

This page is generated from \`functions/routes/mcp\` with \`npm run generate -- reference\`.
`;

/** The page as Markdown: one section a tool. The first sentence of a description is for people, too; the others instruct models. */
export function toolsPage(): string {
  const sections = TOOLS.map((tool) => {
    const { name, description = "", inputSchema } = tool.list();
    return [
      `## \`${name}\``,
      `Scope: \`${tool.scope}\`.`,
      escapeText(/^.*?[.](?= |\n|$)/s.exec(description)?.[0] ?? description),
      schemaTable(inputSchema).trimEnd(),
      `Result: ${Object.keys(resultSchema.parse(tool.resultSchema()).properties)
        .map((field) => `\`${field}\``)
        .join(", ")}.\n`,
    ].join("\n\n");
  });
  return `${INTRODUCTION}\n${sections.join("\n")}`;
}
