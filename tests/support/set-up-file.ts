// Setup of each test file with servers: measures its times for the reporter (slow-files.ts), and keeps its modules
// compiled for the next file.

import { enableCompileCache } from "node:module";
import { join } from "node:path";
import { afterAll, beforeEach, inject, type RunnerTestFile } from "vitest";
import { REPO_DIR } from "../../dev/stack/paths.ts";
import { fileTimes, timed } from "./file-times.ts";

enableCompileCache(join(REPO_DIR, "node_modules/.cache/dejavu/compiled"));

const { embeddings } = inject("stack").info.urls;
const { fetch } = globalThis;

globalThis.fetch = (input, init) => {
  const url = input instanceof Request ? input.url : String(input);
  return url.startsWith(embeddings) ? timed("embedding", () => fetch(input, init)) : fetch(input, init);
};

const before = process.cpuUsage();
let file: RunnerTestFile | undefined;

beforeEach(({ task }) => {
  file = task.file;
});
afterAll(() => {
  if (!file) return;
  const { user, system } = process.cpuUsage(before);
  fileTimes.cpu = (user + system) / 1_000;
  file.meta.times = { ...fileTimes };
});
