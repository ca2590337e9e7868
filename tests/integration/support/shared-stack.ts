// One stack for all integration tests that do not break it: Postgres, PostgREST, the gateway, Chroma, the embedder.
// Started once, thrown away at the end.

import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import type { StackInfo } from "../../../dev/stack/stack-info.ts";
import { startStack } from "../../../dev/stack/start-stack.ts";

declare module "vitest" {
  interface ProvidedContext {
    stack: { readonly info: StackInfo; readonly workerEnv: Record<string, string> };
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const stack = await startStack({
    dir: await mkdtemp(join(tmpdir(), "dejavu-test-")),
    ephemeral: true,
    parts: ["gateway", "chroma", "embeddings"],
  });
  project.provide("stack", { info: stack.info, workerEnv: stack.workerEnv });
  return () => stack.stop();
}
