// `npm run eval:report`: makes the report of the stored runs.

import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { oneLine } from "../../cli/table.ts";
import { REPORTED_RUNS, writeReport } from "./report/write-report.ts";
import { storedRuns } from "./runs/run-store.ts";

const DEFAULT_FOLDER = join(import.meta.dirname, "../../.dejavu/evals");

const USAGE = `Usage: npm run eval:report [-- options]

Makes one HTML page of the stored runs: the newest, and the ${REPORTED_RUNS - 1} before it for comparison.

  --runs <folder>        where the runs are, .dejavu/evals
  --out <file>           the page, report.html in that folder
  --help                 print this`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      runs: { type: "string", default: DEFAULT_FOLDER },
      out: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return;
  }
  const { runs, unreadable } = storedRuns(values.runs);
  for (const each of unreadable) console.error(`Left out: ${oneLine(each)}`);
  if (runs.length === 0) {
    throw new Error(`There is no stored run in ${values.runs}. "npm run eval" makes one; --runs names another folder.`);
  }
  const path = resolve(values.out ?? join(values.runs, "report.html"));
  await writeReport(runs.slice(-REPORTED_RUNS), path);
  console.log(`Report: ${pathToFileURL(path)}`);
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
