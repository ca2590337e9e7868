// docs/reference/settings.md, from functions/config/settings.ts.

import type { z } from "zod";
import { SETTING_GROUPS } from "../../functions/config/settings.ts";

const INTRODUCTION = `# Settings

Each setting is an environment variable of the Worker: a line of \`.env.production\`, which [\`npm run deploy\`](../guides/deploy.md) makes a secret, or a variable in \`[vars]\` of \`wrangler.toml\`.
\`npm start\` takes the same names from its environment, except those of its token, database and vector store.
The Worker refuses invalid and contradictory values; the message names the variables, never their values.

This page is generated from \`functions/config/settings.ts\` with \`npm run generate -- reference\`.
`;

/** The page as Markdown: one table a group. */
export function settingsPage(): string {
  const tables = Object.entries(SETTING_GROUPS).map(([group, settings]) => {
    const rows = Object.entries(settings).map(([name, schema]) => {
      return `| \`${name}\` | ${defaultOf(schema)} | ${schema.description ?? ""} |`;
    });
    return [`## ${group}`, "", "| name | default | meaning |", "|---|---|---|", ...rows, ""].join("\n");
  });
  return `${INTRODUCTION}\n${tables.join("\n")}`;
}

/** "required", a value, or nothing for an optional setting. */
function defaultOf(schema: z.ZodType): string {
  const parsed = schema.safeParse(undefined);
  if (!parsed.success) return "required";
  const { data } = parsed;
  const isEmpty = data === undefined || (typeof data === "object" && Object.keys(data ?? {}).length === 0);
  return isEmpty ? "" : `\`${String(data)}\``;
}
