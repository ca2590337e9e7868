// Label rules of domains: which labels of an alert decide for a domain. Pure functions.

import type { LabelRuleDefinition } from "./domain-definition.ts";
import { wordsOf } from "./hint-index.ts";

export type Labels = Readonly<Record<string, string>>;

export interface LabelRule {
  /** The domain that it decides for. */
  readonly name: string;
  readonly weight: number;
  /** The precision of its best label. */
  readonly precision: number;
  /** How many of its labels name a value. */
  readonly named: number;
  readonly conditions: readonly LabelCondition[];
}

interface LabelCondition {
  readonly label: string;
  /** Undefined if any value will do. */
  readonly accepts: ((value: string) => boolean) | undefined;
}

const ANY = "*";
/** A pattern with fewer characters beside the stars fits values of every kind. */
const MIN_PATTERN_CHARACTERS = 3;

/** A value that names what collects metrics, and not what they are about. */
const EXPORTER = /(?:^|[^a-z])(?:exporter|metrics)(?:[^a-z]|$)/i;
/** Labels that the scrape of an exporter sets, the most reliable first. */
const SCRAPE_LABELS = ["job", "service", "container"];

export function createLabelRule(name: string, { match, weight }: LabelRuleDefinition): LabelRule {
  const entries = Object.entries(match);
  return {
    name,
    weight,
    precision: Math.max(...entries.map(([, values]) => precisionOf(values))),
    named: namedLabels(match).length,
    conditions: entries.map(([label, values]) => ({
      label,
      accepts: values.includes(ANY) ? undefined : acceptAny(values.map(createMatcher)),
    })),
  };
}

/** The labels of a rule that name a value. Any value, or nearly any, says nothing about whose report it is. */
export function namedLabels(match: LabelRuleDefinition["match"]): string[] {
  return Object.entries(match).flatMap(([label, values]) => (precisionOf(values) > 0 ? [label] : []));
}

/** Whether every value that fits `inner` fits `outer`. No part of a pattern has a star, so only a star takes one. */
export function covers(outer: string, inner: string): boolean {
  return createMatcher(outer)(inner.toLowerCase());
}

/**
 * The rules that the labels fulfil, the one that decides first: the heaviest, then the one with the best label, then the
 * one that names more values.
 */
export function matchingRules<Rule extends LabelRule>(rules: readonly Rule[], labels: Labels): Rule[] {
  const own = withoutExporter(labels);
  const fulfils = ({ label, accepts }: LabelCondition) => {
    const source = accepts === undefined ? own : labels;
    const value = Object.hasOwn(source, label) ? source[label] : undefined;
    return value !== undefined && value !== "" && (accepts?.(value) ?? true);
  };
  return rules
    .filter(({ conditions }) => conditions.every(fulfils))
    .sort(
      (a, b) => b.weight - a.weight || b.precision - a.precision || b.named - a.named || (a.name < b.name ? -1 : 1),
    );
}

/** For example `label job=billing` or `labels namespace and deployment`. */
export function describeRule({ conditions }: LabelRule, labels: Labels): string {
  const parts = conditions.map(({ label, accepts }) =>
    accepts === undefined ? label : `${label}=${shownValue(labels[label] ?? "")}`,
  );
  return `${parts.length === 1 ? "label" : "labels"} ${parts.join(" and ")}`;
}

/**
 * The labels without those that name the exporter: its own pod, service or job is not what failed. The pod of another
 * exporter stays: an alert about that pod is about it.
 */
export function withoutExporter(labels: Labels): Labels {
  const exporter = SCRAPE_LABELS.map((label) => labels[label] ?? "").find((value) => EXPORTER.test(value));
  if (exporter === undefined) return labels;
  const nameWords = wordsOf(exporter.slice(exporter.lastIndexOf("/") + 1));
  const namesExporter = (value: string) => {
    const words = new Set(wordsOf(value));
    return nameWords.every((word) => words.has(word));
  };
  return Object.fromEntries(Object.entries(labels).filter(([, value]) => !namesExporter(value)));
}

/** Cuts by code points: Postgres cannot store half a surrogate pair. */
export function shownValue(value: string): string {
  return [...value].slice(0, 60).join("");
}

/** 2 for literal values, 1 for patterns, 0 for any value. The widest value counts. */
function precisionOf(values: readonly string[]): number {
  return Math.min(
    ...values.map((value) => {
      if (!value.includes(ANY)) return 2;
      return value.replaceAll(ANY, "").length < MIN_PATTERN_CHARACTERS ? 0 : 1;
    }),
  );
}

function acceptAny(matchers: readonly ((value: string) => boolean)[]): (value: string) => boolean {
  return (value) => {
    const lower = value.toLowerCase();
    return matchers.some((matches) => matches(lower));
  };
}

/** Compares without a regular expression: the parts between the stars must follow each other. Linear in the value. */
function createMatcher(pattern: string): (value: string) => boolean {
  const [first = "", ...rest] = pattern.toLowerCase().split(ANY);
  const last = rest.pop();
  if (last === undefined) return (value) => value === first;
  return (value) => {
    if (!value.startsWith(first)) return false;
    let place = first.length;
    for (const part of rest) {
      const start = value.indexOf(part, place);
      if (start < 0) return false;
      place = start + part.length;
    }
    return value.length - last.length >= place && value.endsWith(last);
  };
}
