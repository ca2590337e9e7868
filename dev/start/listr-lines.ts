// Progress of `npm start` on a terminal: a list with a spinner for each step, drawn by listr2.

import { type DefaultRenderer, Listr, type ListrTaskWrapper, type SimpleRenderer } from "listr2";
import pc from "picocolors";
import { type ProgressLines, STEP_NAMES, STEP_TITLES, type StartStep } from "./progress-lines.ts";

type Wrapper = ListrTaskWrapper<unknown, typeof DefaultRenderer, typeof SimpleRenderer>;

interface Line {
  /** Settled when the step ends; listr2 shows its spinner until then. */
  readonly outcome: PromiseWithResolvers<void>;
  /** Undefined until listr2 runs the list. */
  task: Wrapper | undefined;
}

/** All lines run at once, because the stack starts its services in parallel. */
export function createListrLines(shown: readonly StartStep[]): ProgressLines {
  const steps = STEP_NAMES.filter((step) => shown.includes(step));
  const lineOf = new Map<StartStep, Line>(
    steps.map((step) => [step, { outcome: Promise.withResolvers<void>(), task: undefined }]),
  );
  // A step may fail before listr2 waits for its outcome; Node would report an unhandled rejection.
  for (const { outcome } of lineOf.values()) outcome.promise.catch(() => {});
  const list = new Listr(
    [...lineOf].map(([step, line]) => ({
      title: STEP_TITLES[step],
      task: (_context: unknown, task: Wrapper) => {
        line.task = task;
        return line.outcome.promise;
      },
    })),
    // stop-on-signal.ts handles Ctrl-C: it stops the stack first.
    { concurrent: true, exitOnError: false, registerSignalListeners: false },
  );
  let running: Promise<unknown> | undefined;
  const unsettled = new Set(steps);
  const setText = (step: StartStep, text: string): void => {
    const line = lineOf.get(step);
    if (line?.task) line.task.title = `${STEP_TITLES[step]} ${text}`;
  };
  return {
    started() {
      // The first step draws the whole list.
      running ??= list.run().catch(() => {});
    },
    working(step, text) {
      setText(step, pc.dim(text));
    },
    ready(step, text) {
      unsettled.delete(step);
      setText(step, text);
      lineOf.get(step)?.outcome.resolve();
    },
    failed(step, text) {
      unsettled.delete(step);
      lineOf.get(step)?.outcome.reject(new Error(`${STEP_TITLES[step]}: ${text}`));
    },
    cancelled(step) {
      unsettled.delete(step);
      lineOf.get(step)?.task?.skip(`${STEP_TITLES[step]} ${pc.dim("cancelled")}`);
      lineOf.get(step)?.outcome.resolve();
    },
    note(text) {
      // listr2 intercepts the output while it draws, and prints the text above the list.
      console.error(text);
    },
    async end() {
      // Steps that never ended would keep the list running.
      for (const step of unsettled) {
        lineOf.get(step)?.task?.skip(STEP_TITLES[step]);
        lineOf.get(step)?.outcome.resolve();
      }
      await running;
    },
  };
}
