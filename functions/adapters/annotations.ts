// Interface of a trace server that shows the feedback of people beside the spans of a triage.

export interface FeedbackAnnotation {
  /** Id of the triage's root span, in hexadecimal. */
  readonly spanId: string;
  /** Digest of the person's id. Span and person identify an annotation. */
  readonly person: string;
  /** 1 for helpful, -1 for not helpful, 0 for no rating. */
  readonly rating: 1 | -1 | 0;
  /** Without secrets and personal data. */
  readonly comment: string | null;
  readonly triageId: string;
  readonly incidentId: string;
}

/**
 * - `stored`: the span has the annotation; an earlier one of the same person is replaced
 * - `no_such_span`: the trace server does not have the span yet, because spans are exported separately; retry later
 * - `not_allowed`: the server's API key is missing or wrong; a retry succeeds after an operator corrects it
 */
export type AnnotationOutcome = "stored" | "no_such_span" | "not_allowed";

export interface Annotations {
  /**
   * Stores an annotation. A repeated call has no further effect.
   * @throws DependencyError with failure `refused` when the server rejects this annotation: retries are useless then
   */
  put(annotation: FeedbackAnnotation): Promise<AnnotationOutcome>;
}
