// Workspace: a locked data folder with its cleanup process, ports and secrets. Opening it starts no service and stops
// processes of a killed run. Closing it leaves only data and logs.

import { chmodSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { logPathOf, type StackPaths, stackPaths } from "./paths.ts";
import { loadSecrets, type Secrets } from "./secrets.ts";
import { findPostgresHome, type PostgresHome } from "./services/postgres-home.ts";
import { readStackInfo } from "./stack-info.ts";
import { acquireLock, type Lock } from "./system/lock.ts";
import { type PortReservation, reservePorts } from "./system/ports.ts";
import { createProcessRegistry, type ProcessRegistry, stopLeftovers } from "./system/process-registry.ts";

export interface Workspace {
  paths: StackPaths;
  registry: ProcessRegistry;
  home: PostgresHome;
  secrets: Secrets;
  reservation: PortReservation;
  close(): Promise<void>;
}

export interface WorkspaceOptions {
  /** Absolute. */
  dir: string;
  isEphemeral: boolean;
  onNote(message: string): void;
  signal: AbortSignal;
}

/** @throws StackAlreadyRunningError when another process uses the folder */
export async function openWorkspace({ dir, isEphemeral, onNote, signal }: WorkspaceOptions): Promise<Workspace> {
  const paths = stackPaths(dir);
  closeToOthers(paths);
  const lock = await acquireLock(paths.lock, {
    describeOwner: (pid) => describeOwner(dir, pid),
    onWait: () => onNote("Waiting for the clean-up after an earlier run that was killed."),
    signal,
  });
  let registry: ProcessRegistry | undefined;
  try {
    registry = createProcessRegistry(paths, lock, logPathOf(paths, "cleanup"));
    return await fill(paths, { registry, lock, isEphemeral, onNote });
  } catch (error) {
    await registry?.close();
    lock.release();
    throw error;
  }
}

/** Closes the data folder to other users. The folders exist before a service makes them, which would leave them open. */
function closeToOthers(paths: StackPaths): void {
  const folders = [paths.logs, paths.chroma, paths.traces, paths.wrangler, paths.migrations];
  for (const folder of folders) mkdirSync(folder, { recursive: true, mode: 0o700 });
  // Postgres does not run as root: its user passes through the folder to its own data.
  chmodSync(paths.dir, process.getuid?.() === 0 ? 0o711 : 0o700);
  for (const folder of folders) chmodSync(folder, 0o700);
}

interface FillOptions {
  registry: ProcessRegistry;
  lock: Lock;
  isEphemeral: boolean;
  onNote(message: string): void;
}

async function fill(paths: StackPaths, { registry, lock, isEphemeral, onNote }: FillOptions): Promise<Workspace> {
  if (isEphemeral) registry.deleteLater(paths.dir);
  rmSync(paths.info, { force: true });
  const leftovers = await stopLeftovers(paths);
  if (leftovers.length > 0) onNote(`Stopped processes of an earlier run: ${leftovers.join(", ")}.`);
  // A power cut keeps the cleanup process from deleting them. Nobody else can use the data of an ephemeral stack.
  if (isEphemeral) {
    for (const path of [paths.postgres, paths.chroma, paths.secrets, paths.ports])
      rmSync(path, { recursive: true, force: true });
    closeToOthers(paths);
  }
  // Every run writes both files before it creates a database.
  const isNew = !existsSync(paths.secrets) && !existsSync(paths.ports);
  const home = await findPostgresHome({ dir: paths.dir, dataDir: paths.postgres }, isEphemeral);
  for (const folder of home.temporaryDirs) registry.deleteLater(folder);
  for (const note of home.notes) onNote(note);
  if (home.isOutside && isNew && existsSync(home.dataDir)) {
    rmSync(home.dataDir, { recursive: true, force: true });
    onNote(`Removed ${home.dataDir}, the database of a data folder that has been deleted.`);
  }
  const secrets = await loadSecrets(paths.secrets, home.dataDir);
  const reservation = await reservePorts(paths.ports, !isEphemeral);
  return {
    paths,
    registry,
    home,
    secrets,
    reservation,
    close: async () => {
      await reservation.close();
      rmSync(paths.info, { force: true });
      await registry.close();
      lock.release();
    },
  };
}

function describeOwner(dir: string, pid: number): string {
  const reading = readStackInfo(dir);
  if (reading.state !== "running") return `Process ${pid} is starting a stack on ${dir}.`;
  return `A stack already runs on ${dir}: process ${pid}, the Worker at ${reading.info.urls.worker}.`;
}
