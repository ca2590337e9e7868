// What a command gets: its arguments and options, the streams, and the service that it calls.

import { displayJson } from "../../lib/text/display-text.ts";
import type { RenderOptions } from "../render-options.ts";
import type { Service, ServiceChoice } from "./find-service.ts";
import type { Environment } from "./private-file.ts";

/** The standard streams. `process` has them; a test brings its own. */
export interface Streams {
  /** Opened when it is first used. */
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

/** Options of every command that calls a service. */
export interface CommonOptions {
  readonly json?: boolean;
  readonly url?: string;
  readonly profile?: string;
}

export interface Cli extends Pick<Streams, "stdin" | "stderr"> {
  readonly env: Environment;
  /** Prints to standard output. */
  readonly print: (text: string) => void;
  /** Prints to standard error. */
  readonly note: (text: string) => void;
  /** Shows progress on one line of a terminal, and nothing elsewhere; "" clears it. */
  readonly progress: (text: string) => void;
  /** The size of the terminal. @param maxColumns upper limit of the width */
  readonly terminal: (maxColumns: number) => RenderOptions;
  /** The command line that prints the next page of a list, to copy. */
  readonly nextPage: (cursor: string) => string;
  /** The service that the options choose. @throws CommandError */
  readonly service: () => Promise<Service>;
  /** The service that another process finds, in its environment. @throws CommandError */
  readonly serviceElsewhere: (choice: ServiceChoice, env: Environment) => Promise<Service>;
  /** Ends with this code, unless an error decides otherwise. */
  readonly exitWith: (code: number) => void;
  /** Sets what is said if Ctrl-C stops the command. */
  readonly whenInterrupted: (describe: () => string) => void;
  /** Stops the command as Ctrl-C does, which is a key to a terminal that gives each key. */
  readonly interrupt: () => void;
}

export interface Invocation<Options = object> {
  /** An omitted argument is missing; a variadic one gives several. */
  readonly args: readonly string[];
  readonly options: Options & CommonOptions;
  readonly cli: Cli;
}

export type Command<Options = object> = (invocation: Invocation<Options>) => Promise<void>;

/** Prints the response of the API as JSON, or the text for people. */
export function printResult(
  { cli, options }: Pick<Invocation, "cli" | "options">,
  answer: unknown,
  describe: () => string,
): void {
  cli.print(options.json ? displayJson(answer) : describe());
}
