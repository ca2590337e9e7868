// `npm run simulate`: a burst of alerts through the real code and SQL on a simulated platform. Reports the first limit,
// what to change then, and the limits after that. `-- --help` lists the options.

import { writeFileSync } from "node:fs";
import { COSTS_FILE, readCosts } from "./figures/costs.ts";
import { unlimited } from "./figures/limits.ts";
import { measureCosts } from "./figures/measure.ts";
import { readWranglerSettings } from "./figures/wrangler-settings.ts";
import { OptionError, type Options, readOptions, USAGE } from "./options.ts";
import { loadRecording, saveRecording } from "./replay/recording-file.ts";
import { replayBurst } from "./replay/replay-burst.ts";
import { compareWithLocalStack, describeComparison, differencesOf } from "./result/compare.ts";
import { climbLadder, type Step } from "./result/ladder.ts";
import { isOverloaded } from "./result/outcome.ts";
import { describeLadder, describeOutcome, describeUses } from "./result/report.ts";
import { type PlatformFigures, type Progress, simulateBurst } from "./simulate-burst.ts";
import { startServers } from "./stores.ts";

const PROGRESS_MS = 5_000;

export interface Simulation {
  readonly ladder: readonly Step[];
  /** The last answer of the first step when it is replayed, as a share of when it was run; null if it was only replayed. */
  readonly replayRatio: number | null;
}

async function simulate(options: Options): Promise<Simulation> {
  const figures = { settings: readWranglerSettings(), limits: options.limits, costs: readCosts() };
  const { burst, recording } = options.again ? lastRecording(options) : await record(options, figures);
  const replay = (changed: PlatformFigures) => replayBurst(burst, changed, recording);
  const replayed = await replay(figures);
  // Another figure than that of the recorded burst shows in its replay alone.
  const first = options.again ? replayed : recording.outcome;
  const ladder = await climbLadder({ first, figures, steps: options.steps }, replay);
  const ratio = replayed.stored.answeredAfter.last / recording.outcome.stored.answeredAfter.last;
  return { ladder, replayRatio: options.again ? null : ratio };
}

async function record({ burst }: Options, figures: PlatformFigures) {
  const startedAt = performance.now();
  console.error("Starting PostgreSQL …");
  await using servers = await startServers();
  const run = (limited: PlatformFigures) =>
    servers.withStores((stores) => simulateBurst(burst, limited, { stores, onProgress: createProgress() }));
  const asConfigured = await run(figures);
  const { outcome } = asConfigured;
  if (isOverloaded(outcome))
    console.error("A limit changed what the code did. Running the burst without limits, for the replays …");
  // The calls of an overloaded run are those of its timeouts, repetitions and buffers.
  const recording = isOverloaded(outcome)
    ? { ...(await run({ ...figures, limits: unlimited(figures.limits) })), outcome }
    : asConfigured;
  saveRecording(burst, recording);
  const seconds = (performance.now() - startedAt) / 1_000;
  console.error(`Ran the burst in ${seconds.toFixed(0)} s. Replaying it with changes …`);
  return { burst, recording };
}

/** With the round trips of the options. @throws OptionError when nothing was recorded */
function lastRecording({ burst, seconds }: Options) {
  const last = loadRecording(seconds);
  if (last === undefined) throw new OptionError("--again needs a recorded burst: run npm run simulate first.");
  const regions = last.burst.regions.map((region) => burst.regions.find(({ name }) => name === region.name) ?? region);
  return { recording: last.recording, burst: { ...last.burst, regions, consumerRegion: burst.consumerRegion } };
}

function createProgress(): (progress: Progress) => void {
  let printedAt = performance.now();
  return ({ virtualMs, webhooks, webhooksOpen, backlog }) => {
    if (performance.now() - printedAt < PROGRESS_MS) return;
    printedAt = performance.now();
    const accepted = webhooks - webhooksOpen;
    console.error(
      `  ${(virtualMs / 1_000).toFixed(0)} s simulated: ${accepted} of ${webhooks} webhooks accepted, ${backlog} messages open`,
    );
  };
}

function print({ ladder, replayRatio }: Simulation, { json }: Options): void {
  const first = ladder[0]?.outcome;
  if (first === undefined) return;
  if (json) {
    console.log(JSON.stringify({ ladder, replayRatio }, null, 2));
    return;
  }
  console.log(`${describeOutcome(first)}\n\n${describeUses(first.uses)}\n\n${describeLadder(ladder)}`);
  if (replayRatio === null) return;
  const percent = (replayRatio * 100).toFixed(1);
  console.log(`\nThe replay of step 1 has its last answer at ${percent} % of the time of the run.`);
}

/** @returns the exit code */
function report(violations: readonly string[]): number {
  for (const violation of violations) console.error(`Violated: ${violation}`);
  return violations.length === 0 ? 0 : 1;
}

async function main(args: readonly string[]): Promise<number> {
  const options = readOptions(args);
  if (options === undefined) {
    console.log(USAGE);
    return 0;
  }
  if (options.measure) {
    console.error("Measures operations on a throw-away stack, one at a time. Takes about two minutes.");
    writeFileSync(COSTS_FILE, `${JSON.stringify(await measureCosts((step) => console.error(`  ${step}`)), null, 2)}\n`);
    console.log("Wrote tests/bench/simulate/figures/costs.json.");
    return 0;
  }
  if (options.compare) {
    console.error("Runs 800 alerts through the local Worker, and then simulated. Takes about two minutes.");
    const comparison = await compareWithLocalStack({ settings: readWranglerSettings(), costs: readCosts() });
    console.log(describeComparison(comparison));
    return report(differencesOf(comparison));
  }
  const simulation = await simulate(options);
  print(simulation, options);
  return Math.max(...simulation.ladder.map(({ outcome }) => report(outcome.violations)));
}

if (import.meta.main) {
  try {
    process.exitCode = await main(process.argv.slice(2));
  } catch (error) {
    if (!(error instanceof OptionError)) throw error;
    console.error(error.message);
    process.exitCode = 2;
  }
}
