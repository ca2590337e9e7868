// Owns what is asked of a server of traces beside taking spans: to hold what people say of an answer. Knows no vendor.

export interface FeedbackAnnotation {
  /** Of the triage's root span, in hexadecimal. */
  readonly spanId: string;
  /** A digest of who says it; empty for people who are not told apart. A span has one word of each. */
  readonly person: string;
  /** 1 for helpful, -1 for not, 0 for none. */
  readonly vote: 1 | -1 | 0;
  /** Scrubbed. */
  readonly comment: string | null;
  readonly triageId: string;
  readonly incidentId: string;
}

/**
 * - `stored`: the span has it, in the place of the person's former one
 * - `no_such_span`: the span is not there; spans travel on their own, and may come later
 * - `not_allowed`: the key is missing or wrong, which somebody may mend
 */
export type AnnotationOutcome = "stored" | "no_such_span" | "not_allowed";

export interface Annotations {
  /** May be repeated. @throws DependencyError, `refused` where the same annotation would be refused again */
  put(annotation: FeedbackAnnotation): Promise<AnnotationOutcome>;
}
