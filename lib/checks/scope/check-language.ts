// What a language of checks consists of. Each language has a folder here, and one line in languages.ts.

import type { EvidenceQuery } from "./query.ts";

/** A problem of a query, with its line in the query, from 1. */
export interface QueryProblem {
  readonly line: number;
  readonly message: string;
}

export interface ScopedQuery {
  readonly query: EvidenceQuery;
  /** The query for people, with its matchers and parameters. */
  readonly shown: string;
}

export type Prepared =
  | { readonly ok: true; readonly value: ScopedQuery }
  /** One sentence: the label that is missing, for example. */
  | { readonly ok: false; readonly reason: string };

export interface CheckLanguageSupport {
  /** Problems that a check has for every alert. Empty for a query that may run. */
  validate(query: string): QueryProblem[];
  /**
   * Scopes a valid query to an alert. Labels enter as nodes of the parsed query or as bound parameters, never as text.
   * @param match names of the labels; null for the default of the language. `name?` may be missing. An empty list: no scope.
   */
  prepare(
    query: string,
    scope: {
      readonly labels: Readonly<Record<string, string>>;
      readonly match: readonly string[] | null;
      readonly now: Date;
    },
  ): Prepared;
}
