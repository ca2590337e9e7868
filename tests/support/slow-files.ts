// Reporter: the slowest files of a run, with their time by category.

import { relative } from "node:path";
import type { Reporter, TestModule } from "vitest/node";
import { renderTable } from "../../cli/table.ts";
import "./file-times.ts";

const SHOWN = 20;
const WIDTH = 120;
const HEADER = ["file", "total", "import", "stack", "reset", "embedding", "waiting"];
const LEGEND = `import: includes top-level statements of the file. stack: starting servers and creating stores. reset: emptying stores.
embedding: requests to the embedder. waiting: total minus the CPU time of the file's own process. Columns may overlap.`;

export default class SlowFiles implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const rows = modules.map(rowOf).sort((a, b) => (b[1] ?? 0) - (a[1] ?? 0));
    if (rows.length < 2) return;
    const shown = rows.slice(0, SHOWN).map(([file, ...figures]) => [file, ...figures.map(seconds)]);
    console.log(`\nThe slowest ${shown.length} of ${rows.length} files, in seconds:\n`);
    console.log(renderTable(HEADER, shown, { width: WIDTH, color: false }));
    console.log(`\n${LEGEND}`);
  }
}

type Row = readonly [file: string, ...figures: (number | undefined)[]];

function rowOf(module: TestModule): Row {
  const { prepareDuration, setupDuration, collectDuration, duration } = module.diagnostic();
  const { times } = module.meta();
  const total = prepareDuration + setupDuration + collectDuration + duration;
  const waiting = times && Math.max(0, total - times.cpu);
  const file = relative(process.cwd(), module.moduleId);
  return [file, total, collectDuration, times?.stack, times?.reset, times?.embedding, waiting];
}

function seconds(milliseconds: number | undefined): string {
  return milliseconds === undefined ? "" : (milliseconds / 1_000).toFixed(1);
}
