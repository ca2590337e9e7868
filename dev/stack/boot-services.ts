// Order of a start: postgres, then migrations, then postgrest; all other services start beside them. Each step is timed
// and reported. The first failure aborts the others.

import { applyMigrations, createRoles } from "./database-setup.ts";
import { logPathOf } from "./paths.ts";
import type { ManagedService } from "./services/managed-service.ts";
import type { ServiceName } from "./services/service.ts";
import type { ProgressEvent, StepName } from "./stack.ts";
import type { Workspace } from "./workspace.ts";

export interface BootOptions {
  workspace: Workspace;
  services: ReadonlyMap<ServiceName, ManagedService>;
  superuserUrl: string;
  projectDir: string;
  report(event: ProgressEvent): void;
  /** Aborted with the error of the first step that fails. */
  abort: AbortController;
}

/** Services that start one after the other. */
const DATABASE_SERVICES: readonly ServiceName[] = ["postgres", "postgrest"];

/** Resolves when all services are healthy. @throws the error of the first step that fails, once all steps have ended */
export async function bootServices(options: BootOptions): Promise<void> {
  const { services, abort } = options;
  const others = [...services.values()].filter(({ name }) => !DATABASE_SERVICES.includes(name));
  const results = await Promise.allSettled([
    bootDatabase(options),
    ...others.map((service) => runStep(options, service.name, () => service.start())),
  ]);
  // The signal's reason is the first failure. Later failures are its consequences.
  abort.signal.throwIfAborted();
  for (const result of results) if (result.status === "rejected") throw result.reason;
}

async function bootDatabase(options: BootOptions): Promise<void> {
  const { workspace, services, superuserUrl, projectDir, abort } = options;
  const { paths, registry, secrets } = workspace;
  const server = services.get("postgres");
  if (!server) return;
  await runStep(options, "postgres", async () => {
    await server.start();
    await createRoles(superuserUrl, secrets.authenticatorPassword);
  });
  await runStep(
    options,
    "migrations",
    () =>
      applyMigrations({
        projectDir,
        dataDir: paths.dir,
        workDir: paths.migrations,
        superuserUrl,
        logPath: logPathOf(paths, "migrations"),
        registry,
        signal: abort.signal,
      }),
    ({ total, pushed }) => (pushed ? `${total} files` : "unchanged"),
  );
  const api = services.get("postgrest");
  if (api) await runStep(options, "postgrest", () => api.start());
}

/** @param describe a few words about the result, for the person who waits */
async function runStep<T>(
  { report, abort }: Pick<BootOptions, "report" | "abort">,
  step: StepName,
  work: () => Promise<T>,
  describe?: (result: T) => string,
): Promise<void> {
  const startedAt = performance.now();
  const elapsedMs = (): number => Math.round(performance.now() - startedAt);
  report({ type: "step", step, state: "started" });
  try {
    const result = await work();
    const detail = describe ? { detail: describe(result) } : {};
    report({ type: "step", step, state: "ready", elapsedMs: elapsedMs(), ...detail });
  } catch (cause) {
    if (abort.signal.aborted) {
      report({ type: "step", step, state: "cancelled", elapsedMs: elapsedMs() });
      throw cause;
    }
    const error = cause instanceof Error ? cause : new Error(String(cause));
    report({ type: "step", step, state: "failed", elapsedMs: elapsedMs(), error });
    abort.abort(error);
    throw error;
  }
}
