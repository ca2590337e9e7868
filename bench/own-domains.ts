// `npm run bench -- domains`: recall for technologies that are missing. Leaves out the shipped runbooks of two of them, loads
// others about these two without a domain.yaml, one as a folder and one through the API, and triages reports about them and about two
// technologies without runbooks. Prints the rank of the right runbook, the domain of each report and the outcome.
// `--json FILE`.

import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { z } from "zod";
import { describeSeed, seedRunbooks } from "../cli/seed-runbooks.ts";
import { renderTable } from "../cli/table.ts";
import { startStack } from "../dev/stack/start-stack.ts";
import { triage } from "../functions/investigation/triage.ts";
import { ingestRunbook } from "../functions/knowledge/ingest.ts";
import { GENERAL_DOMAIN } from "../functions/schemas/domain.ts";
import type { TriageResult } from "../functions/schemas/triage-result.ts";
import { createServices, type Services } from "../functions/services.ts";
import { readJsonLines } from "./support/json-lines.ts";

const reportSchema = z.strictObject({
  title: z.string(),
  logs: z.string().optional(),
  /** The runbook that answers the report; missing when no runbook does. */
  runbook: z.string().optional(),
  domain: z.string().optional(),
  /** Other domains that the report names, or plainly means. */
  mentions: z.array(z.string()).optional(),
});
type Report = z.infer<typeof reportSchema>;

interface Answer {
  readonly report: Report;
  readonly result: TriageResult;
  /** Sources of the recalled runbooks, best first. */
  readonly sources: readonly string[];
  /** The rank of the right runbook, from 1; 0 when it is missing. */
  readonly rank: number;
  /** Whether it claims a cause and cites the right runbook for it. */
  readonly isRightCause: boolean;
  readonly isMisrouted: boolean;
}

const { values: options } = parseArgs({ options: { json: { type: "string" } } });
const FOLDER = fileURLToPath(new URL("./own-domains", import.meta.url));
/** Loaded as a folder; the other through the API. */
const FOLDER_DOMAIN = "elasticsearch";
const API_DOMAIN = "vault";
/** Shipped domains about the same technologies, which this bench leaves out. */
const LEFT_OUT = ["elasticsearch-opensearch", "vault-openbao"];
const SHIPPED = fileURLToPath(new URL("../seeds/runbooks", import.meta.url));
const REPORTS = readJsonLines(join(FOLDER, "reports.jsonl"), reportSchema);
const TABLE_OPTIONS = { width: process.stdout.columns ?? 240, color: process.stdout.isTTY ?? false };

console.log("Starting a throw-away stack and loading the runbooks (half a minute) …");
const others = await mkdtemp(join(tmpdir(), "dejavu-bench-runbooks-"));
await cp(SHIPPED, others, { recursive: true, filter: (path) => !LEFT_OUT.includes(basename(path)) });
const stack = await startStack({
  dir: await mkdtemp(join(tmpdir(), "dejavu-bench-")),
  ephemeral: true,
  services: ["gateway", "chroma"],
});
try {
  const env = stack.workerEnv;
  console.log(describeSeed(await seedRunbooks({ env, directory: others })));
  console.log(`${FOLDER_DOMAIN}: ${describeSeed(await seedRunbooks({ env, directory: join(FOLDER, FOLDER_DOMAIN) }))}`);
  const services = createServices({ ...env, MODEL: "none" }, { log: () => {} });
  console.log(`${API_DOMAIN}: ${await ingestAll(services, API_DOMAIN)} runbooks through the API`);
  const answers: Answer[] = [];
  for (const report of REPORTS) answers.push(await answer(services, report));
  print(answers);
  if (options.json) await writeFile(options.json, JSON.stringify(answers, null, 1));
} finally {
  await stack.stop();
  await rm(others, { recursive: true });
}

/** @returns the number of runbooks */
async function ingestAll(services: Services, domain: string): Promise<number> {
  const paths = (await readdir(join(FOLDER, domain))).sort();
  for (const path of paths) {
    const text = await readFile(join(FOLDER, domain, path), "utf8");
    const { state } = await ingestRunbook(services, { domain, path, text, isMarkdown: true });
    if (state !== "stored") throw new Error(`${domain}/${path} was not stored: ${state}.`);
  }
  return paths.length;
}

async function answer(services: Services, report: Report): Promise<Answer> {
  const background: Promise<unknown>[] = [];
  const runInBackground = (work: Promise<unknown>) => void background.push(work);
  const { title, logs } = report;
  const outcome = await triage(services, { title, logs }, { idempotency: null, runInBackground });
  await Promise.all(background);
  if (outcome.state !== "answered") throw new Error(`The triage of "${title}" ended as ${outcome.state}.`);
  const { result } = outcome;
  const sources = [...new Set(result.recalled.runbooks.map(({ source }) => source))];
  const rank = report.runbook === undefined ? 0 : sources.indexOf(report.runbook) + 1;
  const accepted = [GENERAL_DOMAIN, report.domain, ...(report.mentions ?? [])];
  const isRightCause = result.outcome === "cause" && result.sources.some(({ source }) => source === report.runbook);
  return { report, result, sources, rank, isRightCause, isMisrouted: !accepted.includes(result.domain.name) };
}

function print(answers: readonly Answer[]): void {
  const groups: [string, Answer[]][] = [FOLDER_DOMAIN, API_DOMAIN].map((domain) => [
    domain,
    answers.filter(({ report }) => report.domain === domain),
  ]);
  groups.push(["no runbook", answers.filter(({ report }) => report.domain === undefined)]);
  const header = ["rank", "report", "right runbook", "domain", "rule", "outcome", "first runbook"];
  for (const [name, group] of groups) console.log(`\n${name}\n${renderTable(header, group.map(rowOf), TABLE_OPTIONS)}`);
  const totals = groups.map(([name, group]) => [name, ...figuresOf(group)]);
  const columns = [
    "",
    "reports",
    "R@1",
    "R@3",
    "cause",
    "cause cites it",
    "first of another domain",
    "domain not named",
  ];
  console.log(`\n${renderTable(columns, totals, TABLE_OPTIONS)}`);
}

function rowOf({ report, result, sources, rank, isMisrouted }: Answer): string[] {
  const first = result.recalled.runbooks[0];
  return [
    rank === 0 ? "-" : String(rank),
    report.title.slice(0, 60),
    report.runbook ?? "",
    `${result.domain.name}${isMisrouted ? " (not named)" : ""}`,
    result.domain.rule.slice(0, 60),
    `${result.outcome} ${result.confidence.toFixed(2)}`,
    first === undefined ? "" : `${rank === 1 ? "" : `${sources[0]} `}probability ${first.probability.toFixed(2)}`,
  ];
}

function figuresOf(answers: readonly Answer[]): string[] {
  const share = (test: (answer: Answer) => boolean) => (answers.filter(test).length / answers.length).toFixed(3);
  const hasRunbook = answers.some(({ report }) => report.runbook !== undefined);
  return [
    String(answers.length),
    hasRunbook ? share(({ rank }) => rank === 1) : "",
    hasRunbook ? share(({ rank }) => rank >= 1 && rank <= 3) : "",
    share(({ result }) => result.outcome === "cause"),
    hasRunbook ? share(({ isRightCause }) => isRightCause) : "",
    hasRunbook ? share(({ report, sources }) => !(sources[0] ?? "").startsWith(`${report.domain}/`)) : "",
    share(({ isMisrouted }) => isMisrouted),
  ];
}
