// `npm run generate -- reference`: the generated pages of docs/reference, and the generated tables between their marks.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { METRIC_FAMILIES } from "../../functions/telemetry/metric-families.ts";
import { REPO_DIR } from "../stack/paths.ts";
import { apiTables } from "./api-tables.ts";
import { limitsTable, unitsTable } from "./check-tables.ts";
import { domainPage } from "./domain-page.ts";
import { logEventsTable } from "./log-calls.ts";
import { settingsPage } from "./settings-page.ts";
import { sqlPage } from "./sql-page.ts";
import { toolsPage } from "./tools-page.ts";

const END = "<!-- end of the table -->";

/** Each generated page by its path, from the present one. */
export const REFERENCE_PAGES: Readonly<Record<string, (page: string) => string | Promise<string>>> = {
  "docs/reference/settings.md": settingsPage,
  "docs/reference/mcp.md": toolsPage,
  "docs/reference/domain.md": domainPage,
  "docs/reference/sql.md": sqlPage,
  "docs/reference/checks.md": (page) =>
    withTable(withTable(page, unitsTable(), "table of units"), limitsTable(), "table of limits"),
  "docs/reference/api.md": async (page) => withTable(page, await apiTables()),
  "docs/reference/metrics.md": (page) => withTable(page, metricsTable()),
  "docs/reference/log-events.md": (page) => withTable(page, logEventsTable(page, REPO_DIR)),
};

/** @param name of the table in its mark; a page may have several tables @throws Error when a mark is missing */
function withTable(page: string, table: string, name = "table"): string {
  const mark = `<!-- npm run generate writes this ${name} -->`;
  const start = page.indexOf(mark);
  const end = page.indexOf(END, start);
  if (start < 0 || end < start) throw new Error(`A page lacks the marks ${mark} and ${END}.`);
  return `${page.slice(0, start)}${mark}\n\n${table.trim()}\n\n${page.slice(end)}`;
}

function metricsTable(): string {
  const rows = METRIC_FAMILIES.map(({ name, type, labels, help }) => {
    const selector = labels.length === 0 ? name : `${name}{${labels.join(",")}}`;
    return `| \`${selector}\` | ${type} | ${help} |`;
  });
  return ["| metric with its labels | type | meaning |", "|---|---|---|", ...rows, ""].join("\n");
}

if (import.meta.main) {
  for (const [path, write] of Object.entries(REFERENCE_PAGES)) {
    const file = join(REPO_DIR, path);
    const present = readFileSync(file, "utf8");
    const page = await write(present);
    if (page !== present) writeFileSync(file, page);
    console.log(`${page === present ? "Up to date:" : "Wrote"} ${path}`);
  }
}
