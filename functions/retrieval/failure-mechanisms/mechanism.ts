// Type of a failure mechanism, and the notation of its phrases.

/**
 * Phrases by how surely they mean the mechanism. They are separated by commas or line breaks. Text and phrases are
 * compared as the words of `tokenizeWords`: in lower case, stemmed, without "a", "the", "is", "to", "could".
 *
 *   connection refused      the words next to each other
 *   disk|file-system full   one of several; a hyphen joins the words of one alternative
 *   dial * refused          up to 4 other words between; numbers do not count
 *   pool & exhausted        in either order, up to 4 other words between
 *   {status} 429            a list of WORD_LISTS
 */
export interface Phrases {
  /** Strength 1: "OOMKilled". */
  readonly sure?: string;
  /** Strength 0.75. */
  readonly likely?: string;
  /** Strength 0.5: "memory usage". */
  readonly hint?: string;
}

/** What goes wrong, independent of the technology. */
export interface Mechanism {
  /** kebab-case: "memory-exhausted". */
  readonly name: string;
  /** Plain words, as an answer shows it: "memory ran out". */
  readonly label: string;
  /** Mechanisms that describe the same trouble one level coarser. */
  readonly broader: readonly string[];
  readonly phrases: Phrases;
}

/** Alternatives that many phrases share. */
export const WORD_LISTS: Readonly<Record<string, string>> = {
  cannot: "cannot|not|unable|failed|failure|error",
  change: "deploy|deployment|release|upgrade|rollout|migration|patch",
  exhausted: "exhausted|exhaustion|depleted|saturated|full|starved|starvation",
  exit: "exit|exit-code|exit-status|exitcode|exit-value|code|status|rc",
  failed: "failed|failure|failing|error",
  growing: "growing|grows|grew|growth|increasing|rising|climbing|piling|building",
  missing: "missing|not-found|not-exist|not-set|not-defined|undefined|absent|unset",
  nineties: "90|91|92|93|94|95|96|97|98|99|100",
  readonly: "read-only|readonly",
  sqlstate: "sqlstate|state|code|error|errcode",
  status:
    "http|http-1-1|http-1-0|http-2|http-2-0|status|status-code|statuscode|code|error|response|responded|returned|got|received|answered",
  timeout: "timeout|timed-out|timedout",
};
