// What a log shows of a failure.

/** A line of the report's logs that shows the failure. */
export interface ErrorLine {
  /** The line without control characters, outer blanks and markers, or whole sentences of a very long line. */
  readonly text: string;
  /** The same with its markers, for people to read; missing if it holds none. */
  readonly marked?: string;
  /** Number of its first occurrence in the log, from 1. */
  readonly line: number;
  /** As the log writes it, there or in a line above; null without one. */
  readonly time: string | null;
  /** Lines of the log with the same template. */
  readonly count: number;
  /** Importance, 0 to 1. */
  readonly weight: number;
}

/**
 * `healthy`: the evidence shows a working system. `recovered`: the failure is over. `nothing_found`: the query for evidence
 * returned nothing.
 */
export type EvidenceState = "healthy" | "recovered" | "nothing_found";

export interface ReadEvidence {
  /** Most important first, at most 12. */
  readonly lines: readonly ErrorLine[];
  /** Null when the evidence shows a failure, or shows nothing. `line` is null when the headline says it. */
  readonly state: { readonly name: EvidenceState; readonly quote: string; readonly line: number | null } | null;
  /** Whether the structure of the evidence shows that the failure may be over: then no cause is certain. */
  readonly mayBeOver?: boolean;
}
