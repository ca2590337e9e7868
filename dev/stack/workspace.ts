/**
 * The data folder while it is ours: lock, reaper, leftovers of a killed run, places, ports and secrets. Opening it
 * starts no part; closing it leaves nothing behind but data and logs.
 */
import { chmodSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { type StackPaths, stackPaths } from "./paths.ts";
import { loadSecrets, type Secrets } from "./secrets.ts";
import { findPostgresHome, type PostgresHome } from "./services/postgres-home.ts";
import { readStackInfo } from "./stack-info.ts";
import { acquireLock, type Lock } from "./system/lock.ts";
import { type PortReservation, reservePorts } from "./system/ports.ts";
import { createRoster, type Roster, stopLeftovers } from "./system/process-registry.ts";

export interface Workspace {
  paths: StackPaths;
  roster: Roster;
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

/** @throws StackAlreadyRunningError when another process has the folder */
export async function openWorkspace({ dir, isEphemeral, onNote, signal }: WorkspaceOptions): Promise<Workspace> {
  const paths = stackPaths(dir);
  mkdirSync(paths.logs, { recursive: true, mode: 0o711 });
  // Nobody else may list it, but the user Postgres runs as must get through.
  chmodSync(dir, 0o711);
  const lock = await acquireLock(paths.lock, {
    describeOwner: (pid) => describeOwner(dir, pid),
    onWait: () => onNote("Waiting for the clean-up after an earlier run that was killed."),
    signal,
  });
  let roster: Roster | undefined;
  try {
    roster = createRoster(paths, lock);
    return await fill(paths, { roster, lock, isEphemeral, onNote });
  } catch (error) {
    await roster?.close();
    lock.release();
    throw error;
  }
}

interface FillOptions {
  roster: Roster;
  lock: Lock;
  isEphemeral: boolean;
  onNote(message: string): void;
}

async function fill(paths: StackPaths, { roster, lock, isEphemeral, onNote }: FillOptions): Promise<Workspace> {
  if (isEphemeral) roster.deleteLater(paths.dir);
  rmSync(paths.info, { force: true });
  const leftovers = await stopLeftovers(paths);
  if (leftovers.length > 0) onNote(`Stopped what an earlier run left running: ${leftovers.join(", ")}.`);
  // Every run writes both before it makes a database.
  const isNew = !existsSync(paths.secrets) && !existsSync(paths.ports);
  const home = await findPostgresHome(paths, isEphemeral);
  for (const folder of home.temporaryDirs) roster.deleteLater(folder);
  for (const note of home.notes) onNote(note);
  if (home.isOutside && isNew && existsSync(home.dataDir)) {
    rmSync(home.dataDir, { recursive: true, force: true });
    onNote(`Removed ${home.dataDir}, the database of a data folder that has been deleted.`);
  }
  const secrets = await loadSecrets(paths.secrets, home.dataDir);
  const reservation = await reservePorts(paths.ports, !isEphemeral);
  return {
    paths,
    roster,
    home,
    secrets,
    reservation,
    close: async () => {
      await reservation.releaseAll();
      rmSync(paths.info, { force: true });
      await roster.close();
      lock.release();
    },
  };
}

function describeOwner(dir: string, pid: number): string {
  const reading = readStackInfo(dir);
  if (reading.state !== "running") return `Process ${pid} is just starting a stack on ${dir}.`;
  return `A stack already runs on ${dir}: process ${pid}, the Worker at ${reading.info.urls.worker}.`;
}
