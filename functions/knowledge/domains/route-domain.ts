// Chooses the domain of an incident and names the rule that decided. Pure functions.

import { withoutName } from "../../../lib/text/without-name.ts";
import { type DomainRoute, GENERAL_DOMAIN, type SearchScope } from "../../schemas/domain.ts";
import type { DomainCatalog } from "./domain-catalog.ts";
import type { HintMatch } from "./hint-index.ts";
import { describeRule, type LabelRule, type Labels, matchingRules } from "./label-rules.ts";

/**
 * A faint hint (weight 1) never chooses: no report goes to a technology that it does not name. A faint label rule says where
 * an alert comes from, such as the pod.
 */
const MIN_CHOOSING_WEIGHT = 2;
/** Lighter label rules prefer the domain: a team's own runbook about the alert may be in another. */
const MIN_LIMITING_WEIGHT = 3;
/** The heaviest hint of a domain prefers it fully at this weight. Many faint hints do not name a domain. */
const FULL_WEIGHT = 3;
/** One word of full weight, or two that are usual in the domain, name it with certainty. */
const FIRM_SUM = 4;
/** Logs and labels also mention what else runs there. */
const DETAILS_SHARE = 0.5;

export interface ReportText {
  readonly labels: Labels;
  /** Title and question. */
  readonly headline: string;
  /** Target, labels and logs, which also mention side effects. */
  readonly details: string;
}

/** Late label rules and hints come last: a report that anything else decides stays in its domain. */
export function routeDomain(catalog: DomainCatalog, text: ReportText): DomainRoute {
  return routeLate(catalog, text, routeFirst(catalog, text));
}

/** By the first deciding label, else by the strongest words of the headline, else by those of the details. */
export function routeFirst(catalog: DomainCatalog, text: ReportText): DomainRoute {
  const route = chooseDomain(catalog, text);
  return { ...route, excluded: excludedDomains(catalog, text, route.name) };
}

/**
 * The route by the late label rule or hint that was stored first, of those that the report fulfils, if nothing decided and
 * no label says where it runs. A late label rule of the domain that its words chose decides for it.
 */
export function routeLate(catalog: DomainCatalog, text: ReportText, route: DomainRoute): DomainRoute {
  if (route.decidedBy === "label" || (route.decidedBy === "none" && route.name !== catalog.fallback)) return route;
  const [first] = [...lateRules(catalog, text), ...lateHints(catalog, text)]
    .filter(({ choice }) => route.decidedBy === "none" || (choice.decidedBy === "label" && choice.name === route.name))
    .sort((a, b) => a.place - b.place);
  if (first === undefined) return route;
  const { choice } = first;
  const preferred = preferencesOf(catalog, { ...route.preferred, [choice.name]: 1 });
  return { ...choice, preferred, excluded: excludedDomains(catalog, text, choice.name) };
}

interface LateChoice {
  readonly place: number;
  readonly choice: Omit<Choice, "preferred">;
}

function lateRules(catalog: DomainCatalog, text: ReportText): LateChoice[] {
  return decidingRules(catalog, catalog.late.labelRules, text).map((rule) => ({
    place: rule.place,
    choice: labelChoice(rule, text.labels),
  }));
}

function lateHints({ late }: DomainCatalog, { headline, details }: ReportText): LateChoice[] {
  const choicesBy = (part: string, source: string, mayBeFirm: boolean) =>
    [...late.hints(part)].flatMap(([key, match]): LateChoice[] => {
      const name = late.domainOf.get(key);
      if (name === undefined || match.heaviest < MIN_CHOOSING_WEIGHT) return [];
      const choice = wordChoice({ name, match }, source);
      return [{ place: Number(key), choice: { ...choice, isFirm: choice.isFirm && mayBeFirm } }];
    });
  return [...choicesBy(headline, "words", true), ...choicesBy(details, "words in labels or logs", false)];
}

/**
 * The domains with `only_when_decided` that are not the chosen one, that the headline does not name and no label rule
 * matches. A report may name two domains: a system and its database.
 */
function excludedDomains(catalog: DomainCatalog, { labels, headline }: ReportText, chosen: string): string[] {
  if (catalog.onlyWhenDecided.size === 0) return [];
  const { late } = catalog;
  const labelled = [...matchingRules(catalog.labelRules, labels), ...matchingRules(late.labelRules, labels)];
  const strong = (hints: ReadonlyMap<string, HintMatch>) =>
    [...hints].filter(([, { heaviest }]) => heaviest >= MIN_CHOOSING_WEIGHT).map(([key]) => key);
  const decided = new Set([
    chosen,
    ...labelled.map(({ name }) => name),
    ...strong(catalog.hints(headline)),
    ...strong(late.hints(headline)).map((key) => late.domainOf.get(key)),
  ]);
  return [...catalog.onlyWhenDecided].filter((name) => !decided.has(name));
}

