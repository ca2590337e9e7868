/** One line when a step is done, for logs and pipes; what is only in motion is left out. */
import { type Lines, STEP_TITLES } from "./start-view.ts";

/** Long steps say something at most this often. */
const WORKING_EVERY_MS = 5_000;

export function createPlainLines(): Lines {
  let lastWorking = Date.now();
  const write = (text: string): void => console.error(text);
  return {
    started: () => {},
    working(step, text) {
      if (Date.now() - lastWorking < WORKING_EVERY_MS) return;
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
