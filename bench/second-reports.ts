// `npm run bench -- second-reports`: whether a fix comes back for a second, independent report of its failure. Other failures
// that look alike must not show it. All first reports of a split are on record with their fixes. `--corpus
// second-reports|short-titles`, `--split held_out|train`, `--misses` lists what went wrong. `--as FORM` asks the later reports as an
// alert that quotes their first error line in prose: summary, description, grafana, datadog or pagerduty.

import { parseArgs } from "node:util";
import { renderTable } from "../cli/table.ts";
import type { TriageRequest } from "../functions/incidents/create-incident.ts";
import { sameFailureFrom } from "../functions/investigation/recall/recall-result.ts";
import { ALERT_FORM_NAMES, asAlert } from "./incidents/alert-forms.ts";
import { SPLITS } from "./incidents/cause-families.ts";
import {
  laterReports,
  REPORT_CORPORA,
  readReportGroups,
  type SecondReport,
  storeFirstReports,
} from "./incidents/second-reports.ts";
import { createProcessMemory } from "./support/process-memory.ts";

const { values: options } = parseArgs({
  options: {
    corpus: { type: "string", default: "second-reports" },
    split: { type: "string", default: "held_out" },
    as: { type: "string" },
    misses: { type: "boolean", default: false },
  },
});
const corpus = REPORT_CORPORA.find((each) => each === options.corpus);
if (corpus === undefined) throw new RangeError(`--corpus is "${options.corpus}". Give ${REPORT_CORPORA.join(" or ")}.`);
const split = SPLITS.find((each) => each === options.split);
if (split === undefined) throw new RangeError(`--split is "${options.split}". Give ${SPLITS.join(" or ")}.`);

const form = ALERT_FORM_NAMES.find((each) => each === options.as);
if (options.as !== undefined && form === undefined)
  throw new RangeError(`--as is "${options.as}". Give one of ${ALERT_FORM_NAMES.join(", ")}.`);

interface Judged extends SecondReport {
  /** Of the record of its own group: a look-alike's is foreign. */
  readonly own: number;
  readonly isOwnFirst: boolean;
  /** The most probable record of another group. */
  readonly foreign: number;
  readonly foreignTitle: string;
}

const NOW = new Date("2026-03-02T09:00:00Z");
const HEADER = [
  "kind",
  "same failure",
  "fix first",
  "shown",
  "sure",
  "other failure",
  "foreign fix shown",
  "sure",
  "own of look-alike",
];

const memory = await createProcessMemory();
const { config } = memory.services;
const groups = readReportGroups(corpus, split);
const ids = await storeFirstReports(memory, groups, NOW);
const judged: Judged[] = [];
for (const each of laterReports(groups)) {
  const { incidents } = await memory.recall(memory.incidentOf(asked(each), NOW));
  const ownId = ids.get(each.group.id);
  const best = incidents.find(({ hit }) => hit.document.id !== ownId);
  judged.push({
    ...each,
    own: incidents.find(({ hit }) => hit.document.id === ownId)?.relevance.probability ?? 0,
    isOwnFirst: incidents[0]?.hit.document.id === ownId,
    foreign: best?.relevance.probability ?? 0,
    foreignTitle: best?.hit.observation.title ?? "",
  });
}
const kinds = ["all", ...new Set(judged.map(({ group }) => group.kind))];
const rows = kinds.map((kind) =>
  rowOf(
    kind,
    judged.filter(({ group }) => kind === "all" || group.kind === kind),
  ),
);
const tableOptions = { width: process.stdout.columns ?? 160, color: process.stdout.isTTY ?? false };
console.log(renderTable(HEADER, rows, tableOptions));
if (options.misses) printMisses();

function asked({ group: { technology }, report }: SecondReport): TriageRequest {
  if (form === undefined) return report;
  const [error] = memory.incidentOf(report, NOW).evidence.lines;
  const line = error?.text ?? report.title ?? "";
  return asAlert(form, { technology, service: `${technology.toLowerCase()}-ledger`, line });
}

function rowOf(kind: string, reports: readonly Judged[]): string[] {
  const possible = config.POSSIBLE_THRESHOLD;
  const sure = sameFailureFrom(config);
  const same = reports.filter(({ place }) => place !== "other");
  const others = reports.filter(({ place }) => place === "other");
  const share = (of: readonly Judged[], test: (each: Judged) => boolean) =>
    of.length === 0 ? "" : (of.filter(test).length / of.length).toFixed(3);
  const shownAs = (least: number) => (each: Judged) => Math.max(each.own, each.foreign) >= least;
  return [
    kind,
    String(same.length),
    share(same, ({ isOwnFirst }) => isOwnFirst),
    share(same, ({ own }) => own >= possible),
    share(same, ({ own, isOwnFirst }) => isOwnFirst && own >= sure),
    String(others.length),
    share(others, shownAs(possible)),
    share(others, shownAs(sure)),
    share(others, ({ own }) => own >= possible),
  ];
}

function printMisses(): void {
  for (const { group, place, own, foreign, foreignTitle, report } of judged) {
    const isMiss =
      place === "other"
        ? Math.max(own, foreign) >= config.POSSIBLE_THRESHOLD
        : own < config.POSSIBLE_THRESHOLD || foreign > own;
    if (!isMiss) continue;
    console.log(
      `\n${group.id} ${group.kind} ${place}: own ${own.toFixed(2)}, other ${foreign.toFixed(2)} (${foreignTitle})`,
    );
    console.log(`  first: ${group.first.title} | ${group.first.logs ?? ""}`.slice(0, 400));
    console.log(`  asked: ${report.title} | ${report.logs ?? ""}`.slice(0, 400));
  }
}
