// Processes as the operating system reports them: by id, by family and by marker; signals to whole families.
// A process id is reused, so it identifies a process only together with the start time.

import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

/** Identifies one process, also after its id has been given to another one. */
export interface ProcessIdentity {
  pid: number;
  /** Opaque. Equal for two reads of one process, different for a later process with the same id. */
  startedAt: string;
}

export interface ProcessRow extends ProcessIdentity {
  parentPid: number;
  groupId: number;
  isZombie: boolean;
}

const POLL_MS = 20;

/** Bounds the wait for a process that is stuck in the kernel. */
const KILL_WAIT_MS = 30_000;

/** For processes that notice by themselves that their leader has exited, such as Postgres backends. */
const ORPHAN_GRACE_MS = 500;

/** Environment variable of every process of a stack; children inherit it. */
const MARKER = "DEJAVU_STACK_DIR";

export function listProcesses(): ProcessRow[] {
  if (process.platform !== "linux") return listWithPs();
  return listPids()
    .map(readProc)
    .filter((row) => row !== undefined);
}

/** The process with this id, or undefined when there is none or only its zombie. */
export function findProcess(pid: number): ProcessRow | undefined {
  const row = process.platform === "linux" ? readProc(pid) : listWithPs(pid)[0];
  return row?.isZombie ? undefined : row;
}

/** Whether this very process still runs. */
export function isAlive({ pid, startedAt }: ProcessIdentity): boolean {
  return findProcess(pid)?.startedAt === startedAt;
}

/** @throws Error when no process has this id */
export function identityOf(pid: number): ProcessIdentity {
  const row = findProcess(pid);
  if (!row) throw new Error(`There is no process ${pid}.`);
  return { pid, startedAt: row.startedAt };
}

/**
 * The living members of a leader's process group and all their descendants, the leader first. A group outlives its
 * leader. Empty when the leader's id belongs to another process now.
 */
export function familyOf(leader: ProcessIdentity): ProcessRow[] {
  const alive = listProcesses().filter((row) => !row.isZombie);
  const holder = alive.find((row) => row.pid === leader.pid);
  if (holder && holder.startedAt !== leader.startedAt) return [];
  const family = new Set<number>([leader.pid]);
  for (let size = 0; size !== family.size; ) {
    size = family.size;
    for (const row of alive) {
      if (row.groupId === leader.pid || family.has(row.parentPid)) family.add(row.pid);
    }
  }
  const isLeader = (row: ProcessRow): number => Number(row.pid === leader.pid);
  return alive.filter((row) => family.has(row.pid)).sort((a, b) => isLeader(b) - isLeader(a));
}

/** Sends a signal to each of these processes that is still alive. */
export function signalAll(targets: readonly ProcessIdentity[], signal: NodeJS.Signals): void {
  for (const target of targets) {
    if (!isAlive(target)) continue;
    try {
      process.kill(target.pid, signal);
    } catch {
      // It exited between the check and the signal.
    }
  }
}

/** Sends SIGKILL to a leader, its family and `others`, and waits until all have exited. @throws Error after half a minute */
export async function killFamily(leader: ProcessIdentity, others: readonly ProcessIdentity[] = []): Promise<void> {
  const members = new Map(others.map((row) => [row.pid, row]));
  const deadline = Date.now() + KILL_WAIT_MS;
  for (;;) {
    for (const row of familyOf(leader)) members.set(row.pid, row);
    const alive = [...members.values()].filter(isAlive);
    if (alive.length === 0) return;
    if (Date.now() > deadline) throw new Error(`Processes ${alive.map(({ pid }) => pid).join(", ")} survive SIGKILL.`);
    signalAll(alive, "SIGKILL");
    await delay(POLL_MS);
  }
}

/** Sends `signal` to the leader, waits for its whole family, and kills the rest after `graceMs`. */
export async function stopFamily(leader: ProcessIdentity, signal: NodeJS.Signals, graceMs: number): Promise<void> {
  const family = familyOf(leader);
  // A stopped process handles no signal but SIGKILL.
  signalAll(family, "SIGCONT");
  signalAll([leader], signal);
  const deadline = Date.now() + graceMs;
  while (Date.now() < deadline && isAlive(leader)) await delay(POLL_MS);
  // The others have got no signal: once the leader has exited, they get a short grace and then SIGKILL.
  const orphansUntil = Math.min(deadline, Date.now() + ORPHAN_GRACE_MS);
  while (Date.now() < orphansUntil && family.some(isAlive)) await delay(POLL_MS);
  await killFamily(leader, family);
}

/**
 * The process marker of a stack: environment variables for every process that is started for it. It finds processes
 * that are in no list, because their supervisor was killed between starting them and recording their ids.
 * @param dir data folder of the stack
 */
export function processMarker(dir: string): Record<string, string> {
  return { [MARKER]: dir };
}

/** The living processes with this folder's marker. Processes with an unreadable environment are skipped. */
export function findMarkedProcesses(dir: string): ProcessIdentity[] {
  const entry = `${MARKER}=${dir}`;
  const pids = process.platform === "linux" ? findInProc(entry) : findWithPs(entry);
  return pids.map(findProcess).filter((row) => row !== undefined);
}

function findInProc(entry: string): number[] {
  return listPids().filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").includes(entry);
    } catch {
      // It has exited or belongs to another user.
      return false;
    }
  });
}

/** `-E` prints the environment after the command, separated by spaces. A folder's name may hold spaces, too. */
function findWithPs(entry: string): number[] {
  return runPs(["-A", "-E", "-ww", "-o", "pid=,command="])
    .filter((line) => ` ${line} `.includes(` ${entry} `))
    .map((line) => Number.parseInt(line, 10));
}

function listPids(): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

function readProc(pid: number): ProcessRow | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The second field is the command in brackets; it may hold spaces and brackets itself.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const [state, parentPid, groupId] = fields;
    return {
      pid,
      parentPid: Number(parentPid),
      groupId: Number(groupId),
      // Field 22 of proc(5) is the start in clock ticks since boot. With the boot's id it is globally unique.
      startedAt: `${bootId()}:${fields[19]}`,
      isZombie: state === "Z" || state === "X",
    };
  } catch {
    return undefined;
  }
}

let cachedBootId: string | undefined;

function bootId(): string {
  cachedBootId ??= readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  return cachedBootId;
}

function listWithPs(pid?: number): ProcessRow[] {
  const selection = pid === undefined ? ["-A"] : ["-p", String(pid)];
  return runPs([...selection, "-o", "pid=,ppid=,pgid=,stat=,lstart="])
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields.length > 4)
    .map(([id, parent, group, state, ...started]) => ({
      pid: Number(id),
      parentPid: Number(parent),
      groupId: Number(group),
      startedAt: started.join(" "),
      isZombie: state?.startsWith("Z") ?? false,
    }));
}

/** Lines that ps prints; none when it fails, as it does for an id that no process has. */
function runPs(args: readonly string[]): string[] {
  try {
    const output = execFileSync("ps", [...args], {
      encoding: "utf8",
      env: { ...process.env, LC_ALL: "C" },
      maxBuffer: 64 * 1024 * 1024,
      stdio: ["ignore", "pipe", "ignore"],
    });
    return output.split("\n");
  } catch {
    return [];
  }
}
