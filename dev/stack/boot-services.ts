// Order of a start: postgres, then migrations, then postgrest; all other services start beside them. Each step is timed
// and reported. The first failure aborts the others.

import { applyMigrations, createRoles } from "./database-setup.ts";
import { logPathOf } from "./paths.ts";
import { chromaTenant, createTenant } from "./services/chroma.ts";
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

const WAITING_INTERVAL_MS = 10_000;

/** Services that start one after the other. */
const DATABASE_SERVICES: readonly ServiceName[] = ["postgres", "postgrest"];

/** Resolves when all services are healthy. @throws the error of the first step that fails, once all steps have ended */
export async function bootServices(options: BootOptions): Promise<void> {
  const { services, abort } = options;
  const others = [...services.values()].filter(({ name }) => !DATABASE_SERVICES.includes(name));
  const results = await Promise.allSettled([
    bootDatabase(options),
    ...others.map((service) =>
      runServiceStep(
        options,
        service,
        service.name === "chroma"
          ? () => createTenant(`http://127.0.0.1:${service.port}`, chromaTenant(options.workspace.secrets))
          : undefined,
      ),
    ),
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
  await runServiceStep(options, server, () => createRoles(superuserUrl, secrets.authenticatorPassword));
  await runStep(options, {
    step: "migrations",
    waitsFor: "the Supabase CLI applies the migrations",
    work: () =>
      applyMigrations({
        projectDir,
        dataDir: paths.dir,
        workDir: paths.migrations,
        superuserUrl,
        logPath: logPathOf(paths, "migrations"),
        registry,
        signal: abort.signal,
      }),
    describe: ({ total, pushed }) => (pushed ? `${total} files` : "unchanged"),
  });
  const api = services.get("postgrest");
  if (api) await runServiceStep(options, api);
}

function runServiceStep(options: BootOptions, service: ManagedService, afterStart = async () => {}): Promise<void> {
  const work = () => service.start().then(afterStart);
  return runStep(options, { step: service.name, waitsFor: `no answer on port ${service.port} yet`, work });
}

interface Step<T> {
  readonly step: StepName;
  /** As in ProgressEvent. */
  readonly waitsFor: string;
  readonly work: () => Promise<T>;
  /** A few words about the result, for the person who waits. */
  readonly describe?: (result: T) => string;
}

async function runStep<T>(
  { report, abort, workspace }: Pick<BootOptions, "report" | "abort" | "workspace">,
  { step, waitsFor, work, describe }: Step<T>,
): Promise<void> {
  const startedAt = performance.now();
  const elapsedMs = (): number => Math.round(performance.now() - startedAt);
  const logPath = logPathOf(workspace.paths, step);
  report({ type: "step", step, state: "started" });
  const waiting = setInterval(() => {
    report({ type: "step", step, state: "waiting", elapsedMs: elapsedMs(), waitsFor, logPath });
  }, WAITING_INTERVAL_MS);
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
  } finally {
    clearInterval(waiting);
  }
}
