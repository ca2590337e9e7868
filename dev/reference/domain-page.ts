// docs/reference/domain.md, from the schema of a domain's definition.

import { z } from "zod";
import { storedDefinitionSchema } from "../../functions/knowledge/domains/domain-definition.ts";
import { schemaTable } from "./schema-table.ts";

const INTRODUCTION = `# Domain format

The fields of \`domain.yaml\` and of \`PUT /v1/domains/{name}\`. Every field is optional. An unknown field is refused. [Domains](../guides/domains.md) has examples, and says how a report finds its domain.

This page is generated from \`functions/knowledge/domains/domain-definition.ts\` with \`npm run generate -- reference\`.

## Fields

`;

/** The page as Markdown. */
export function domainPage(): string {
  return `${INTRODUCTION}${schemaTable(z.toJSONSchema(storedDefinitionSchema, { io: "input" }))}`;
}
