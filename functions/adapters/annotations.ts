// Interface of a trace server that shows feedback beside spans.

export interface FeedbackAnnotation {
  /** Id of the triage's root span, in hexadecimal. */
  readonly spanId: string;
  /** Digest of the person's id; empty for people who cannot be distinguished. A span has one annotation of each. */
  readonly person: string;
  /** 1 for helpful, -1 for not helpful, 0 for no rating. */
  readonly rating: 1 | -1 | 0;
  /** Scrubbed. */
  readonly comment: string | null;
  readonly triageId: string;
  readonly incidentId: string;
}

/**
 * - `stored`: the span has the annotation, in place of the person's former one
 * - `no_such_span`: the span does not exist yet; spans are sent separately
 * - `not_allowed`: the key is missing or wrong, which an operator can correct
 */
export type AnnotationOutcome = "stored" | "no_such_span" | "not_allowed";

export interface Annotations {
  /** May be repeated. @throws DependencyError, `refused` when a retry would be refused again */
  put(annotation: FeedbackAnnotation): Promise<AnnotationOutcome>;
}
