// All domains, compiled once: label rules, hints and incident types, ready to be matched with reports.

import { type DomainRoute, GENERAL_DOMAIN } from "../../schemas/domain.ts";
import {
  type DefinedDomain,
  type DomainDefinition,
  EMPTY_DEFINITION,
  type EntryAuthor,
  type HintDefinition,
  type Look,
} from "./domain-definition.ts";
import { createHintIndex, type HintIndex, wordsOf } from "./hint-index.ts";
import { createLabelRule, type LabelRule } from "./label-rules.ts";

export interface Domain {
  readonly definition: DomainDefinition;
  /** Hints of its incident types. */
  readonly types: HintIndex;
}

/** Label rules and hints that decide last: callers stored them who may not change every domain of the catalog. */
export interface LateEntries {
  readonly labelRules: readonly (LabelRule & { readonly place: number })[];
  /** By the place of the hint. */
  readonly hints: HintIndex;
  /** The domain of each of these hints. */
  readonly domainOf: ReadonlyMap<string, string>;
}

export interface DomainCatalog {
  readonly domains: ReadonlyMap<string, Domain>;
  readonly labelRules: readonly LabelRule[];
  readonly hints: HintIndex;
  readonly late: LateEntries;
  /** Domains of which words say nothing: they have no hints in `hints`. */
  readonly silent: readonly string[];
  /** The names of the domains. */
  readonly names: HintIndex;
  readonly excludedWords: HintIndex;
  /** Domains whose texts are recalled only for reports that their labels or words decide for. */
  readonly onlyWhenDecided: ReadonlySet<string>;
  /** The domain of reports for which nothing decides. */
  readonly fallback: string;
}

/** @param allowed the domains that the caller is restricted to, which may be undefined yet; null for all */
export function createDomainCatalog(
  defined: readonly DefinedDomain[],
  allowed: readonly string[] | null = null,
): DomainCatalog {
  const [first = GENERAL_DOMAIN] = allowed ?? [];
  const ordered = defined.map(({ name, definition, authors }) => ({
    name,
    labels: inOrder(definition.labels, authors?.labels, allowed),
    hints: inOrder(definition.hints, authors?.hints, allowed),
    nameHint: isListed(name, definition.hints) ? [] : nameHint(name),
  }));
  const lateHints = ordered.flatMap(({ name, hints }) =>
    hints.late.map(({ entry, place }) => ({ key: String(place), name, hint: entry })),
  );
  return {
    fallback: allowed === null || allowed.includes(GENERAL_DOMAIN) ? GENERAL_DOMAIN : first,
    domains: new Map(
      defined.map(({ name, definition }) => [
        name,
        { definition, types: createHintIndex(definition.incident_types.map((type) => [type.name, type.hints])) },
      ]),
    ),
    labelRules: ordered.flatMap(({ name, labels }) => labels.early.map((rule) => createLabelRule(name, rule))),
    hints: createHintIndex(ordered.map(({ name, hints, nameHint }) => [name, [...hints.early, ...nameHint]])),
    late: {
      labelRules: ordered.flatMap(({ name, labels }) =>
        labels.late.map(({ entry, place }) => ({ ...createLabelRule(name, entry), place })),
      ),
      hints: createHintIndex(lateHints.map(({ key, hint }) => [key, [hint]])),
      domainOf: new Map(lateHints.map(({ key, name }) => [key, name])),
    },
    silent: ordered.flatMap(({ name, hints }) => (hints.early.length === 0 && name !== GENERAL_DOMAIN ? [name] : [])),
    names: createHintIndex(defined.map(({ name }) => [name, nameHint(name)])),
    excludedWords: createHintIndex(
      defined.flatMap(({ name, definition: { excluded_words } }) =>
        excluded_words.length > 0 ? [[name, [{ words: [...excluded_words], weight: 3 }]] as const] : [],
      ),
    ),
    // `general` takes every report that belongs to no other domain.
    onlyWhenDecided: new Set(
      defined.flatMap(({ name, definition }) =>
        definition.only_when_decided && name !== GENERAL_DOMAIN ? [name] : [],
      ),
    ),
  };
}

export const EMPTY_CATALOG: DomainCatalog = createDomainCatalog([]);

/** The first steps for an unknown cause: those of a domain that was chosen with certainty, else the general ones. */
export function firstLooks(
  catalog: DomainCatalog,
  { name, isFirm }: Pick<DomainRoute, "name" | "isFirm">,
): readonly Look[] {
  const own = isFirm ? (catalog.domains.get(name)?.definition.first_looks ?? []) : [];
  return own.length > 0 ? own : (catalog.domains.get(GENERAL_DOMAIN)?.definition.first_looks ?? []);
}

interface InOrder<Entry> {
  readonly early: readonly Entry[];
  readonly late: readonly { readonly entry: Entry; readonly place: number }[];
}

/** An entry is late unless its author may change all domains that the caller sees. */
function inOrder<Entry>(
  entries: readonly Entry[],
  authors: readonly (EntryAuthor | null)[] = [],
  allowed: readonly string[] | null,
): InOrder<Entry> {
  const isLate = ({ domains }: EntryAuthor) => !(allowed?.every((domain) => domains.includes(domain)) ?? false);
  const early: Entry[] = [];
  const late: { readonly entry: Entry; readonly place: number }[] = [];
  for (const [i, entry] of entries.entries()) {
    const author = authors[i] ?? null;
    if (author !== null && isLate(author)) late.push({ entry, place: author.place });
    else early.push(entry);
  }
  return { early, late };
}

/** Whether the definition gives the domain's own name a weight. Otherwise the name hints at the domain fully. */
function isListed(name: string, hints: readonly HintDefinition[]): boolean {
  return hints.some(({ words = [] }) => words.some((word) => wordsOf(word).join(" ") === wordsOf(name).join(" ")));
}

function nameHint(name: string): HintDefinition[] {
  return name === GENERAL_DOMAIN ? [] : [{ words: [name], weight: 3 }];
}

/** The definition of a domain; an empty one for a name without a definition. */
export function definitionOf(catalog: DomainCatalog, domain: string): DomainDefinition {
  return catalog.domains.get(domain)?.definition ?? EMPTY_DEFINITION;
}
