// Steps of `npm start`, the interface of their display, and the display for logs and pipes: one line for each finished
// step.

import type { StepName } from "../stack/stack.ts";

/** The steps of the stack, then loading the runbooks and the demo of memory. */
export type StartStep = StepName | "runbooks" | "demo";

export const STEP_TITLES: Record<StartStep, string> = {
  postgres: "PostgreSQL",
  migrations: "Migrations",
  postgrest: "PostgREST",
  gateway: "Gateway",
  chroma: "Chroma",
  collector: "Traces",
  worker: "Worker",
  runbooks: "Runbooks",
  demo: "Demo",
};

/** In the order of their display. */
export const STEP_NAMES = Object.keys(STEP_TITLES).filter((name): name is StartStep => name in STEP_TITLES);

/** Display of steps. */
export interface ProgressLines {
  started(step: StartStep): void;
  /** Progress within a long step. */
  working(step: StartStep, text: string): void;
  ready(step: StartStep, text: string): void;
  failed(step: StartStep, text: string): void;
  cancelled(step: StartStep): void;
  note(text: string): void;
  /** Settles every line. Nothing moves afterwards. */
  end(): Promise<void>;
}

/** Minimum time between two progress lines of long steps. */
const WORKING_INTERVAL_MS = 5_000;

export function createPlainLines(): ProgressLines {
  let lastWorking = Date.now();
  const write = (text: string): void => console.error(text);
  return {
    started: () => {},
    working(step, text) {
      if (Date.now() - lastWorking < WORKING_INTERVAL_MS) return;
      lastWorking = Date.now();
      write(`  ${STEP_TITLES[step]}: ${text}`);
    },
    ready: (step, text) => write(`${STEP_TITLES[step]} ready (${text})`),
    failed: (step, text) => write(`${STEP_TITLES[step]} failed: ${text}`),
    cancelled: () => {},
    note: write,
    end: async () => {},
  };
}
