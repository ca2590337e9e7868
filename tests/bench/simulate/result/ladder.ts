// The ladder of limits: the first limit of a burst, the change that lifts it, and the next limit after that.

import type { ResourceName, ResourceUse } from "../platform/resources.ts";
import type { PlatformFigures } from "../simulate-burst.ts";
import type { Outcome } from "./outcome.ts";
import { REMEDIES } from "./remedies.ts";

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

/** The first limit that a setting lifts. */
function firstToLift(
  outcome: Outcome,
  figures: PlatformFigures,
  exhausted: ReadonlySet<ResourceName>,
): ResourceUse | undefined {
  return reachedLimits(outcome.uses).find(
    ({ name }) => !exhausted.has(name) && REMEDIES[name].change(figures) !== null,
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

/** Doubles one setting until its resource is no longer the first limit, or until that has no effect. */
async function lift(
  name: ResourceName,
  from: Rung,
  exhausted: ReadonlySet<ResourceName>,
  replay: (figures: PlatformFigures) => Promise<Outcome>,
): Promise<{ readonly to: Rung; readonly change: string | null; readonly withoutEffect: string | null }> {
  let [to, description]: [Rung, string | null] = [from, null];
  for (let doublings = 0; doublings < MAX_DOUBLINGS; doublings++) {
    const change = REMEDIES[name].change(to.figures);
    if (change === null || firstToLift(to.outcome, to.figures, exhausted)?.name !== name) break;
    const outcome = await replay(change.figures);
    const isLifted = !reachedLimits(outcome.uses).some((use) => use.name === name);
    if (!isLifted && lateness(outcome) > lateness(to.outcome) * (1 - MIN_EFFECT))
      return { to, change: description, withoutEffect: change.description };
    to = { figures: change.figures, outcome };
    description = change.description;
  }
  return { to, change: description, withoutEffect: null };
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
    const lifted = await lift(limit.name, rung, exhausted, replay);
    if (lifted.withoutEffect !== null) exhausted.add(limit.name);
    if (lifted.change === null) {
      if (lifted.withoutEffect === null) break;
      withoutEffect.push(lifted.withoutEffect);
      continue;
    }
    rung = lifted.to;
    withoutEffect = lifted.withoutEffect === null ? [] : [lifted.withoutEffect];
    ladder.push({ change: lifted.change, withoutEffect, outcome: rung.outcome, limit: firstLimit(rung.outcome.uses) });
  }
  return ladder;
}
