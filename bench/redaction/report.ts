// `npm run bench -- redaction`: recall of redaction by category, ordinary lines that it changes, and its speed. Reads
// the samples in bench/redaction/samples. The speed is beside reading the text once. `--missed` prints what was missed
// and changed.

import { redact } from "../../lib/redaction/redact.ts";
import { measure, type RedactionFigures, type Share } from "./measure.ts";
import { loadSamples, type Part } from "./samples.ts";

const ROUNDS = 6;
const TEXT_LENGTH = 4_000_000;

const percent = ({ caught, total }: Share) =>
  `${caught} of ${total}`.padStart(12) + (total === 0 ? "" : `${((100 * caught) / total).toFixed(1)} %`.padStart(9));

function print(part: Part, figures: RedactionFigures, ordinary: number): void {
  console.log(`\n${part}`);
  for (const [category, share] of figures.categories) console.log(`  ${category.padEnd(24)}${percent(share)}`);
  console.log(`  ${"all".padEnd(24)}${percent(figures.all)}`);
  console.log(`  ${"only a reader can find".padEnd(24)}${percent(figures.unfair)}`);
  console.log(`  ${"removed too much".padEnd(24)}${String(figures.overreach.length).padStart(12)}`);
  console.log(`  ${"ordinary lines changed".padEnd(24)}${`${figures.changed.length} of ${ordinary}`.padStart(12)}`);
  if (!process.argv.includes("--missed")) return;
  for (const { sample, output } of figures.missed) console.log(`  missed   ${sample.category}: ${output}`);
  for (const { output } of figures.overreach) console.log(`  too much ${output}`);
  for (const { output } of figures.changed) console.log(`  changed  ${output}`);
}

/** The shortest time of several rounds, in milliseconds. */
function best(run: () => unknown): number {
  let ms = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now();
    run();
    ms = Math.min(ms, performance.now() - start);
  }
  return ms;
}

/** Reads each character once, as any scan must. */
function readOnce(text: string): number {
  let sum = 0;
  for (let i = 0; i < text.length; i++) sum = (sum + text.charCodeAt(i)) | 0;
  return sum;
}

for (const part of ["train", "held-out"] as const) {
  const samples = loadSamples(part);
  if (samples.samples.length + samples.ordinary.length === 0) console.log(`\n${part}: no samples`);
  else print(part, measure(samples), samples.ordinary.length);
}

const { ordinary } = loadSamples("train");
const lines = `${ordinary.map(({ text }) => text).join("\n")}\n`;
const text = lines.repeat(Math.ceil(TEXT_LENGTH / lines.length));
const [scrub, read] = [best(() => redact(text)), best(() => readOnce(text))];
console.log(
  `\nspeed: ${(text.length / 1000 / scrub).toFixed(0)} MB/s on the ordinary lines, ${(scrub / read).toFixed(1)} times as long as reading them once`,
);
