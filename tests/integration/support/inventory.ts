// Fills the shared stack with a few of the project's own runbooks and domains, enough for realistic triages and quick to
// embed.

import { cp, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { seedRunbooks } from "../../../cli/seed-runbooks.ts";
import type { Services } from "../../../functions/services.ts";
import { emptyStores } from "./harness.ts";

const RUNBOOKS = [
  "docker/exit-137-out-of-memory.md",
  "docker/container-restart-loop.md",
  "docker/host-disk-full.md",
  "kubernetes/crash-loop-back-off.md",
  "postgres/connection-slots-exhausted-53300.md",
  "postgres/deadlock-detected-40p01.md",
];
/** Domains whose labels and words the tests use. */
const DEFINITIONS = ["general", "docker", "podman", "kubernetes", "postgres"].map((name) => `${name}/domain.yaml`);

export async function loadFreshRunbooks(services: Services, env: Record<string, string>): Promise<void> {
  await emptyStores(services);
  await seedSomeRunbooks(env);
}

export async function seedSomeRunbooks(env: Record<string, string>): Promise<void> {
  await seedFiles(env, [...RUNBOOKS, ...DEFINITIONS]);
}

/** Domains without a runbook, for tests that search nothing. */
export async function seedDomains(env: Record<string, string>): Promise<void> {
  await seedFiles(env, DEFINITIONS);
}

async function seedFiles(env: Record<string, string>, sources: readonly string[]): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "dejavu-knowledge-"));
  try {
    for (const source of sources) {
      await mkdir(dirname(join(directory, source)), { recursive: true });
      await cp(fileURLToPath(new URL(`../../../seeds/runbooks/${source}`, import.meta.url)), join(directory, source));
    }
    await seedRunbooks({ env, directory });
  } finally {
    await rm(directory, { recursive: true });
  }
}
