/**
 * The words of the local stack: its parts, what a caller may ask for, and what it gets back.
 * Types only; how a part is run lives in process-part.ts and parts/.
 */
import type { StackInfo } from "./stack-info.ts";

/** In the order of a start; a stop goes the other way. */
export const PART_NAMES = ["postgres", "postgrest", "gateway", "chroma", "embeddings", "collector", "worker"] as const;

export type PartName = (typeof PART_NAMES)[number];

/** What Dejavu needs; the collector only looks on. */
export const NEEDED_PARTS: readonly PartName[] = PART_NAMES.filter((name) => name !== "collector");

/** What a start shows to the person who waits. */
export type StepName = PartName | "migrations";

export type ProgressEvent =
  | { type: "step"; step: StepName; state: "started" }
  | { type: "step"; step: StepName; state: "ready"; elapsedMs: number; detail?: string }
  | { type: "step"; step: StepName; state: "failed"; elapsedMs: number; error: Error }
  /** Given up because another step failed or the start was aborted. */
  | { type: "step"; step: StepName; state: "cancelled"; elapsedMs: number }
  /** Something worth a line: data put elsewhere, leftovers stopped, a run waited for. */
  | { type: "note"; message: string }
  /** A part ended that nobody asked to end. The stack does not restart it. */
  | { type: "exited"; part: PartName; exitCode: number | null; exitSignal: NodeJS.Signals | null; logPath: string }
  | { type: "stopping" };

export interface StackOptions {
  /** Data, logs, secrets and `stack.json` go here; made when missing. */
  dir: string;
  /** A throw-away stack: no fsync, random ports, no crons, and `dir` is deleted on stop. */
  ephemeral?: boolean;
  /** Parts to run, those they depend on included. All that are needed by default. */
  parts?: readonly PartName[];
  onProgress?: (event: ProgressEvent) => void;
  /** Added to, and winning over, the Worker's variables. */
  extraWorkerVars?: Record<string, string>;
  /**
   * Requests a minute that the Worker lets through, in place of every limit in wrangler.toml. A throw-away stack has
   * practically none unless told: tests and benches share one token.
   */
  requestsPerMinute?: number;
  /** File in which the embedding sidecar keeps the vectors that it computes, for later runs: dev/embeddings/vector-cache.ts. */
  vectorCache?: string;
  /** Parts not to run though others need them: they run elsewhere, at addresses that `extraWorkerVars` gives. */
  without?: readonly PartName[];
  /** Aborting stops whatever has been started and makes `startStack` throw the signal's reason. */
  signal?: AbortSignal;
  /** Where `supabase/migrations` and `wrangler.toml` are; this repository unless told. */
  projectDir?: string;
}

export interface PartHandle {
  readonly name: PartName;
  /** Process id of the part's leader, or undefined while it is down. */
  readonly pid: number | undefined;
  readonly port: number;
  /** Ends the part the way it likes to end, SIGKILL after a grace. Does nothing when it is down. */
  stop(): Promise<void>;
  /** SIGKILL for the part and its children; waits until all are gone. */
  kill(): Promise<void>;
  /** SIGSTOP for the part and its children: connections stay open and nothing answers. */
  pause(): void;
  resume(): void;
  /** Starts a part that is down on the same port and data, and waits for its health. */
  start(): Promise<void>;
}

export interface Stack {
  readonly info: StackInfo;
  /** What the Worker (or the seed command) needs to find everything. */
  readonly workerEnv: Record<string, string>;
  /** @throws when the stack was started without that part. */
  part(name: PartName): PartHandle;
  /** Stops every part in reverse order and removes `stack.json` and the lock. May be called again. */
  stop(): Promise<void>;
}
