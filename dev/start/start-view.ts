// Progress of `npm start` on standard error: one line for each finished step. Standard output stays free for the answer of
// `--once`.

import pc from "picocolors";
import type { ProgressEvent, StepName } from "../stack/stack.ts";
import { isStoppedBySignal } from "../stack/stop-on-signal.ts";

/** The steps of the stack, then those of `npm start` itself. */
type StartStep = StepName | "runbooks" | "sample";

const TITLES: Record<StartStep, string> = {
  postgres: "PostgreSQL",
  migrations: "Migrations",
  postgrest: "PostgREST",
  gateway: "Gateway",
  chroma: "Chroma",
  collector: "Traces",
  worker: "Worker",
  runbooks: "Runbooks",
  sample: "Sample",
};

/** Minimum time between two progress lines of long steps. */
const WORKING_INTERVAL_MS = 5_000;

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
}

export function createStartView(): StartView {
  let lastWorking = Date.now();
  const show = (text: string): void => console.error(text);
  const showReady = (step: StartStep, elapsedMs: number, detail?: string): void => {
    const facts = [detail, `${(elapsedMs / 1_000).toFixed(1)} s`].filter(Boolean).join(", ");
    show(`${TITLES[step]} ready ${pc.dim(`(${facts})`)}`);
  };
  const showFailed = (step: StartStep, reason: string): void => show(`${TITLES[step]} failed: ${reason}`);
  const showWorking = (step: StartStep, text: string): void => {
    if (Date.now() - lastWorking < WORKING_INTERVAL_MS) return;
    lastWorking = Date.now();
    show(pc.dim(`  ${TITLES[step]}: ${text}`));
  };
  const showStep = (event: Extract<ProgressEvent, { type: "step" }>): void => {
    const { step } = event;
    if (event.state === "ready") showReady(step, event.elapsedMs, event.detail);
    if (event.state === "failed") showFailed(step, event.error.message);
    if (event.state === "waiting") {
      const seconds = Math.round(event.elapsedMs / 1_000);
      showWorking(step, `still starting after ${seconds} s: ${event.waitsFor}. Its log: ${event.logPath}`);
    }
  };
  return {
    onProgress(event) {
      switch (event.type) {
        case "note":
          show(event.message);
          break;
        case "stopping":
          show("Stopping...");
          break;
        case "exited":
          show(`${TITLES[event.service]} exited by itself. Its log: ${event.logPath}`);
          break;
        case "restarting":
          show(`${TITLES[event.service]} is started again in ${event.pauseMs / 1_000} s.`);
          break;
        case "restarted":
          show(`${TITLES[event.service]} runs again.`);
          break;
        case "given-up":
          show(
            `${TITLES[event.service]} exits again and again and is not started any more. Its log: ${event.logPath}. Stop with Ctrl-C, mend the cause and run npm start again; the data stays.`,
          );
          break;
        case "step":
          showStep(event);
      }
    },
    async step(step, work, describe) {
      const startedAt = performance.now();
      try {
        const result = await work((text) => showWorking(step, text));
        showReady(step, performance.now() - startedAt, describe(result));
        return result;
      } catch (error) {
        if (!isStoppedBySignal()) showFailed(step, error instanceof Error ? error.message : String(error));
        throw error;
      }
    },
  };
}
