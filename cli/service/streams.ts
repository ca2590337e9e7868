// The standard streams of the program. `process` has them; a test brings its own.

export interface Streams {
  readonly stdin: NodeJS.ReadableStream & {
    readonly isTTY?: boolean;
    /** Of a terminal: gives each key at once, and shows none. */
    readonly setRawMode?: (isRaw: boolean) => unknown;
  };
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
}

export type OutputStream = NodeJS.WritableStream & {
  readonly isTTY?: boolean;
  /** The width of a terminal. Some report 0. */
  readonly columns?: number;
  readonly hasColors?: () => boolean;
};
