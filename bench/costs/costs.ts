// `npm run bench -- costs`, or `npm run costs`: what the cheapest plans carry, and what 100, 10,000 and 1,000,000 incidents
// a month cost. Writes the tables of docs/explanation/costs.md. `--measure` first measures anew what one incident uses.
// `--bytes` prints instead what a triage gets from the stores, by request.

import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { renderTable } from "../../cli/table.ts";
import { type CostLine, monthlyCosts, totalOf } from "./calculate.ts";
import { freePlansTable } from "./free-plans.ts";
import { measureTriageBytes, measureUsage, type RequestUsage } from "./measure.ts";
import { PRICES } from "./prices.ts";
import { readUsage, USAGE_FILE, type Usage } from "./usage.ts";

const PAGE = new URL("../../docs/explanation/costs.md", import.meta.url);
const MONTHLY_INCIDENTS = [100, 10_000, 1_000_000];
const START = "<!-- npm run bench writes these tables -->";
const END = "<!-- end of the tables -->";

/** The tables as Markdown: what the cheapest plans carry, what an incident uses, and what it costs. */
export function costTables(usage: Usage): string {
  const columns = MONTHLY_INCIDENTS.map((incidents) => monthlyCosts(usage, PRICES, incidents));
  const rows = (columns[0] ?? []).map(({ platform, unit }, i) => {
    const cells = columns.map((lines) => cellOf(lines[i]));
    return `| ${platform} | ${unit} | ${cells.join(" | ")} |`;
  });
  const totals = columns.map((lines) => `**$${dollars(totalOf(lines))}**`);
  const { perIncident, incidents, measuredOn } = usage;
  const { collections, ...figures } = perIncident;
  const vectors = Object.entries(collections).map(
    ([name, { queries, recordsWritten }]) => `${name} ${queries} queries, ${recordsWritten} records`,
  );
  return [
    freePlansTable(usage),
    "",
    `Means of ${incidents} incidents, measured on ${measuredOn}.`,
    "",
    "| one incident uses | |".replace("| |", "| amount |"),
    "|---|---|",
    ...Object.entries(figures).map(([name, value]) => `| ${LABELS[name] ?? name} | ${value.toLocaleString("en")} |`),
    `| vector store, queries with their filters and written records | ${vectors.join("; ")} |`,
    "",
    `| platform | unit | ${MONTHLY_INCIDENTS.map((count) => `${count.toLocaleString("en")} a month`).join(" | ")} |`,
    `|---|---|${MONTHLY_INCIDENTS.map(() => "---").join("|")}|`,
    ...rows,
    `| all | | ${totals.join(" | ")} |`,
  ].join("\n");
}

/** One line a request, the largest first, and one for each store. */
function bytesTable(usage: readonly RequestUsage[]): string {
  const rowOf = ({ store, request, requests, bytesReturned }: RequestUsage) => [
    store,
    request,
    requests.toFixed(2),
    Math.round(bytesReturned).toLocaleString("en"),
  ];
  const stores = [...Map.groupBy(usage, ({ store }) => store)].map(([store, requests]) => ({
    store,
    request: "all",
    requests: requests.reduce((sum, each) => sum + each.requests, 0),
    bytesReturned: requests.reduce((sum, each) => sum + each.bytesReturned, 0),
  }));
  const rows = [...usage.toSorted((a, b) => b.bytesReturned - a.bytesReturned), ...stores].map(rowOf);
  const header = ["store", "request", "requests", "bytes returned"];
  return renderTable(header, rows, { width: process.stdout.columns ?? 100, color: process.stdout.isTTY ?? false });
}

const LABELS: Readonly<Record<string, string>> = {
  cpuMs: "CPU time, ms",
  subrequests: "subrequests",
  rows: "rows in Postgres",
  postgresBytes: "bytes in Postgres, with indexes",
  postgresBytesReturned: "bytes from PostgREST",
};

function cellOf(line: CostLine | undefined): string {
  if (line === undefined) return "";
  const amount = line.unit === "plan" ? "" : `${line.amount.toLocaleString("en", { maximumSignificantDigits: 2 })}: `;
  return `${amount}$${dollars(line.dollars)}`;
}

function dollars(value: number): string {
  return value.toLocaleString("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
}

/** @throws Error when a mark is missing */
export function withTables(page: string, tables: string): string {
  const [start, end] = [page.indexOf(START), page.indexOf(END)];
  if (start < 0 || end < start) throw new Error(`The page lacks the marks ${START} and ${END}.`);
  return `${page.slice(0, start)}${START}\n\n${tables}\n\n${page.slice(end)}`;
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { measure: { type: "boolean", default: false }, bytes: { type: "boolean", default: false } },
  });
  if (values.bytes) {
    console.error("Triages 60 incidents on a throw-away stack with 3,000 past ones. Takes about two minutes.");
    console.log(bytesTable(await measureTriageBytes()));
    process.exit();
  }
  if (values.measure) {
    console.error("Measures 150 incidents on a throw-away stack. Takes about two minutes.");
    writeFileSync(USAGE_FILE, `${JSON.stringify(await measureUsage(), null, 2)}\n`);
  }
  const tables = costTables(readUsage());
  writeFileSync(PAGE, withTables(readFileSync(PAGE, "utf8"), tables));
  console.log(`${tables}\n\nWrote docs/explanation/costs.md.`);
}
