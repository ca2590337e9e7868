// `npm run bench -- hostile`: the time that every parser of foreign text takes for hostile texts. Prints the slowest
// text of each parser and the growth of its time when the text is twice as long: about 2 is linear, 4 is quadratic.
// Ends with exit code 1 if the time of a slow one grows more than linearly.

import { PARSERS } from "./hostile/parsers.ts";
import { HOSTILE_PIECES } from "./hostile/pieces.ts";

/** Characters, and twice as many. */
const LENGTH = Number(process.argv[2] ?? 100_000);
/** Milliseconds below which a ratio is noise. */
const NOTICEABLE_MS = 20;
/** Above linear with the noise of one run, below quadratic. */
const MAX_GROWTH = 3;

/** Milliseconds of this thread's processor, so that other programs do not count; the shortest of several rounds. */
function time(run: () => unknown, rounds: number): number {
  let ms = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) {
    const start = process.threadCpuUsage();
    run();
    const { user, system } = process.threadCpuUsage(start);
    ms = Math.min(ms, (user + system) / 1_000);
  }
  return ms;
}

/** The text with its beginning and its end, since a parser may read on in the hope of an end. */
function filled({ start = "", piece, end = "" }: { start?: string; piece: string; end?: string }, length: number) {
  return start + piece.repeat(Math.ceil(length / piece.length)).slice(0, length) + end;
}

let failures = 0;
const only = process.argv[3];
console.log(`${"parser".padEnd(26)}${"slowest text".padEnd(28)}${"time".padStart(9)}   growth at twice the length`);
for (const [name, parse] of Object.entries(PARSERS)) {
  if (only !== undefined && !name.includes(only)) continue;
  let slowest = { text: "", ms: 0, growth: 0 };
  const superlinear: string[] = [];
  for (const [text, parts] of Object.entries(HOSTILE_PIECES)) {
    const [short, long] = [filled(parts, LENGTH), filled(parts, 2 * LENGTH)];
    const first = time(() => parse(short), 1);
    // Most texts take no time; only the others are repeated.
    const ms =
      first < NOTICEABLE_MS
        ? first
        : Math.min(
            first,
            time(() => parse(short), 2),
          );
    const growth = ms < NOTICEABLE_MS ? 0 : time(() => parse(long), 2) / ms;
    if (growth > MAX_GROWTH) superlinear.push(`${text} ×${growth.toFixed(1)}`);
    if (ms > slowest.ms) slowest = { text, ms, growth };
  }
  failures += superlinear.length;
  const growth = slowest.growth === 0 ? "-" : slowest.growth.toFixed(1);
  console.log(`${name.padEnd(26)}${slowest.text.padEnd(28)}${`${slowest.ms.toFixed(0)} ms`.padStart(9)}   ${growth}`);
  if (superlinear.length > 0) console.log(`  more than linear: ${superlinear.join(", ")}`);
}
console.log(failures === 0 ? "\nEvery parser is linear." : `\n${failures} texts take more than linear time.`);
process.exitCode = failures === 0 ? 0 : 1;
