// Setup of each test file with servers: loads its test modules afresh, and measures its times for the reporter
// (dearest-files.ts).

import { afterAll, beforeEach, type RunnerTestFile } from "vitest";
import { noteChromaRequest, resetChromaWrites } from "../integration/support/servers/chroma-writes.ts";
import { cpuTime } from "./cpu-time.ts";
import { fileTimes, resetFileTimes } from "./file-times.ts";
import { startFile } from "./fresh-test-modules.ts";

startFile();
resetFileTimes();
resetChromaWrites();

const { fetch } = globalThis;

globalThis.fetch = (input, init) => {
  const url = input instanceof Request ? input.url : String(input);
  noteChromaRequest(init?.method ?? (input instanceof Request ? input.method : "GET"), url);
  return fetch(input, init);
};

const before = cpuTime();
let file: RunnerTestFile | undefined;

beforeEach(({ task }) => {
  file = task.file;
});
afterAll(() => {
  globalThis.fetch = fetch;
  if (!file) return;
  const after = cpuTime();
  if (before && after) fileTimes.cpu = (after.own + after.children - before.own - before.children) * 1_000;
  file.meta.times = { ...fileTimes };
});
