// Warnings of a triage result: the failed dependency, and what the answer lacks because of it.

import type { DependencyError } from "../../dependencies.ts";
import { APPLY_MIGRATIONS } from "../../schemas/database/schema-version.ts";
import {
  ANSWER_DEPENDENCIES,
  type AnswerDependency,
  type Dependency,
  describeDependencies,
} from "../../schemas/dependency.ts";
import type { Warning } from "../../schemas/triage-result.ts";

const CODES: Record<DependencyError["failure"], Warning["code"]> = {
  timeout: "dependency_timeout",
  unreachable: "dependency_unreachable",
  busy: "dependency_busy",
  refused: "dependency_refused",
  invalid_response: "dependency_invalid_response",
  // No code of its own: the former version reads stored answers, too, and knows the codes of its time only.
  schema_outdated: "dependency_refused",
  model_mismatch: "model_mismatch",
  cancelled: "cancelled",
};

const REASONS: Record<DependencyError["failure"], string> = {
  timeout: "did not answer in time",
  unreachable: "cannot be reached",
  busy: "is overloaded or limits its use",
  refused: "refused the request",
  invalid_response: "sent an invalid response",
  schema_outdated: `has the schema of an earlier version (${APPLY_MIGRATIONS})`,
  model_mismatch: "holds vectors of another embedding model or chunking (run `dejavu reindex`, then `dejavu seed`)",
  cancelled: "was stopped because the caller disconnected",
};

const MISSING_FROM_RECALL: Record<AnswerDependency, string> = {
  database: "this answer lacks the keyword search",
  vector_store: "this answer lacks the similarity search",
  embedder: "this answer lacks the similarity search",
  reranker: "the runbooks keep the order of the searches",
  language_model: "labels and words alone decided domain and type, and the question was searched for as it was asked",
  evidence_source: "its checks are inconclusive",
};

export function recallWarning(failure: DependencyError): Warning {
  return warning(failure, (dependency) => MISSING_FROM_RECALL[dependency]);
}

export function answerWarning(failure: DependencyError): Warning {
  return warning(failure, "this answer quotes runbooks and past incidents, and draws no conclusions of its own");
}

export function reflectionWarning(failure: DependencyError): Warning {
  return warning(failure, "the critique scored this answer low, and it was not improved");
}

export function recheckWarning(failure: DependencyError): Warning {
  return warning(failure, "this answer was improved and not scored again; its confidence is that of the first draft");
}

/** @param isReadable whether today's usage could be read; if not, the limit counts as reached */
export function tokenBudgetWarning(limit: number, isReadable: boolean): Warning {
  const reason = isReadable
    ? `The daily limit of ${limit} tokens is used up`
    : `Today's usage cannot be read, so the daily limit of ${limit} tokens counts as reached`;
  return {
    code: "token_budget_spent",
    dependency: "language_model",
    message: `${reason}: this answer quotes runbooks and past incidents, and draws no conclusions of its own.`,
  };
}

/** @param embedder the model in use, for which the relevance models were not trained */
export function uncalibratedWarning(embedder: string): Warning {
  return {
    code: "uncalibrated",
    dependency: "embedder",
    message: `The probabilities were learned with other vectors than those of ${embedder}: use them to rank the candidates, not as probabilities. \`npm run bench -- train-relevance\` learns them anew.`,
  };
}

/** A query to a source of evidence without a result. */
export interface FailedQuery {
  readonly source: string;
  /** `too_large`: the source returned more than is read. */
  readonly failure: DependencyError["failure"] | "too_large";
}

/** One warning for each source that failed, with the reason of its first failed query. */
export function sourceWarnings(failures: readonly FailedQuery[]): Warning[] {
  return [...new Set(failures.map(({ source }) => source))].flatMap((name) => {
    const own = failures.filter(({ source }) => source === name);
    const failure = own[0]?.failure;
    if (failure === undefined) return [];
    const [code, reason] =
      failure === "too_large"
        ? (["dependency_invalid_response", "returned more than is read"] as const)
        : ([CODES[failure], REASONS[failure]] as const);
    const consequence = own.length === 1 ? "one query has no result" : `${own.length} queries have no result`;
    const message = `The source of evidence "${name}" ${reason}: ${consequence}.`;
    return [{ code, dependency: "evidence_source", message }];
  });
}

export function persistWarning(failure: DependencyError): Warning {
  // Only a refusal is certain: after a timeout, a lost connection or an invalid response the row may be stored.
  const isCertain = failure.failure === "refused" || failure.failure === "schema_outdated";
  return warning(
    failure,
    isCertain
      ? "this triage is not stored: it has no history and adds nothing to memory"
      : "this triage could not be confirmed as stored; if it is not, it has no history and adds nothing to memory",
  );
}

export function pendingWarning(failure: DependencyError): Warning {
  return warning(failure, "this triage waits in a queue and is stored under its id when the database is back");
}

export function recapWarning(failure: DependencyError): Warning {
  return warning(failure, "the past answers of this session could not be read");
}

export function runStartWarning(failure: DependencyError): Warning {
  return warning(failure, "the start of this triage was not recorded, and a repeated request was not recognised");
}

function warning(
  { dependency, failure }: DependencyError,
  consequence: string | ((dependency: AnswerDependency) => string),
): Warning {
  if (!isAnswerDependency(dependency)) throw new RangeError(`An answer does not depend on ${dependency}.`);
  const name = describeDependencies([dependency]);
  return {
    code: CODES[failure],
    dependency,
    message: `${name.charAt(0).toUpperCase()}${name.slice(1)} ${REASONS[failure]}: ${typeof consequence === "string" ? consequence : consequence(dependency)}.`,
  };
}

function isAnswerDependency(dependency: Dependency): dependency is AnswerDependency {
  return ANSWER_DEPENDENCIES.some((each) => each === dependency);
}
