// The ladder of limits: the first limit of a burst, the change that lifts it, and the next limit after that.

import type { ResourceName, ResourceUse } from "../platform/resources.ts";
import type { PlatformFigures } from "../simulate-burst.ts";
import type { Outcome } from "./outcome.ts";
import { REMEDIES } from "./remedies.ts";

export interface Step {
  /** What was changed to get here; null for the settings as they are. */
  readonly change: string | null;
  readonly outcome: Outcome;
  /** The first limit of this step; null if none is reached. */
  readonly limit: ResourceUse | null;
}

/** Below this share of all waiting, a limit that refused nothing is not worth a step. */
const MIN_SHARE = 0.02;
/** Doublings of one setting in a step. */
const MAX_DOUBLINGS = 5;
/** A change that makes the last answer come sooner by less has no effect. */
const MIN_EFFECT = 0.02;

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
  given: ReadonlySet<ResourceName>,
): ResourceUse | undefined {
  return reachedLimits(outcome.uses).find(({ name }) => !given.has(name) && REMEDIES[name].change(figures) !== null);
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
  const ladder: Step[] = [{ change: null, outcome: first, limit: firstLimit(first.uses) }];
  /** Limits that a change did not move. */
  const given = new Set<ResourceName>();
  let [current, outcome] = [figures, first];
  while (ladder.length <= steps) {
    const limit = firstToLift(outcome, current, given);
    if (limit === undefined) break;
    let description: string | null = null;
    const before = outcome.stored.answeredAfter.last;
    for (
      let doublings = 0;
      doublings < MAX_DOUBLINGS && firstToLift(outcome, current, given)?.name === limit.name;
      doublings++
    ) {
      const change = REMEDIES[limit.name].change(current);
      if (change === null) break;
      const next = await replay(change.figures);
      const isBetter = next.stored.answeredAfter.last < outcome.stored.answeredAfter.last * (1 - MIN_EFFECT);
      const isLifted = !reachedLimits(next.uses).some(({ name }) => name === limit.name);
      if (!isBetter && !isLifted) {
        given.add(limit.name);
        break;
      }
      [current, outcome, description] = [change.figures, next, change.description];
    }
    if (description === null) {
      given.add(limit.name);
      continue;
    }
    if (outcome.stored.answeredAfter.last > before * (1 - MIN_EFFECT)) given.add(limit.name);
    ladder.push({ change: description, outcome, limit: firstLimit(outcome.uses) });
  }
  return ladder;
}
