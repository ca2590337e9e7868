/** What a part is to its supervisor: how to run it, when it is healthy, how it likes to end. Filled in by parts/. */
import type { PartName } from "../stack.ts";

export interface PartSpec {
  name: PartName;
  port: number;
  command: string;
  args: readonly string[];
  cwd: string;
  /** The whole environment: nothing is inherited that is not named here. */
  env: Record<string, string>;
  /** Run as somebody else; root only. */
  runAs?: { uid: number; gid: number } | undefined;
  stopSignal: NodeJS.Signals;
  /** From the stop signal to SIGKILL. */
  graceMs: number;
  startTimeoutMs: number;
  /** Makes ready what the process expects to find; before every start. */
  prepare?(): void | Promise<void>;
  /** For a part that neither ends nor becomes healthy when it fails, but writes that it did. */
  failureInLog?: { pattern: RegExp; meaning: string };
  /** One look; false or a throw means not yet. Must end by itself. */
  isHealthy(): Promise<boolean>;
}

export interface PartExit {
  exitCode: number | null;
  exitSignal: NodeJS.Signals | null;
}

export function describeExit({ exitCode, exitSignal }: PartExit): string {
  return exitSignal ? `signal ${exitSignal}` : `exit code ${exitCode}`;
}
