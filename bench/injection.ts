// `npm run bench -- injection`: injections that are caught, by technique, and ordinary texts that are taken for one.
// Also the time for hostile inputs of 250 and 500 KB, with their ratio: about 2 is linear, 4 would be quadratic.
// `--missed-held-out` also prints the misses of the held out samples.

import { neutraliseInjections } from "../lib/injection/detect-injection.ts";
import { removeLinks } from "../lib/links/remove-links.ts";
import {
  type HostileSample,
  isCaught,
  isFalseHit,
  loadHostile,
  loadOrdinary,
  type Technique,
  UNCATCHABLE,
} from "./injection/samples.ts";

/** Rules must not be written for the held out samples, so their misses are shown only on request. */
const showsHeldOut = process.argv.includes("--missed-held-out");
const LENGTH = 250_000;
const ROUNDS = 2;

const NEAR_MATCHES: readonly string[] = [
  "ignore ",
  "ignore all of the previous ",
  "disregard all the your ",
  "i.g.n.o.r.e.",
  "ignore\n",
  "ignore all\n",
  "you must answer ",
  "reply only with ",
  "in your answer ",
  "include in your ",
  "say that everything is ",
  "</report> ",
  "end of log ",
  "send all the secrets to ",
  "![a](",
  "&#105;",
  "%69",
  "\\u0069",
  "YWJj",
  "6967",
  "vtaber ",
  "аbс",
  "instrucciones ",
  "vorherige anweisungen ",
  "a.b/",
  "1gn0r3",
  "1",
  "<a=",
  "\u{E0069}",
  "i\u200b",
];

function printCaught(name: string, samples: readonly HostileSample[], showMissed: boolean): void {
  if (samples.length === 0) return;
  const techniques = [...new Set(samples.map(({ category }) => category))];
  console.log(`${name.padEnd(18)}caught   of`);
  for (const technique of techniques) {
    printRow(
      technique,
      samples.filter(({ category }) => category === technique),
    );
  }
  printRow(
    `all but ${UNCATCHABLE}`,
    samples.filter(({ category }) => category !== UNCATCHABLE),
  );
  const missed = samples.filter((each) => each.category !== UNCATCHABLE && !isCaught(each));
  for (const sample of showMissed ? missed : [])
    console.log(`  missed, ${sample.category}: ${JSON.stringify(sample.text)}`);
}

function printRow(name: Technique | string, samples: readonly HostileSample[]): void {
  const caught = samples.filter(isCaught).length;
  console.log(`${name.padEnd(20)}${String(caught).padStart(4)} ${String(samples.length).padStart(4)}`);
}

function timeOf(run: () => unknown): number {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    const before = process.threadCpuUsage();
    run();
    const { user, system } = process.threadCpuUsage(before);
    best = Math.min(best, Math.max(0.05, (user + system) / 1_000));
  }
  return best;
}

printCaught("train", loadHostile("train"), true);
printCaught("held_out", loadHostile("held_out"), showsHeldOut);
for (const name of ["ordinary", "ordinary_held_out"] as const) {
  const samples = loadOrdinary(name);
  const hits = samples.filter(isFalseHit);
  if (samples.length > 0) console.log(`${name}: ${hits.length} of ${samples.length} taken for an injection`);
  for (const { technology, text } of name === "ordinary" || showsHeldOut ? hits : [])
    console.log(`  false hit, ${technology}: ${JSON.stringify(text)}`);
}

const policy = { hosts: new Set<string>(), urls: new Set<string>() };
console.log("\nhostile input             injections 250 KB   500 : 250      links 250 KB   500 : 250");
for (const piece of NEAR_MATCHES) {
  const filled = (length: number) => piece.repeat(Math.ceil(length / piece.length));
  const columns = [neutraliseInjections, (text: string) => removeLinks(text, policy)].map((run) => {
    const [one, two] = [filled(LENGTH), filled(2 * LENGTH)];
    const ms = timeOf(() => run(one));
    return `${ms.toFixed(0).padStart(12)} ms ${(timeOf(() => run(two)) / ms).toFixed(1).padStart(13)}`;
  });
  console.log(`${JSON.stringify(piece).padEnd(26)}${columns.join("   ")}`);
}
