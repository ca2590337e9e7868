// `dejavu eval report`: writes the HTML report of the stored runs.

import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { oneLine } from "../cli/table.ts";
import { REPORTED_RUNS, writeReport } from "./report/write-report.ts";
import { readRelevanceAnswers } from "./runs/relevance-answers.ts";
import { RUNS_FOLDER, storedRuns } from "./runs/run-store.ts";

const USAGE = `Usage: dejavu eval report [options]

Writes one HTML page about the newest stored run, compared with the ${REPORTED_RUNS - 1} runs before it.

  --runs <folder>        folder with the stored runs (default: .dejavu/evals)
  --out <file>           the page to write (default: report.html in that folder)
  --relevance <file>     adds the calibration of these answers of npm run bench -- relevance --json <file>
  --help                 print this help`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      runs: { type: "string", default: RUNS_FOLDER },
      out: { type: "string" },
      relevance: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return;
  }
  const { runs, unreadable } = storedRuns(values.runs);
  for (const message of unreadable) console.error(`Left out: ${oneLine(message)}`);
  if (runs.length === 0) {
    throw new Error(
      `There is no stored run in ${values.runs}. Make one with "dejavu eval", or name another folder with --runs.`,
    );
  }
  const path = resolve(values.out ?? join(values.runs, "report.html"));
  const relevance = values.relevance === undefined ? null : readRelevanceAnswers(values.relevance);
  await writeReport(runs.slice(-REPORTED_RUNS), path, relevance);
  console.log(`Report: ${pathToFileURL(path)}`);
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
