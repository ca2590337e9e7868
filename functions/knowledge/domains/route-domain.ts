// Chooses the domain of an incident and names the rule that decided. Pure functions.

import { type DomainRoute, GENERAL_DOMAIN } from "../../schemas/domain.ts";
import type { SearchScope } from "../../search-index/hybrid-search.ts";
import type { DomainCatalog } from "./domain-catalog.ts";
import type { HintMatch } from "./hint-index.ts";
import { describeRule, type Labels, matchingRules } from "./label-rules.ts";

/** A faint hint (weight 1) never chooses: no report goes to a technology that it does not name. */
const MIN_CHOOSING_WEIGHT = 2;
/**
 * Lighter label rules name where an alert comes from, such as the pod, and prefer the domain: a team's own runbook about
 * the alert may be in another.
 */
const MIN_LIMITING_WEIGHT = 3;
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
  const rule = "undecided: no label and no word chose a domain";
  return { name: GENERAL_DOMAIN, rule, decidedBy: "none", limitsSearch: false, hinted };
}

/**
 * The domain that a label decides: the label `domain`, or a label rule. A rule does not decide if the headline names
 * another technology that the domain excludes, and does not name the domain.
 */
export function labelledDomain(
  catalog: DomainCatalog,
  labels: Labels,
  headline = "",
): Omit<DomainRoute, "hinted"> | undefined {
  const named = labels.domain;
  if (named !== undefined && catalog.domains.has(named))
    return { name: named, rule: `label domain=${named}`, decidedBy: "label", limitsSearch: true };
  const rules = matchingRules(catalog.labelRules, labels);
  if (rules.length === 0) return undefined;
  const excluded = catalog.excludedWords(headline);
  const hints = catalog.hints(headline);
  const decides = (name: string) => !excluded.has(name) || (hints.get(name)?.heaviest ?? 0) >= MIN_CHOOSING_WEIGHT;
  const rule = rules.find(({ name }) => decides(name));
  if (rule === undefined) return undefined;
  const limitsSearch = rule.weight >= MIN_LIMITING_WEIGHT;
  return { name: rule.name, rule: describeRule(rule, labels), decidedBy: "label", limitsSearch };
}

/** What a search covers: the domain that limits it, and `general`; every domain otherwise. */
export function scopeOf({ name, limitsSearch, hinted }: DomainRoute): SearchScope {
  return { only: limitsSearch ? [...new Set([name, GENERAL_DOMAIN])] : null, hinted };
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
  return { name, rule: describeHints(source, match.matches), decidedBy: "words", limitsSearch: false, hinted };
}

function strengthsOf(hints: ReadonlyMap<string, HintMatch>): Record<string, number> {
  return Object.fromEntries([...hints].map(([name, { weight }]) => [name, Math.min(1, weight / FULL_WEIGHT)]));
}
