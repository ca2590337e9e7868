// docs/reference/sql.md, from the lists of what a check in SQL may read.

import { FUNCTIONS, READABLE_SETTINGS, TYPES } from "../../lib/checks/sql/functions.ts";
import { HIDDEN_COLUMNS, IN_PLACE_OF, RELATIONS } from "../../lib/checks/sql/relations.ts";

const INTRODUCTION = `# SQL in checks

What a [check](checks.md) in the language \`sql\` may read. Everything else is refused before it reaches a server: other relations, tables of yours, other columns, other functions and settings. [Checks of a PostgreSQL server](../guides/evidence-postgresql.md) has the login, the source and examples.

This page is generated from \`lib/checks/sql/\` with \`npm run generate -- reference\`.
`;

/** The page as Markdown. */
export function sqlPage(): string {
  return [
    INTRODUCTION,
    section("Relations", relations()),
    section("Settings", `\`current_setting('…')\` reads these: ${codeList(READABLE_SETTINGS)}.`),
    section("Functions", `${codeList(FUNCTIONS)}.`),
    section("Types of casts", `${codeList(TYPES)}.`),
  ].join("\n");
}

function section(title: string, text: string): string {
  return `## ${title}\n\n${text}\n`;
}

/** A test asks a server for its columns: each is readable or hidden. */
function relations(): string {
  const rows = Object.keys(HIDDEN_COLUMNS).map((name) => `| \`${name}\` | ${hiddenOf(name)} |`);
  return `${codeList(RELATIONS.keys())}.

PostgreSQL's manual describes their columns ([statistics](https://www.postgresql.org/docs/current/monitoring-stats.html), [catalogs](https://www.postgresql.org/docs/current/catalogs.html), [views](https://www.postgresql.org/docs/current/views.html)). All those of the versions 14 to 18 can be read, except these:

${["| relation | not readable |", "|---|---|", ...rows].join("\n")}`;
}

function hiddenOf(relation: string): string {
  const hidden = HIDDEN_COLUMNS[relation] ?? [];
  return hidden.map((column) => `\`${column}\`${replacementOf(column)}`).join(", ");
}

function replacementOf(column: string): string {
  const replacement = IN_PLACE_OF[column];
  return replacement === undefined ? "" : ` (${replacement})`;
}

function codeList(names: Iterable<string>): string {
  return [...names].map((name) => `\`${name}\``).join(", ");
}
