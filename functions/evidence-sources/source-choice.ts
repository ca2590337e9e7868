// Which source of evidence answers the checks of an incident. Pure functions.

import type { CheckLanguage } from "../../lib/checks/check.ts";
import { EVIDENCE_KINDS } from "../schemas/evidence/evidence-kinds.ts";
import type { EvidenceSourceDefinition } from "../schemas/evidence/source.ts";

export interface SourceRequest {
  readonly language: CheckLanguage;
  /** Of the alert. */
  readonly labels: Readonly<Record<string, string>>;
  /** Of the incident. */
  readonly domain: string;
}

export type SourceChoice =
  | { readonly state: "chosen"; readonly source: EvidenceSourceDefinition }
  /** `reason`: one sentence for people. `isConfigured`: whether any source has this language. */
  | { readonly state: "none"; readonly isConfigured: boolean; readonly reason: string }
  | { readonly state: "ambiguous"; readonly names: readonly string[]; readonly reason: string };

/**
 * Chooses the source of the language that serves the incident: all of its labels match, and it names the incident's domain
 * or none. The most label conditions win, then a named domain. A wrong cluster would answer with wrong values, so of two
 * that are equally specific none is chosen. A query in SQL names no server: of several, those with labels are chosen alone.
 */
export function chooseSource(
  definitions: readonly EvidenceSourceDefinition[],
  { language, labels, domain }: SourceRequest,
): SourceChoice {
  const ofLanguage = definitions.filter(({ kind }) => EVIDENCE_KINDS[kind].language === language);
  if (ofLanguage.length === 0)
    return { state: "none", isConfigured: false, reason: `No source of evidence answers ${language} queries.` };
  const isUnnamed = (source: EvidenceSourceDefinition) =>
    language === "sql" && ofLanguage.length > 1 && Object.keys(source.labels).length === 0;
  const matching = ofLanguage.filter((source) => serves(source, labels, domain));
  const serving = matching.filter((source) => !isUnnamed(source));
  const highest = Math.max(...serving.map(specificity));
  const [source, ...others] = serving.filter((each) => specificity(each) === highest);
  if (source === undefined) {
    const unnamed = matching.map(({ name }) => name).sort();
    const reason =
      unnamed.length === 0
        ? `No source for ${language} serves the labels and the domain of the incident.`
        : `Of several servers, it is not known which one the alert is about. Give labels to ${unnamed.join(", ")}.`;
    return { state: "none", isConfigured: true, reason };
  }
  if (others.length === 0) return { state: "chosen", source };
  const names = [source, ...others].map(({ name }) => name).sort();
  const reason = `Several sources for ${language} serve the incident equally: ${names.join(", ")}. Give them labels or domains.`;
  return { state: "ambiguous", names, reason };
}

function serves(source: EvidenceSourceDefinition, labels: SourceRequest["labels"], domain: string): boolean {
  const hasDomain = source.domains.length === 0 || source.domains.includes(domain);
  return (
    hasDomain &&
    Object.entries(source.labels).every(([label, values]) => {
      const value = Object.hasOwn(labels, label) ? labels[label] : undefined;
      return value !== undefined && values.includes(value);
    })
  );
}

function specificity({ labels, domains }: EvidenceSourceDefinition): number {
  return 2 * Object.keys(labels).length + (domains.length > 0 ? 1 : 0);
}
