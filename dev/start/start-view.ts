/**
 * What a person sees while the stack starts: a line a step with how long it took. Moving lines on a terminal, plain
 * ones elsewhere, written to standard error so that `--once` prints nothing but the answer on standard output.
 */
import pc from "picocolors";
import type { ProgressEvent, StepName } from "../stack/index.ts";
import { createListrLines } from "./listr-lines.ts";
import { createPlainLines } from "./progress-lines.ts";

/** Steps of `npm start`: those of the stack, then loading the runbooks. */
export type StartStep = StepName | "runbooks";

export const STEP_TITLES: Record<StartStep, string> = {
  postgres: "PostgreSQL",
  migrations: "Migrations",
  postgrest: "PostgREST",
  gateway: "Gateway",
  chroma: "Chroma",
  embeddings: "Embeddings",
  collector: "Traces",
  worker: "Worker",
  runbooks: "Runbooks",
};

/** How lines get on the screen. */
export interface Lines {
  started(step: StartStep): void;
  /** Something to read while a step takes its time. */
  working(step: StartStep, text: string): void;
  ready(step: StartStep, text: string): void;
  failed(step: StartStep, text: string): void;
  cancelled(step: StartStep): void;
  note(text: string): void;
  /** Settles every line; nothing moves afterwards. */
  end(): Promise<void>;
}

export interface StartView {
  onProgress(event: ProgressEvent): void;
  /** Runs a step of our own and shows it like the stack's. */
  step<T>(
    step: StartStep,
    work: (say: (text: string) => void) => Promise<T>,
    detailOf: (result: T) => string,
  ): Promise<T>;
  end(): Promise<void>;
}

export function createStartView(): StartView {
  const isLively = process.stdout.isTTY === true && process.stderr.isTTY === true && !process.env.CI;
  const lines: Lines = isLively ? createListrLines() : createPlainLines();
  return {
    onProgress(event) {
      switch (event.type) {
        case "note":
          lines.note(event.message);
          break;
        case "stopping":
          lines.note("Stopping...");
          break;
        case "exited":
          lines.note(`${STEP_TITLES[event.part]} ended by itself. Its log: ${event.logPath}`);
          break;
        case "step":
          showStep(lines, event);
      }
    },
    async step(step, work, detailOf) {
      const began = performance.now();
      lines.started(step);
      try {
        const result = await work((text) => lines.working(step, text));
        lines.ready(step, describe(performance.now() - began, detailOf(result)));
        return result;
      } catch (error) {
        lines.failed(step, error instanceof Error ? error.message : String(error));
        throw error;
      }
    },
    end: () => lines.end(),
  };
}

function showStep(lines: Lines, event: Extract<ProgressEvent, { type: "step" }>): void {
  switch (event.state) {
    case "started":
      lines.started(event.step);
      break;
    case "ready":
      lines.ready(event.step, describe(event.elapsedMs, event.detail));
      break;
    case "failed":
      lines.failed(event.step, event.error.message);
      break;
    case "cancelled":
      lines.cancelled(event.step);
      break;
  }
}

function describe(elapsedMs: number, detail?: string): string {
  return pc.dim([detail, `${(elapsedMs / 1_000).toFixed(1)} s`].filter(Boolean).join(", "));
}