type Choice = Omit<DomainRoute, "excluded">;

/** By a deciding label, else by words. A label of the place takes the place of `general` where nothing decides. */
function chooseDomain(catalog: DomainCatalog, text: ReportText): Choice {
  const { labels, headline, details } = text;
  const labelled = labelledDomain(catalog, labels, headline);
  if (labelled !== undefined) {
    const inDetails = strengthsOf(catalog.hints(details), DETAILS_SHARE);
    const hinted = strongerOf(strengthsOf(catalog.hints(headline)), inDetails);
    return { ...labelled, preferred: preferencesOf(catalog, { ...hinted, [labelled.name]: 1 }) };
  }
  const [place] = rulesFor(catalog, catalog.labelRules, text).filter(({ weight }) => weight < MIN_CHOOSING_WEIGHT);
  if (place === undefined) return chooseByWords(catalog, text);
  const { name, weight } = place;
  const choice = chooseByWords(catalog, withoutPlace(text), { [name]: weight / FULL_WEIGHT });
  if (choice.decidedBy !== "none")
    return choice.name === name ? { ...choice, preferred: { ...choice.preferred, [name]: 1 } } : choice;
  const rule = `undecided: ${describeRule(place, labels)} says only where it runs, and no word chose a domain`;
  return { ...choice, name, rule, isFirm: true };
}

/** @param place how strongly labels of the place hint at a domain */
function chooseByWords(
  catalog: DomainCatalog,
  { headline, details }: Pick<ReportText, "headline" | "details">,
  place: DomainRoute["preferred"] = {},
): Choice {
  const inHeadline = catalog.hints(headline);
  const chosenByHeadline = strongest(inHeadline, catalog.names(headline));
  const inDetails = catalog.hints(details);
  const named = catalog.names(details);
  const preferredBy = (shareOfDetails: number) => {
    const byWords = strongerOf(strengthsOf(inHeadline), strengthsOf(inDetails, shareOfDetails));
    return preferencesOf(catalog, strongerOf(byWords, place));
  };
  if (chosenByHeadline && !isOutweighed(chosenByHeadline, inDetails, named))
    return { ...wordChoice(chosenByHeadline, "words"), preferred: preferredBy(DETAILS_SHARE) };
  const chosenByDetails = strongest(chosenByHeadline ? without(inDetails, chosenByHeadline.name) : inDetails, named);
  if (chosenByDetails) return { ...wordChoice(chosenByDetails, "words in labels or logs"), preferred: preferredBy(1) };
  const rule = "undecided: no label and no word chose a domain";
  const isFirm = false;
  return { name: catalog.fallback, rule, decidedBy: "none", limitsSearch: false, isFirm, preferred: preferredBy(1) };
}

/** The text without the labels and their values: a pod may be called after a database. The alert's name says what failed. */
function withoutPlace({ labels, headline, details }: ReportText): Pick<ReportText, "headline" | "details"> {
  const { alertname: _, ...place } = labels;
  const names = Object.values(place);
  const pairs = new Set(Object.entries(place).map((pair) => pair.join("=")));
  const own = details.split("\n").filter((line) => !pairs.has(line));
  return { headline: names.reduce(withoutName, headline), details: names.reduce(withoutName, own.join("\n")) };
}

/**
 * The domain that a label decides: the label `domain`, or a label rule that is no faint hint. A rule does not decide if the
 * headline names another technology that the domain excludes, and does not name the domain.
 */
export function labelledDomain(
  catalog: DomainCatalog,
  labels: Labels,
  headline = "",
): Omit<Choice, "preferred"> | undefined {
  const named = labels.domain;
  if (named !== undefined && catalog.domains.has(named))
    return { name: named, rule: `label domain=${named}`, decidedBy: "label", limitsSearch: true, isFirm: true };
  const [rule] = decidingRules(catalog, catalog.labelRules, { labels, headline });
  return rule && labelChoice(rule, labels);
}

function decidingRules<Rule extends LabelRule>(
  catalog: DomainCatalog,
  rules: readonly Rule[],
  text: Pick<ReportText, "labels" | "headline">,
): Rule[] {
  return rulesFor(catalog, rules, text).filter(({ weight }) => weight >= MIN_CHOOSING_WEIGHT);
}

function rulesFor<Rule extends LabelRule>(
  catalog: DomainCatalog,
  rules: readonly Rule[],
  { labels, headline }: Pick<ReportText, "labels" | "headline">,
): Rule[] {
  const matching = matchingRules(rules, labels);
  if (matching.length === 0) return [];
  const excluded = catalog.excludedWords(headline);
  const hints = catalog.hints(headline);
  return matching.filter(({ name }) => !excluded.has(name) || (hints.get(name)?.heaviest ?? 0) >= MIN_CHOOSING_WEIGHT);
}

