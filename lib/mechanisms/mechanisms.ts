// The failure mechanisms, and the notation of their phrases.

import mechanisms from "./mechanisms.json" with { type: "json" };

/**
 * What goes wrong, independent of the technology: phrases are error codes and wording that different kinds of software print alike. Text and
 * phrases are compared as the words of `tokenizeWords`: in lower case, stemmed, without "a", "the", "is", "to", "could".
 *
 *   connection refused      the words next to each other
 *   disk|file-system full   one of several; a hyphen joins the words of one alternative
 *   dial * refused          up to 4 other words between; numbers do not count
 *   pool & exhausted        in either order, up to 4 other words between
 *   {status} 429            a list of WORD_LISTS
 */
export interface Mechanism {
  /** kebab-case: "memory-exhausted". */
  readonly name: string;
  /** Plain words, as an answer shows it: "memory ran out". */
  readonly label: string;
  /** Mechanisms that describe the same trouble one level coarser. */
  readonly broader?: readonly string[];
  /** Many different causes lead to it: "a request timed out". */
  readonly symptom?: boolean;
  /** Phrases of strength 1: "OOMKilled". */
  readonly sure?: readonly string[];
  /** Phrases of strength 0.75. */
  readonly likely?: readonly string[];
  /** Phrases of strength 0.5: "memory usage". */
  readonly hint?: readonly string[];
}

export const MECHANISMS: readonly Mechanism[] = mechanisms;

export const MECHANISM_BY_NAME: ReadonlyMap<string, Mechanism> = new Map(
  MECHANISMS.map((mechanism) => [mechanism.name, mechanism]),
);

/** Alternatives that many phrases share. */
export const WORD_LISTS: Readonly<Record<string, string>> = {
  backend: "backend|upstream|host|target|server|instance|service|endpoint|broker",
  bad: "failed|failure|failing|error|broken|problem|invalid|wrong|bad|incorrect|mismatch|rejected|denied|refused|blocked|missing|not-found|lost|stopped|stuck|down|disabled|slow|late|exceeded|timeout|timed-out|expired|stale|old|empty|deleted|aborted|incomplete|unsupported|not",
  cannot: "cannot|not|unable|failed|failure|error",
  certificate: "certificate|cert|ca",
  change: "deploy|deployment|release|upgrade|rollout|migration|patch",
  credential: "credential|password|token|secret|api-key|apikey|key-id|access-key",
  denied: "denied|rejected|refused|forbidden|blocked",
  disk: "disk|volume|device|filesystem|file-system|partition|storage|tablespace|drive",
  down: "down|unreachable|offline|lost|dead|died|crashed|disconnected|unavailable|not-ready|not-responding|not-available",
  exhausted: "exhausted|exhaustion|depleted|saturated|full|starved|starvation",
  exit: "exit|exit-code|exit-status|exitcode|exit-value|code|status|rc",
  failed: "failed|failure|failing|error",
  growing: "growing|grows|grew|growth|increasing|rising|climbing|piling|building",
  invalid: "invalid|bad|wrong|incorrect|illegal|unknown|unrecognized|unsupported|malformed|unexpected",
  library: "module|package|class|library|assembly|plugin|extension",
  machine: "node|host|machine|instance|broker|runner|vm",
  missing: "missing|not-found|not-exist|not-set|not-defined|undefined|absent|unset",
  ninetyOrMore: "90|91|92|93|94|95|96|97|98|99|100",
  payload: "payload|entity|body|message|record|upload|content|event|document|object|item|batch",
  readonly: "read-only|readonly",
  setting: "environment|env|variable|var|configuration|config|setting|parameter|key|option|placeholder|argument",
  sqlstate: "sqlstate|state|code|error|errcode",
  status:
    "http|http-1-1|http-1-0|http-2|http-2-0|status|status-code|statuscode|code|error|response|responded|returned|got|received|answered",
  table: "table|column|relation|schema|database|view|function|sequence|collection|topic|keyspace",
  timeout: "timeout|timed-out|timedout",
  unit: "replica|instance|pod|task|worker|dyno|container",
};
