/**
 * The order of a start. postgres → migrations → postgrest runs beside the other parts, which boot without it; all are
 * healthy when this is done.
 */
import { bootstrapDatabase } from "./bootstrap.ts";
import { applyMigrations } from "./database-setup.ts";
import { logPathOf } from "./paths.ts";
import type { StepReporter } from "./progress.ts";
import type { ProcessPart } from "./services/managed-service.ts";
import type { PartName } from "./stack.ts";
import type { Workspace } from "./workspace.ts";

export interface BootOptions {
  workspace: Workspace;
  parts: ReadonlyMap<PartName, ProcessPart>;
  superuserUrl: string;
  projectDir: string;
  signal: AbortSignal;
  steps: StepReporter;
}

/** Parts of the database chain, which has an order. */
const CHAIN: readonly PartName[] = ["postgres", "postgrest"];

/** @throws what the first failing step threw, after every other step has ended */
export async function bootParts(options: BootOptions): Promise<void> {
  const { parts, steps, signal } = options;
  const beside = [...parts.values()].filter((part) => !CHAIN.includes(part.name));
  const outcomes = await Promise.allSettled([
    bootDatabase(options),
    ...beside.map((part) => steps.step(part.name, () => part.start())),
  ]);
  // The signal's reason is the first failure; later ones are its echo.
  signal.throwIfAborted();
  for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
}

async function bootDatabase(options: BootOptions): Promise<void> {
  const { workspace, parts, superuserUrl, signal, steps } = options;
  const { paths, roster, secrets } = workspace;
  const server = parts.get("postgres");
  if (!server) return;
  await steps.step("postgres", async () => {
    await server.start();
    await bootstrapDatabase(superuserUrl, secrets.authenticatorPassword);
  });
  await steps.step(
    "migrations",
    () =>
      applyMigrations({
        projectDir: options.projectDir,
        workDir: paths.migrations,
        superuserUrl,
        logPath: logPathOf(paths, "migrations"),
        roster,
        signal,
      }),
    ({ total, pushed }) => (pushed ? `${total} files` : "unchanged"),
  );
  const api = parts.get("postgrest");
  if (api) await steps.step("postgrest", () => api.start());
}
