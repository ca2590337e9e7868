// A pasted text with what its headline should say.

export interface PastedSample {
  readonly name: string;
  readonly text: string;
  /** Parts of the message that decides. */
  readonly holds: readonly string[];
  /** Noise that a person would leave out. */
  readonly lacks: readonly string[];
}
