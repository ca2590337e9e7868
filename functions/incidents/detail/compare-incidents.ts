// Two incidents side by side: what is alike, and what only one of them has. Pure functions.

import { z } from "zod";
import { wordsOfTemplate } from "../../../lib/logs/line-template.ts";
import { lineTemplates, readSignature } from "../../memory/read-signature.ts";
import type { Incident } from "../../schemas/incident.ts";
import { type RecentChange, recentChangeSchema } from "../../schemas/live-evidence.ts";
import type { TriageResult } from "../../schemas/triage-result.ts";

const comparedValueSchema = z.object({
  name: z.string(),
  here: z.string().nullable().describe("Null if this incident has none."),
  there: z.string().nullable().describe("Null if the other incident has none."),
  alike: z.boolean(),
});
const comparedLineSchema = z.object({
  here: z.string().nullable().describe("The line of this incident; null if only the other one has it."),
  there: z.string().nullable().describe("The line of the other incident; null if only this one has it."),
});
const changesSchema = z.object({ reported: z.boolean(), recent: z.array(recentChangeSchema) });

export const comparisonSchema = z.object({
  facts: z
    .array(comparedValueSchema)
    .describe(
      "Service, type, domain, severity, alert, kind of object and exit codes. Those that neither has are left out.",
    ),
  labels: z.array(comparedValueSchema).describe("The labels of both: different ones first, then equal ones, by name."),
  error_lines: z
    .array(comparedLineSchema)
    .describe("Lines that both have first: equal but for names, numbers and times. At most 12 of each incident."),
  changes: z
    .object({ here: changesSchema.nullable(), there: changesSchema.nullable() })
    .describe("Changes before the start, as the latest triage of each saw them; null without a triage."),
  match: z
    .object({
      record_id: z.string().describe("The recalled record of the other incident."),
      probability: z.number().min(0).max(1),
      log_odds: z.number(),
      contributions: z.record(z.string(), z.number()).describe("Contribution of each feature to the log-odds."),
      alike: z.array(z.string()),
      differs: z.array(z.string()),
    })
    .nullable()
    .describe("How the latest triage of this incident rated the other one; null if it did not recall it."),
});
export type Comparison = z.infer<typeof comparisonSchema>;
type ComparedValue = z.infer<typeof comparedValueSchema>;
type ComparedLine = z.infer<typeof comparedLineSchema>;

export interface ComparedIncident {
  readonly incident: Incident;
  readonly triage: TriageResult | null;
  /** Of its failure; null without one. */
  readonly recordId: string | null;
}

export function compareIncidents(here: ComparedIncident, there: ComparedIncident): Comparison {
  return {
    facts: compareFacts(here.incident, there.incident),
    labels: compareLabels(here.incident.labels, there.incident.labels),
    error_lines: compareLines(here.incident, there.incident),
    changes: { here: changesOf(here), there: changesOf(there) },
    match: matchOf(here.triage, [there.recordId, there.incident.id]),
  };
}

function compareFacts(here: Incident, there: Incident): ComparedValue[] {
  const [a, b] = [factsOf(here), factsOf(there)];
  return Object.keys(a).flatMap((name) => comparedValue(name, a[name] ?? null, b[name] ?? null));
}

function factsOf(incident: Incident): Record<string, string | null> {
  const { alert, kind, codes } = readSignature(incident);
  return {
    service: incident.target,
    type: incident.type.name,
    domain: incident.domain.name,
    severity: incident.severity,
    alert,
    "kind of object": kind,
    "codes in the log": codes.length === 0 ? null : codes.toSorted().join(", "),
  };
}

/** No row for what neither has. */
function comparedValue(name: string, here: string | null, there: string | null): ComparedValue[] {
  return here === null && there === null ? [] : [{ name, here, there, alike: here === there }];
}

function compareLabels(here: Incident["labels"], there: Incident["labels"]): ComparedValue[] {
  const names = [...new Set([...Object.keys(here), ...Object.keys(there)])].toSorted();
  const rows = names.flatMap((name) => comparedValue(name, here[name] ?? null, there[name] ?? null));
  return [...rows.filter(({ alike }) => !alike), ...rows.filter(({ alike }) => alike)];
}

function compareLines(here: Incident, there: Incident): ComparedLine[] {
  const [ours, others] = [templatedLines(here), templatedLines(there)];
  const both: ComparedLine[] = [];
  const matched = new Set<TemplatedLine>();
  const onlyHere = ours.filter((line) => {
    const other = others.find((each) => !matched.has(each) && isSameTemplate(each.template, line.template));
    if (other === undefined) return true;
    matched.add(other);
    both.push({ here: line.text, there: other.text });
    return false;
  });
  return [
    ...both,
    ...onlyHere.map(({ text }) => ({ here: text, there: null })),
    ...others.filter((line) => !matched.has(line)).map(({ text }) => ({ here: null, there: text })),
  ];
}

interface TemplatedLine {
  readonly text: string;
  readonly template: string;
}

function templatedLines(incident: Incident): TemplatedLine[] {
  const templates = lineTemplates(incident);
  return incident.evidence.lines.map((line, i) => ({ text: line.marked ?? line.text, template: templates[i] ?? "" }));
}

function changesOf({ triage }: ComparedIncident): { reported: boolean; recent: RecentChange[] } | null {
  return triage === null ? null : triage.live.changes;
}

/** @param ids by which the triage may have recalled the other incident */
function matchOf(triage: TriageResult | null, ids: readonly (string | null)[]): Comparison["match"] {
  const hit = triage?.recalled.incidents.find(({ id }) => ids.includes(id));
  if (hit === undefined) return null;
  return {
    record_id: hit.id,
    probability: hit.probability,
    log_odds: hit.relevance.log_odds,
    contributions: hit.relevance.contributions,
    alike: hit.alike,
    differs: hit.differs,
  };
}

/** Share of equal words from which on two templates are one. */
const SAME_TEMPLATE = 0.75;

/** Whether two templates are equal but for a few words. */
function isSameTemplate(a: string, b: string): boolean {
  if (a === b) return true;
  const words = new Set(wordsOfTemplate(a));
  const otherWords = new Set(wordsOfTemplate(b));
  const shared = words.intersection(otherWords).size;
  return shared / Math.max(1, words.union(otherWords).size) >= SAME_TEMPLATE;
}
