// Errors of commands, with the exit code that they end with.

export const EXIT_CODES = { failed: 1, usage: 2, notFound: 3, notAllowed: 4, interrupted: 130 } as const;

/** An expected failure. The message says what is wrong and what to do; it is shown without a stack trace. */
export class CommandError extends Error {
  override readonly name = "CommandError";
  readonly exitCode: number;
  /** The type of the problem document that the service sent, such as `urn:dejavu:problem:not-found`. */
  readonly problem: string | undefined;
  /** Whether the same request may succeed later. */
  readonly isTemporary: boolean;

  constructor(
    reason: keyof typeof EXIT_CODES,
    message: string,
    {
      problem,
      isTemporary = false,
      ...options
    }: ErrorOptions & { readonly problem?: string; readonly isTemporary?: boolean } = {},
  ) {
    super(message, options);
    this.exitCode = EXIT_CODES[reason];
    this.problem = problem;
    this.isTemporary = isTemporary;
  }
}
