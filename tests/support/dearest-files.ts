// Reporter: the files of a run that cost the most CPU time, with their time by category.

import { relative } from "node:path";
import type { Reporter, TestModule } from "vitest/node";
import { renderTable } from "../../cli/table.ts";
import "./file-times.ts";

const SHOWN = 20;
const WIDTH = 120;
const HEADER = ["file", "CPU", "wall", "import", "stack", "reset"];
const LEGEND = `CPU: of the file's process and those it started, without the servers of the run; for unit tests, the wall time.
import: includes top-level statements of the file. stack: starting servers and creating stores. reset: emptying stores.
Columns may overlap.`;

export default class DearestFiles implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const rows = modules.map(rowOf).sort((a, b) => (b[1] ?? 0) - (a[1] ?? 0));
    if (rows.length < 2) return;
    const shown = rows.slice(0, SHOWN).map(([file, ...figures]) => [file, ...figures.map(seconds)]);
    console.log(`\nThe dearest ${shown.length} of ${rows.length} files, in seconds:\n`);
    console.log(renderTable(HEADER, shown, { width: WIDTH, color: false }));
    console.log(`\n${LEGEND}`);
  }
}

type Row = readonly [file: string, ...figures: (number | undefined)[]];

function rowOf(module: TestModule): Row {
  const { prepareDuration, setupDuration, collectDuration, duration } = module.diagnostic();
  const { times } = module.meta();
  const total = prepareDuration + setupDuration + collectDuration + duration;
  const file = relative(process.cwd(), module.moduleId);
  return [file, times?.cpu ?? total, total, collectDuration, times?.stack, times?.reset];
}

function seconds(milliseconds: number | undefined): string {
  return milliseconds === undefined ? "" : (milliseconds / 1_000).toFixed(1);
}
