// `npm run reference`: writes the generated pages, and the generated tables between their marks, of docs/reference.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { REPO_DIR } from "../stack/paths.ts";
import { apiTables } from "./api-tables.ts";
import { domainPage } from "./domain-page.ts";
import { logEventsTable } from "./log-events-table.ts";
import { metricsTable } from "./metrics-table.ts";
import { settingsPage } from "./settings-page.ts";
import { toolsPage } from "./tools-page.ts";

const START = "<!-- npm run reference writes this table -->";
const END = "<!-- end of the table -->";

/** Each generated page by its path, from the present one. */
export const REFERENCE_PAGES: Readonly<Record<string, (page: string) => string | Promise<string>>> = {
  "docs/reference/settings.md": settingsPage,
  "docs/reference/mcp.md": toolsPage,
  "docs/reference/domain.md": domainPage,
  "docs/reference/api.md": async (page) => withTable(page, await apiTables()),
  "docs/reference/metrics.md": (page) => withTable(page, metricsTable()),
  "docs/reference/log-events.md": (page) => withTable(page, logEventsTable(page, REPO_DIR)),
};

/** @throws Error when a mark is missing */
function withTable(page: string, table: string): string {
  const [start, end] = [page.indexOf(START), page.indexOf(END)];
  if (start < 0 || end < start) throw new Error(`A page lacks the marks ${START} and ${END}.`);
  return `${page.slice(0, start)}${START}\n\n${table.trim()}\n\n${page.slice(end)}`;
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
