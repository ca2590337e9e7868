// Options of `npm run simulate`.

import { parseArgs } from "node:util";
import type { Burst } from "./burst/burst.ts";
import { isLimitName, LIMIT_NAMES, type LimitName, publishedLimits } from "./figures/limits.ts";
import { REGIONS, type Region } from "./figures/regions.ts";

export interface Options {
  readonly burst: Burst;
  readonly limits: Readonly<Record<LimitName, number>>;
  /** Changes of the ladder. */
  readonly steps: number;
  readonly json: boolean;
  /** Replays the last recorded burst instead of running one. */
  readonly again: boolean;
  /** Undefined if not given. */
  readonly seconds: number | undefined;
  readonly measure: boolean;
  readonly compare: boolean;
}

/** A wrong option: the message names it and says what is accepted. */
export class OptionError extends Error {
  override readonly name = "OptionError";
}

export const USAGE = `npm run simulate -- [options]
  --alerts <n>              distinct alerts (100000)
  --teams <n>               teams, each with a domain and a token (1000)
  --tokens <n>              access tokens that the teams share (as many as teams; 1 is one Alertmanager for all)
  --regions <n>             regions of the senders, 1 to ${REGIONS.length} (10)
  --rules <n>               alert names of each team (4)
  --repeats <share>         webhooks that are sent twice, 0 to 1 (0.2)
  --seconds <n>             time in which the webhooks are sent (300)
  --seed <n>                the same seed gives the same result (1)
  --consumer-region <name>  where the queue's consumers run (${REGIONS[0]?.name})
  --rtt <region>=<ms>       another round trip of a region to the stores; may be repeated
  --set <limit>=<value>     another limit; may be repeated: ${LIMIT_NAMES.join(", ")}
  --steps <n>               changes to try, 0 to 10 (5)
  --again                   replays the last burst with other --seconds, --set, --rtt, --steps or settings
  --json                    the result as JSON
  --measure                 records the costs of operations anew, and ends
  --compare                 compares a small burst with the same one through the local Worker, and ends`;

const OPTIONS = {
  alerts: { type: "string", default: "100000" },
  teams: { type: "string", default: "1000" },
  tokens: { type: "string" },
  regions: { type: "string", default: String(REGIONS.length) },
  rules: { type: "string", default: "4" },
  repeats: { type: "string", default: "0.2" },
  seconds: { type: "string" },
  seed: { type: "string", default: "1" },
  "consumer-region": { type: "string", default: REGIONS[0]?.name ?? "" },
  rtt: { type: "string", multiple: true },
  set: { type: "string", multiple: true },
  steps: { type: "string", default: "5" },
  json: { type: "boolean", default: false },
  again: { type: "boolean", default: false },
  measure: { type: "boolean", default: false },
  compare: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

const DEFAULT_SECONDS = 300;
const MAX_ALERTS_OF_A_WEBHOOK = 500;

/** @returns undefined if only help is wanted @throws OptionError */
export function readOptions(args: readonly string[]): Options | undefined {
  const values = parse(args);
  if (values.help) return undefined;
  const whole = (name: string, text: string, min: number, max: number): number => {
    const value = Number(text);
    if (text.trim() !== "" && Number.isInteger(value) && value >= min && value <= max) return value;
    throw new OptionError(`--${name} is ${text}: it must be a whole number from ${min} to ${max}.`);
  };
  const alerts = whole("alerts", values.alerts, 1, 1_000_000);
  const teams = whole("teams", values.teams, 1, 10_000);
  const rules = whole("rules", values.rules, 1, 100);
  if (alerts < teams)
    throw new OptionError(`--alerts is ${alerts}, but there are ${teams} teams: each needs an alert.`);
  if (alerts / teams / rules > MAX_ALERTS_OF_A_WEBHOOK)
    throw new OptionError(`--rules is ${rules}: a webhook would have more than ${MAX_ALERTS_OF_A_WEBHOOK} alerts.`);
  const repeats = Number(values.repeats);
  if (!(repeats >= 0 && repeats <= 1)) throw new OptionError(`--repeats is ${values.repeats}: it must be from 0 to 1.`);
  const seconds = values.seconds === undefined ? undefined : whole("seconds", values.seconds, 1, 3_600);
  const regions = readRegions(values.rtt ?? []);
  return {
    burst: {
      alerts,
      teams,
      rules,
      repeats,
      tokens: values.tokens === undefined ? teams : whole("tokens", values.tokens, 1, teams),
      seconds: seconds ?? DEFAULT_SECONDS,
      seed: whole("seed", values.seed, 0, 2 ** 31),
      regions: regions.slice(0, whole("regions", values.regions, 1, REGIONS.length)),
      consumerRegion: regionNamed(regions, values["consumer-region"], "--consumer-region"),
    },
    limits: readLimits(values.set ?? []),
    steps: whole("steps", values.steps, 0, 10),
    json: values.json,
    again: values.again,
    seconds,
    measure: values.measure,
    compare: values.compare,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS }).values;
  } catch (error) {
    throw new OptionError(`${error instanceof Error ? error.message : error} Try --help.`);
  }
}

function readRegions(changes: readonly string[]): readonly Region[] {
  const changed = new Map<string, number>();
  for (const change of changes) {
    const { name, value } = readAssignment("--rtt", change);
    changed.set(regionNamed(REGIONS, name, "--rtt").name, value);
  }
  return REGIONS.map(({ name, roundTripMs }) => ({ name, roundTripMs: changed.get(name) ?? roundTripMs }));
}

function regionNamed(regions: readonly Region[], name: string, option: string): Region {
  const region = regions.find((each) => each.name === name);
  if (region !== undefined) return region;
  throw new OptionError(
    `${option} names ${name}, which is no region. It may be ${REGIONS.map((each) => each.name).join(", ")}.`,
  );
}

function readLimits(changes: readonly string[]): Record<LimitName, number> {
  const limits = publishedLimits();
  for (const change of changes) {
    const { name, value } = readAssignment("--set", change);
    if (!isLimitName(name))
      throw new OptionError(`--set names ${name}, which is no limit. It may be ${LIMIT_NAMES.join(", ")}.`);
    limits[name] = value;
  }
  return limits;
}

function readAssignment(option: string, text: string): { readonly name: string; readonly value: number } {
  const [name = "", value = "", ...rest] = text.split("=");
  const number = Number(value);
  if (rest.length === 0 && value.trim() !== "" && Number.isFinite(number) && number > 0) return { name, value: number };
  throw new OptionError(`${option} is ${text}: it must be <name>=<number above 0>.`);
}
