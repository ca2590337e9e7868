// All domains, compiled once: label rules, hints and incident types, ready to be matched with reports.

import { type DomainRoute, GENERAL_DOMAIN } from "../../schemas/domain.ts";
import {
  type DefinedDomain,
  type DomainDefinition,
  EMPTY_DEFINITION,
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

export interface DomainCatalog {
  readonly domains: ReadonlyMap<string, Domain>;
  readonly labelRules: readonly LabelRule[];
  readonly hints: HintIndex;
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
  return {
    fallback: allowed === null || allowed.includes(GENERAL_DOMAIN) ? GENERAL_DOMAIN : first,
    domains: new Map(
      defined.map(({ name, definition }) => [
        name,
        { definition, types: createHintIndex(definition.incident_types.map((type) => [type.name, type.hints])) },
      ]),
    ),
    labelRules: defined.flatMap(({ name, definition }) => definition.labels.map((rule) => createLabelRule(name, rule))),
    hints: createHintIndex(defined.map((domain) => [domain.name, hintsOf(domain)])),
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

/** The name of a domain hints at it, unless its definition gives the name another weight. */
function hintsOf({ name, definition: { hints } }: DefinedDomain): readonly HintDefinition[] {
  const isListed = hints.some(({ words = [] }) =>
    words.some((word) => wordsOf(word).join(" ") === wordsOf(name).join(" ")),
  );
  return isListed ? hints : [...hints, ...nameHint(name)];
}

function nameHint(name: string): HintDefinition[] {
  return name === GENERAL_DOMAIN ? [] : [{ words: [name], weight: 3 }];
}

/** The definition of a domain; an empty one for a name without a definition. */
export function definitionOf(catalog: DomainCatalog, domain: string): DomainDefinition {
  return catalog.domains.get(domain)?.definition ?? EMPTY_DEFINITION;
}