function labelChoice(rule: LabelRule, labels: Labels): Omit<Choice, "preferred"> {
  const limitsSearch = rule.weight >= MIN_LIMITING_WEIGHT;
  return { name: rule.name, rule: describeRule(rule, labels), decidedBy: "label", limitsSearch, isFirm: true };
}

/** What a search covers: the domain that limits it, and `general`; every domain otherwise. */
export function scopeOf({ name, limitsSearch, preferred, excluded }: DomainRoute): SearchScope {
  return { only: limitsSearch ? [...new Set([name, GENERAL_DOMAIN])] : null, preferred, excluded };
}

/** The route to a domain that something else than labels and words chose: it is searched, even if it was left out. */
export function rerouted(
  route: DomainRoute,
  choice: Pick<DomainRoute, "name" | "rule" | "decidedBy" | "limitsSearch">,
): DomainRoute {
  const preferred = { ...route.preferred, [choice.name]: 1 };
  const excluded = route.excluded.filter((name) => name !== choice.name);
  return { ...choice, preferred, excluded, isFirm: true };
}

/** For example `words "exit code 137", "oom-kill"`. */
export function describeHints(source: string, matches: readonly string[]): string {
  const shown = [...new Set(matches)].map((text) => `"${text}"`);
  return `${source} ${shown.join(", ")}`;
}

interface Chosen {
  readonly name: string;
  readonly match: HintMatch;
}

/**
 * A domain that the text names comes before one that it only hints at; then the heavier hints decide. At equal sums, one
 * word that rarely occurs elsewhere beats several that may.
 */
function strongest(hints: ReadonlyMap<string, HintMatch>, names: ReadonlyMap<string, HintMatch>): Chosen | undefined {
  const [best] = [...hints]
    .map(([name, match]): Chosen => ({ name, match }))
    .filter(({ match }) => match.heaviest >= MIN_CHOOSING_WEIGHT)
    .sort(
      (a, b) =>
        Number(names.has(b.name)) - Number(names.has(a.name)) ||
        b.match.weight - a.match.weight ||
        b.match.heaviest - a.match.heaviest ||
        (a.name < b.name ? -1 : 1),
    );
  return best;
}

/** Whether one word of the headline, which nothing else in the report supports, stands against several firm words for another domain. */
function isOutweighed(
  { name, match }: Chosen,
  inDetails: ReadonlyMap<string, HintMatch>,
  named: ReadonlyMap<string, HintMatch>,
): boolean {
  const words = distinct(match.matches);
  const isSupported = [...distinct(inDetails.get(name)?.matches ?? [])].some((word) => !words.has(word));
  if (words.size > 1 || isSupported) return false;
  const other = strongest(without(inDetails, name), named);
  return other !== undefined && other.match.weight >= FIRM_SUM && distinct(other.match.matches).size > 1;
}

function distinct(matches: readonly string[]): ReadonlySet<string> {
  return new Set(matches.map((word) => word.toLowerCase()));
}

function without(hints: ReadonlyMap<string, HintMatch>, name: string): ReadonlyMap<string, HintMatch> {
  return new Map([...hints].filter(([key]) => key !== name));
}

function wordChoice({ name, match }: Chosen, source: string): Omit<Choice, "preferred"> {
  const rule = describeHints(source, match.matches);
  const isFirm = match.heaviest >= FULL_WEIGHT || match.weight >= FIRM_SUM;
  return { name, rule, decidedBy: "words", limitsSearch: false, isFirm };
}

/** Adds the domains without hints, as strong as the strongest. */
function preferencesOf({ silent }: DomainCatalog, hinted: Readonly<Record<string, number>>): DomainRoute["preferred"] {
  const strongestHint = Math.max(0, ...Object.values(hinted));
  if (strongestHint === 0) return hinted;
  return { ...hinted, ...Object.fromEntries(silent.map((name) => [name, strongestHint])) };
}

function strengthsOf(hints: ReadonlyMap<string, HintMatch>, share = 1): Record<string, number> {
  return Object.fromEntries([...hints].map(([name, { heaviest }]) => [name, (share * heaviest) / FULL_WEIGHT]));
}

function strongerOf(a: Readonly<Record<string, number>>, b: Readonly<Record<string, number>>): Record<string, number> {
  const merged: Record<string, number> = { ...b };
  for (const [name, strength] of Object.entries(a)) merged[name] = Math.max(strength, merged[name] ?? 0);
  return merged;
}
