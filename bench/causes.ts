// `npm run bench -- causes`: whether the first cause and the first mitigation that an answer lists are the right ones. Each
// report of bench/causes is read with the runbook that is right for it. `--misses` prints the reports with a wrong one.

import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { z } from "zod";
import { renderTable } from "../cli/table.ts";
import { orderCauses, orderSteps } from "../functions/investigation/answer/ordered-causes.ts";
import { itemsOf } from "../functions/investigation/evidence/section-items.ts";
import { groupOf } from "../functions/investigation/recall/search-for-runbooks.ts";
import { textDocuments } from "../functions/knowledge/text-documents.ts";
import { readEvidence } from "../lib/logs/read-evidence.ts";
import { redact } from "../lib/redaction/redact.ts";
import { readCorpus } from "./support/json-lines.ts";

const RUNBOOKS = fileURLToPath(new URL("../seeds/runbooks/", import.meta.url));
const REPORTS = fileURLToPath(new URL("./causes/", import.meta.url));
const CHUNKING = { size: 400, overlap: 50 };
const EFFECT = /^\((?:changes state|read-only)\)\s*/;

const reportSchema = z.object({
  id: z.string(),
  runbook: z.string(),
  request: z.object({ title: z.string().optional(), question: z.string().optional(), logs: z.string().optional() }),
  /** How the right cause begins; null if the report decides for none. */
  cause: z.string().nullable(),
  /** How each right mitigation begins. */
  mitigations: z.array(z.string()),
});
type Report = z.infer<typeof reportSchema>;

const { values: options } = parseArgs({ options: { misses: { type: "boolean", default: false } } });

const rows: string[][] = [];
for (const set of ["train", "held_out"]) {
  const judged = await Promise.all(readCorpus(`${REPORTS}${set}`, reportSchema).map(judge));
  const decided = judged.filter(({ report }) => report.cause !== null);
  const open = judged.filter(({ report }) => report.cause === null);
  const fixable = judged.filter(({ report }) => report.mitigations.length > 0);
  rows.push([
    set,
    share(decided.filter(({ isCauseRight }) => isCauseRight).length, decided.length),
    share(decided.filter(({ isAuthorRight }) => isAuthorRight).length, decided.length),
    share(open.filter(({ isReordered }) => !isReordered).length, open.length),
    share(fixable.filter(({ isStepRight }) => isStepRight).length, fixable.length),
    share(fixable.filter(({ isAuthorStepRight }) => isAuthorStepRight).length, fixable.length),
  ]);
  if (options.misses)
    for (const { report, first } of decided.filter(({ isCauseRight }) => !isCauseRight))
      console.log(`${report.id}: "${first}" in place of "${report.cause}"`);
}
const header = ["reports", "cause right", "author's", "nothing decides: kept", "mitigation right", "author's"];
console.log(renderTable(header, rows, { width: process.stdout.columns ?? 200, color: process.stdout.isTTY ?? false }));

async function judge(report: Report) {
  const { title, question, logs = null } = report.request;
  const text = await readFile(`${RUNBOOKS}${report.runbook}`, "utf8");
  const named = { source: report.runbook, domain: "", kind: "runbook" as const, text, tags: [], isMarkdown: true };
  const { documents } = textDocuments(named, { redact, chunking: CHUNKING, now: new Date(0) });
  const [opening] = documents;
  if (opening === undefined) throw new Error(`${report.runbook} is empty.`);
  const relevance = { probability: 1, logOdds: 0, contributions: {} };
  const runbook = { ...groupOf(opening, documents), relevance };
  const headline = [title, question].filter((part) => part !== undefined).join(" ");
  const incident = {
    title: title ?? question ?? "",
    question: question ?? null,
    logs,
    evidence: readEvidence({ headline, logs, target: null, labels: {} }),
  };
  const { causes, orderedBy } = orderCauses(runbook, incident, { checks: [] });
  const cause = orderedBy === "report" ? causes[0] : undefined;
  const [step] = orderSteps(runbook, "mitigate", { incident, cause });
  const [authorsCause] = itemsOf(runbook, "causes");
  const [authorsStep] = itemsOf(runbook, "mitigate");
  const isRightCause = (listed: string | undefined) =>
    report.cause !== null && listed?.startsWith(report.cause) === true;
  const isRightStep = (listed: string | undefined) =>
    report.mitigations.some((begins) => listed?.startsWith(begins.replace(EFFECT, "")) === true);
  return {
    report,
    first: causes[0]?.text,
    isReordered: causes[0]?.text !== authorsCause?.item.text,
    isCauseRight: isRightCause(causes[0]?.text),
    isAuthorRight: isRightCause(authorsCause?.item.text),
    isStepRight: isRightStep(step?.item.text),
    isAuthorStepRight: isRightStep(authorsStep?.item.text),
  };
}

function share(part: number, whole: number): string {
  return `${part} of ${whole} (${(part / Math.max(1, whole)).toFixed(3)})`;
}
