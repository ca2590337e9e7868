// Owns how a failure of an outside system is told to the person who waits: what is missing from the answer, in words.

import type { DependencyError } from "../../dependencies.ts";
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
  model_mismatch: "model_mismatch",
  cancelled: "cancelled",
};

const REASONS: Record<DependencyError["failure"], string> = {
  timeout: "did not answer in time",
  unreachable: "cannot be reached",
  busy: "is overloaded or limits its use",
  refused: "refused the request",
  invalid_response: "sent an answer that makes no sense",
  model_mismatch: "holds vectors of another embedding model or chunking (run `npm run reindex`, then `npm run seed`)",
  cancelled: "was stopped, because whoever asked had gone",
};

const MISSING_FROM_RECALL: Record<AnswerDependency, string> = {
  database: "the keyword search is missing from this answer, which rests on similarity alone",
  vector_store: "the similarity search is missing from this answer, which rests on keywords alone",
  embedder: "the similarity search is missing from this answer, which rests on keywords alone",
  reranker: "the runbooks stand in the order in which the searches found them",
  language_model: "domain and type were told from words alone, and the question was searched for as it stands",
};

export function recallWarning(failure: DependencyError): Warning {
  return warning(failure, (dependency) => MISSING_FROM_RECALL[dependency]);
}

export function answerWarning(failure: DependencyError): Warning {
  return warning(failure, "this answer quotes runbooks and past incidents, and draws no conclusions of its own");
}

export function reflectionWarning(failure: DependencyError): Warning {
  return warning(failure, "a critic found this answer weak, and it was not improved");
}

export function recheckWarning(failure: DependencyError): Warning {
  return warning(failure, "this answer was improved and not judged again; its confidence is that of the answer before");
}

/** @param isKnown whether the day's use could be read; a limit that cannot be checked holds */
export function tokenBudgetWarning(limit: number, isKnown: boolean): Warning {
  const why = isKnown
    ? `The daily limit of ${limit} tokens is used up`
    : `How much of the daily limit of ${limit} tokens is used cannot be read`;
  return {
    code: "token_budget_spent",
    dependency: "language_model",
    message: `${why}: this answer quotes runbooks and past incidents, and draws no conclusions of its own.`,
  };
}

export function persistWarning(failure: DependencyError): Warning {
  // Only a refusal is certain: after a time-out, a lost connection or an odd reply the row may have been written.
  const isCertain = failure.failure === "refused";
  return warning(
    failure,
    isCertain
      ? "this triage is not stored: it has no history and will not be remembered"
      : "this triage could not be confirmed as stored; if it is not, it has no history and will not be remembered",
  );
}

export function beginWarning(failure: DependencyError): Warning {
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
