// `npm run bench -- error-lines [<folder>…]`: the reader of a report's evidence, its speed and what it finds. Speed on
// a log of 1 MB of each form and on hostile inputs, with the ratio of the times of the whole and the half: about 2 is
// linear, 4 would be quadratic. Then, for each folder of reports, what the judge counts: decisive fragments among the error
// lines, headlines, times, states. VERBOSE=1 lists what is wrong.

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readEvidence } from "../lib/logs/read-evidence.ts";
import { createEvidenceForms } from "./support/evidence-forms.ts";
import { judgedReportSchema, judgeReports } from "./support/evidence-reports.ts";
import { corpusFiles, readJsonLines } from "./support/json-lines.ts";

const MB = 1_000_000;
const ROUNDS = 5;
const EVIDENCE = fileURLToPath(new URL("evidence/", import.meta.url));

function read(logs: string): number {
  return readEvidence({ headline: "The API is slow", logs, target: "api", labels: {} }).lines.length;
}

/** Milliseconds of this thread's CPU in the fastest round: other work of the machine does not count. */
function timeOf(logs: string): number {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    const before = process.threadCpuUsage();
    read(logs);
    const { user, system } = process.threadCpuUsage(before);
    best = Math.min(best, Math.max(0.05, (user + system) / 1_000));
  }
  return best;
}

console.log(`${"form".padEnd(24)} ${"MB/s".padStart(6)} ${"ratio".padStart(6)}`);
const forms = Object.entries(createEvidenceForms(MB));
for (const [, logs] of forms) for (let i = 0; i < 2; i++) read(logs.slice(0, MB / 4));
for (const [name, logs] of forms) {
  const whole = timeOf(logs);
  const half = timeOf(logs.slice(0, logs.length / 2));
  const speed = logs.length / MB / (whole / 1_000);
  console.log(`${name.padEnd(24)} ${speed.toFixed(0).padStart(6)} ${(whole / half).toFixed(2).padStart(6)}`);
}

const TEXTS = ["reports", "hidden"].flatMap((corpus) =>
  ["train", "held_out"].map((set) => join(EVIDENCE, corpus, set)),
);
const folders = process.argv.length > 2 ? process.argv.slice(2) : TEXTS;
for (const folder of folders) {
  const files = corpusFiles(folder).map((name) => {
    return { name, reports: readJsonLines(join(folder, name), judgedReportSchema) };
  });
  console.log(`\n${folder}`);
  for (const line of judgeReports(files)) console.log(line);
}
