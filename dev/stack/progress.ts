/** Times the steps of a start and reports them; the first failure gives the whole start up. */
import type { ProgressEvent, StepName } from "./stack.ts";

export interface StepReporter {
  /** Runs one step. `detailOf` says in a few words what it found. */
  step<T>(name: StepName, work: () => Promise<T>, detailOf?: (result: T) => string): Promise<T>;
}

/** @param giveUp aborted with the first step's error, so that the steps beside it end too */
export function createStepReporter(report: (event: ProgressEvent) => void, giveUp: AbortController): StepReporter {
  return {
    async step(name, work, detailOf) {
      const began = performance.now();
      const elapsedMs = (): number => Math.round(performance.now() - began);
      report({ type: "step", step: name, state: "started" });
      try {
        const result = await work();
        const detail = detailOf ? { detail: detailOf(result) } : {};
        report({ type: "step", step: name, state: "ready", elapsedMs: elapsedMs(), ...detail });
        return result;
      } catch (cause) {
        if (giveUp.signal.aborted) {
          report({ type: "step", step: name, state: "cancelled", elapsedMs: elapsedMs() });
          throw cause;
        }
        const error = cause instanceof Error ? cause : new Error(String(cause));
        report({ type: "step", step: name, state: "failed", elapsedMs: elapsedMs(), error });
        giveUp.abort(error);
        throw error;
      }
    },
  };
}
