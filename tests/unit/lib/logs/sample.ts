// The form of the samples: evidence as people paste it, and the lines that a reader must return.

export interface Sample {
  readonly name: string;
  readonly logs: string;
  readonly headline?: string;
  readonly target?: string;
  /** Fragments of lines that must be among the error lines. The first belongs to the heaviest line. */
  readonly decisive: readonly string[];
  /** Fragments that no error line may hold. */
  readonly absent?: readonly string[];
}
