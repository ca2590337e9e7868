// Label rules that must not be stored beside those of another domain. Pure functions.

import type { DefinedDomain, LabelRuleDefinition } from "./domain-definition.ts";
import { covers, namedLabels } from "./label-rules.ts";

export interface LabelConflict {
  /** Path of the rule in the definition. */
  readonly path: readonly (string | number)[];
  /** Sentence with the label and the other domain. */
  readonly message: string;
}

type Match = LabelRuleDefinition["match"];

const NAMES_NO_VALUE =
  "names no value, so reports of every domain would fulfil it: a token that is restricted to domains has to name a value of one label, or a pattern with three characters beside the stars";

/**
 * Label rules of a definition that claim what a rule of another domain claims. A restricted caller must not name a value
 * that another domain names either, whatever other labels the rule has. Rules that the domain has already may stay.
 */
export function findLabelConflicts(
  { name, definition }: DefinedDomain,
  stored: readonly DefinedDomain[],
  { isRestricted }: { readonly isRestricted: boolean } = { isRestricted: false },
): LabelConflict[] {
  const overlap = isRestricted ? shareValue : claimSame;
  const own = stored.filter((domain) => domain.name === name).flatMap((domain) => domain.definition.labels.map(keyOf));
  const others = stored.filter((domain) => domain.name !== name);
  const problemOf = (rule: LabelRuleDefinition): string | null => {
    if (isRestricted && own.includes(keyOf(rule))) return null;
    const { match } = rule;
    const labels = Object.entries(match).map(([label, values]) => `${label}=${values.join("|")}`);
    const claim = `claims ${labels.join(" with ")}`;
    if (isRestricted && namedLabels(match).length === 0) return `${claim} and ${NAMES_NO_VALUE}`;
    const owner = others.find((other) => other.definition.labels.some((theirs) => overlap(match, theirs.match)));
    return owner === undefined
      ? null
      : `${claim}, which the domain ${owner.name} claims already: name labels or values of your own, or change ${owner.name} first`;
  };
  return definition.labels.flatMap((rule, i): LabelConflict[] => {
    const message = problemOf(rule);
    return message === null ? [] : [{ path: ["labels", i, "match"], message }];
  });
}

/** Whether both rules name values of the same labels, and a common value of each: nothing but a name would decide. */
function claimSame(a: Match, b: Match): boolean {
  const labels = claimedLabels(a);
  const theirs = new Set(claimedLabels(b));
  return (
    labels.length === theirs.size &&
    labels.every((label) => theirs.has(label) && someValues(a, b, label, (x, y) => x.toLowerCase() === y.toLowerCase()))
  );
}

/** The labels that decide whose the report is: those with a value, or all if none has one. */
function claimedLabels(match: Match): string[] {
  const named = namedLabels(match);
  return named.length > 0 ? named : Object.keys(match);
}

/** Whether the rules name values of a common label, and of each such label one that fits the other's. */
function shareValue(a: Match, b: Match): boolean {
  const theirs = new Set(namedLabels(b));
  const shared = namedLabels(a).filter((label) => theirs.has(label));
  return shared.length > 0 && shared.every((label) => someValues(a, b, label, (x, y) => covers(x, y) || covers(y, x)));
}

function someValues(a: Match, b: Match, label: string, areOne: (x: string, y: string) => boolean): boolean {
  return a[label]?.some((x) => b[label]?.some((y) => areOne(x, y))) ?? false;
}

/** Equal for equal rules: Postgres orders the labels of a stored one anew. */
function keyOf({ match, weight }: LabelRuleDefinition): string {
  return JSON.stringify([weight, Object.entries(match).sort()]);
}
