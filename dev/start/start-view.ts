// Progress of `npm start` on standard error: moving lines on a terminal, plain lines elsewhere. Standard output stays
// free for the answer of `--once`.

import pc from "picocolors";
import type { ProgressEvent } from "../stack/stack.ts";
import { isStoppedBySignal } from "../stack/stop-on-signal.ts";
import { createListrLines } from "./listr-lines.ts";
import { createPlainLines, type ProgressLines, STEP_TITLES, type StartStep } from "./progress-lines.ts";

export interface StartView {
  onProgress(event: ProgressEvent): void;
  /**
   * Runs a step of `npm start` itself and shows it like those of the stack.
   * @param describe its result in a few words
   */
  step<T>(
    step: StartStep,
    work: (showProgress: (text: string) => void) => Promise<T>,
    describe: (result: T) => string,
  ): Promise<T>;
  end(): Promise<void>;
}

/** @param steps those that will run */
export function createStartView(steps: readonly StartStep[]): StartView {
  const isInteractive = process.stdout.isTTY === true && process.stderr.isTTY === true && !process.env.CI;
  const lines: ProgressLines = isInteractive ? createListrLines(steps) : createPlainLines();
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
          lines.note(`${STEP_TITLES[event.service]} exited by itself. Its log: ${event.logPath}`);
          break;
        case "restarting":
          lines.note(`${STEP_TITLES[event.service]} is started again in ${event.pauseMs / 1_000} s.`);
          break;
        case "restarted":
          lines.note(`${STEP_TITLES[event.service]} runs again.`);
          break;
        case "given-up":
          lines.note(
            `${STEP_TITLES[event.service]} exits again and again and is not started any more. Its log: ${event.logPath}. Stop with Ctrl-C, mend the cause and run npm start again; the data stays.`,
          );
          break;
        case "step":
          showStep(lines, event);
      }
    },
    async step(step, work, describe) {
      const startedAt = performance.now();
      lines.started(step);
      try {
        const result = await work((text) => lines.working(step, text));
        lines.ready(step, withDuration(performance.now() - startedAt, describe(result)));
        return result;
      } catch (error) {
        if (isStoppedBySignal()) lines.cancelled(step);
        else lines.failed(step, error instanceof Error ? error.message : String(error));
        throw error;
      }
    },
    end: () => lines.end(),
  };
}

function waitingText({
  elapsedMs,
  waitsFor,
  logPath,
}: {
  elapsedMs: number;
  waitsFor: string;
  logPath: string;
}): string {
  return `still starting after ${Math.round(elapsedMs / 1_000)} s: ${waitsFor}. Its log: ${logPath}`;
}

function showStep(lines: ProgressLines, event: Extract<ProgressEvent, { type: "step" }>): void {
  switch (event.state) {
    case "started":
      lines.started(event.step);
      break;
    case "waiting":
      lines.working(event.step, waitingText(event));
      break;
    case "ready":
      lines.ready(event.step, withDuration(event.elapsedMs, event.detail));
      break;
    case "failed":
      lines.failed(event.step, event.error.message);
      break;
    case "cancelled":
      lines.cancelled(event.step);
      break;
  }
}

function withDuration(elapsedMs: number, detail?: string): string {
  return pc.dim([detail, `${(elapsedMs / 1_000).toFixed(1)} s`].filter(Boolean).join(", "));
}
