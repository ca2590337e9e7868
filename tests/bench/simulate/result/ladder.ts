// The ladder of limits: the first limit of a burst, the change that lifts it, and the next limit after that.

import type { ResourceName, ResourceUse } from "../platform/resources.ts";
import type { PlatformFigures } from "../simulate-burst.ts";
import type { Outcome } from "./outcome.ts";
import { REMEDIES, type Way } from "./remedies.ts";

export interface Step {
  /** What was changed to get here; null for the settings as they are. */
  readonly change: string | null;
  /** Changes that were tried from here and had no effect. */
  readonly withoutEffect: readonly string[];
  readonly outcome: Outcome;
  /** The first limit of this step; null if none is reached. */
  readonly limit: ResourceUse | null;
}

/** Below this share of all waiting, a limit that refused nothing is not worth a step. */
const MIN_SHARE = 0.02;
/** Doublings of one setting in a step. */
const MAX_DOUBLINGS = 5;
/** A change that makes all waiting shorter by less has no effect. */
const MIN_EFFECT = 0.1;
/** Milliseconds of waiting that a refusal counts as. */
const REFUSAL_MS = 1_000;

/** The limits that the burst reached and that matter, the first one first. */
export function reachedLimits(uses: readonly ResourceUse[]): ResourceUse[] {
  const waited = uses.reduce((sum, { waitedMs }) => sum + waitedMs, 0);
  return uses
    .filter(({ reachedAt, waitedMs, refused }) => reachedAt !== null && (refused > 0 || waitedMs >= waited * MIN_SHARE))
    .sort((a, b) => (a.reachedAt ?? 0) - (b.reachedAt ?? 0));
}

export function firstLimit(uses: readonly ResourceUse[]): ResourceUse | null {
  return reachedLimits(uses)[0] ?? null;
}

/** The first limit that a setting may lift. */
function firstToLift(
  outcome: Outcome,
  figures: PlatformFigures,
  exhausted: ReadonlySet<ResourceName>,
): ResourceUse | undefined {
  return reachedLimits(outcome.uses).find(
    ({ name }) => !exhausted.has(name) && REMEDIES[name].ways.some((way) => way(figures) !== null),
  );
}

/** How long all work waited, refusals included. */
function lateness({ uses }: Outcome): number {
  return uses.reduce((sum, { waitedMs, refused }) => sum + waitedMs + refused * REFUSAL_MS, 0);
}

interface Rung {
  readonly figures: PlatformFigures;
  readonly outcome: Outcome;
}

interface Lift {
  readonly to: Rung;
  /** Null if no change had an effect. */
  readonly change: string | null;
  readonly withoutEffect: readonly string[];
}

type Replay = (figures: PlatformFigures) => Promise<Outcome>;

/** Tries the ways to lift a limit until one has an effect. */
async function lift(name: ResourceName, from: Rung, replay: Replay): Promise<Lift> {
  const withoutEffect: string[] = [];
  for (const way of REMEDIES[name].ways) {
    const lifted = await liftBy(way, name, from, replay);
    withoutEffect.push(...lifted.withoutEffect);
    if (lifted.change !== null) return { ...lifted, withoutEffect };
  }
  return { to: from, change: null, withoutEffect };
}

/** Doubles one setting until the resource is no limit any more, or until that has no effect. */
async function liftBy(way: Way, name: ResourceName, from: Rung, replay: Replay): Promise<Lift> {
  let [to, description]: [Rung, string | null] = [from, null];
  for (let doublings = 0; doublings < MAX_DOUBLINGS; doublings++) {
    const change = way(to.figures);
    if (change === null || firstLimit(to.outcome.uses)?.name !== firstLimit(from.outcome.uses)?.name) break;
    const outcome = await replay(change.figures);
    const isLifted = !reachedLimits(outcome.uses).some((use) => use.name === name);
    if (!isLifted && lateness(outcome) > lateness(to.outcome) * (1 - MIN_EFFECT))
      return { to, change: description, withoutEffect: [change.description] };
    to = { figures: change.figures, outcome };
    description = change.description;
    if (isLifted) break;
  }
  return { to, change: description, withoutEffect: [] };
}

/**
 * @param first outcome with the settings as they are
 * @param steps the most changes
 * @param replay simulates the burst again with other figures
 */
export async function climbLadder(
  { first, figures, steps }: { readonly first: Outcome; readonly figures: PlatformFigures; readonly steps: number },
  replay: (figures: PlatformFigures) => Promise<Outcome>,
): Promise<Step[]> {
  let withoutEffect: string[] = [];
  const ladder: Step[] = [{ change: null, withoutEffect, outcome: first, limit: firstLimit(first.uses) }];
  const exhausted = new Set<ResourceName>();
  let rung: Rung = { figures, outcome: first };
  while (ladder.length <= steps) {
    const limit = firstToLift(rung.outcome, rung.figures, exhausted);
    if (limit === undefined) break;
    const lifted = await lift(limit.name, rung, replay);
    withoutEffect.push(...lifted.withoutEffect);
    if (lifted.change === null) {
      exhausted.add(limit.name);
      continue;
    }
    rung = lifted.to;
    withoutEffect = [];
    ladder.push({ change: lifted.change, withoutEffect, outcome: rung.outcome, limit: firstLimit(rung.outcome.uses) });
  }
  return ladder;
}
