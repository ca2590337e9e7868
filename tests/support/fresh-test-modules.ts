// Loads test modules afresh for each test file of a worker, and product modules once. Files with servers share a process:
// the application is loaded and compiled once, while each file has a harness, stores and hooks of its own.

import { registerHooks } from "node:module";

/** Modules that hold state of one test file. */
const FRESH = /\/tests\/(integration|e2e|extended|support)\//;
/** Modules whose state is of a worker, over all its files. */
const KEPT =
  /\/tests\/(support\/(file-times|fresh-test-modules)|integration\/support\/(servers\/chroma-writes|test-databases))\.ts$/;

let files = 0;

/** Call at the start of each test file. */
export function startFile(): void {
  files += 1;
  if (files > 1) return;
  registerHooks({
    resolve(specifier, context, next) {
      const module = next(specifier, context);
      const isFresh = FRESH.test(module.url) && !module.url.includes("?") && !KEPT.test(module.url);
      return isFresh ? { ...module, url: `${module.url}?file=${files}` } : module;
    },
  });
}
