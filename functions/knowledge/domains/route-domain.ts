// Chooses the domain of an incident and names the rule that decided. Pure functions.

import { type DomainRoute, GENERAL_DOMAIN } from "../../schemas/domain.ts";
import type { SearchScope } from "../../search-index/hybrid-search.ts";
import type { DomainCatalog } from "./domain-catalog.ts";
import type { HintMatch } from "./hint-index.ts";
import { describeRule, type Labels, matchingRules } from "./label-rules.ts";

/** A faint hint (weight 1) never chooses: no report goes to a technology that it does not name. */
const MIN_CHOOSING_WEIGHT = 2;
/** The weight of hints that prefers a domain fully. */
const FULL_WEIGHT = 3;

export interface ReportText {
  readonly labels: Labels;
  /** Title and question. */
  readonly headline: string;
  /** Target, labels and logs, which also mention side effects. */
  readonly details: string;
}

/** By the first deciding label, else by the strongest words of the headline, else by those of the details. */
export function routeDomain(catalog: DomainCatalog, { labels, headline, details }: ReportText): DomainRoute {
  const inHeadline = catalog.hints(headline);
  const chosenByHeadline = strongest(inHeadline);
  const labelled = labelledDomain(catalog, labels, headline);
  if (labelled !== undefined) return { ...labelled, hinted: { ...strengthsOf(inHeadline), [labelled.name]: 1 } };
  if (chosenByHeadline) return chosenRoute(chosenByHeadline, "words", strengthsOf(inHeadline));
  const inDetails = catalog.hints(details);
  const hinted = { ...strengthsOf(inDetails), ...strengthsOf(inHeadline) };
  const chosenByDetails = strongest(inDetails);
  if (chosenByDetails) return chosenRoute(chosenByDetails, "words in labels or logs", hinted);
  return { name: GENERAL_DOMAIN, rule: "undecided: no label and no word chose a domain", decidedBy: "none", hinted };
}

/**
 * The domain that a label decides: the label `domain`, or a label rule. A rule does not decide if the headline names
 * another technology that the domain excludes, and does not name the domain.
 */
export function labelledDomain(
  catalog: DomainCatalog,
  labels: Labels,
  headline = "",
): Pick<DomainRoute, "name" | "rule" | "decidedBy"> | undefined {
  const named = labels.domain;
  if (named !== undefined && catalog.domains.has(named))
    return { name: named, rule: `label domain=${named}`, decidedBy: "label" };
  const rules = matchingRules(catalog.labelRules, labels);
  if (rules.length === 0) return undefined;
  const excluded = catalog.excludedWords(headline);
  const hints = catalog.hints(headline);
  const decides = (name: string) => !excluded.has(name) || (hints.get(name)?.heaviest ?? 0) >= MIN_CHOOSING_WEIGHT;
  const rule = rules.find(({ name }) => decides(name));
  return rule && { name: rule.name, rule: describeRule(rule, labels), decidedBy: "label" };
}

/** What a search covers: a domain that a caller or a label chose, and `general`; every domain otherwise. */
export function scopeOf({ name, decidedBy, hinted }: DomainRoute): SearchScope {
  const isLimited = decidedBy === "caller" || decidedBy === "label";
  return { only: isLimited ? [...new Set([name, GENERAL_DOMAIN])] : null, hinted };
}

/** For example `words "exit code 137", "oom-kill"`. */
export function describeHints(source: string, matches: readonly string[]): string {
  return `${source} ${matches.map((text) => `"${text}"`).join(", ")}`;
}

interface Chosen {
  readonly name: string;
  readonly match: HintMatch;
}

function strongest(hints: ReadonlyMap<string, HintMatch>): Chosen | undefined {
  let best: Chosen | undefined;
  for (const [name, match] of hints) {
    if (match.heaviest < MIN_CHOOSING_WEIGHT) continue;
    const isStronger =
      best === undefined ||
      match.weight > best.match.weight ||
      (match.weight === best.match.weight && name < best.name);
    if (isStronger) best = { name, match };
  }
  return best;
}

function chosenRoute({ name, match }: Chosen, source: string, hinted: DomainRoute["hinted"]): DomainRoute {
  return { name, rule: describeHints(source, match.matches), decidedBy: "words", hinted };
}

function strengthsOf(hints: ReadonlyMap<string, HintMatch>): Record<string, number> {
  return Object.fromEntries([...hints].map(([name, { weight }]) => [name, Math.min(1, weight / FULL_WEIGHT)]));
}
