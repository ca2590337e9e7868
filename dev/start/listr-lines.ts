// Display of steps on a terminal: a spinner for each step, all in one list.

import { type DefaultRenderer, Listr, type ListrTaskWrapper, type SimpleRenderer } from "listr2";
import pc from "picocolors";
import { type ProgressLines, STEP_TITLES, type StartStep } from "./progress-lines.ts";

type Wrapper = ListrTaskWrapper<unknown, typeof DefaultRenderer, typeof SimpleRenderer>;

interface Line {
  outcome: PromiseWithResolvers<void>;
  task: Wrapper | undefined;
}

export function createListrLines(): ProgressLines {
  const steps = Object.keys(STEP_TITLES).filter((name): name is StartStep => name in STEP_TITLES);
  const lineOf = new Map<StartStep, Line>(
    steps.map((step) => [step, { outcome: Promise.withResolvers<void>(), task: undefined }]),
  );
  for (const { outcome } of lineOf.values()) outcome.promise.catch(() => {});
  const list = new Listr(
    [...lineOf].map(([step, line]) => ({
      title: STEP_TITLES[step],
      task: (_context: unknown, task: Wrapper) => {
        line.task = task;
        return line.outcome.promise;
      },
    })),
    // The stack handles Ctrl-C itself.
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
      // listr2 prints it above the moving lines.
      console.error(text);
    },
    async end() {
      for (const step of unsettled) {
        lineOf.get(step)?.task?.skip(STEP_TITLES[step]);
        lineOf.get(step)?.outcome.resolve();
      }
      await running;
    },
  };
}
