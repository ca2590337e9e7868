// The size and colours of what a command prints.

export interface RenderOptions {
  /** Maximum width in columns. */
  readonly width: number;
  readonly color: boolean;
  /** Whether nothing gives the output a width: it is no terminal, and COLUMNS is not set. */
  readonly isPipe?: boolean;
}
