// Owns how a failure of an outside system is told to the person who waits: what is missing from the answer, in words.

import type { Dependency, DependencyError } from "../../dependencies.ts";
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

const NAMES: Record<Warning["system"], string> = {
  postgres: "Postgres",
  chroma: "The vector store",
  embeddings: "The embedding service",
  reranker: "The reranker",
  model: "The language model",
};

const MISSING_FROM_RECALL: Record<Warning["system"], string> = {
  postgres: "the keyword search is missing from this answer, which rests on similarity alone",
  chroma: "the similarity search is missing from this answer, which rests on keywords alone",
  embeddings: "the similarity search is missing from this answer, which rests on keywords alone",
  reranker: "the runbooks stand in the order in which the searches found them",
  model: "domain and type were told from words alone, and the question was searched for as it stands",
};

export function recallWarning(failure: DependencyError): Warning {
  return warning(failure, MISSING_FROM_RECALL[systemOf(failure)]);
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
    system: "model",
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

function warning(failure: DependencyError, consequence: string): Warning {
  const system = systemOf(failure);
  return {
    code: CODES[failure.failure],
    system,
    message: `${NAMES[system]} ${REASONS[failure.failure]}: ${consequence}.`,
  };
}

/** Those that carry answers, look on, or hold what is said of them take no part in making one. @throws RangeError */
function systemOf({ system }: DependencyError): Warning["system"] {
  if (!takesPart(system)) throw new RangeError(`An answer does not depend on ${system}.`);
  return system;
}

function takesPart(system: Dependency): system is Warning["system"] {
  return Object.hasOwn(NAMES, system);
}
