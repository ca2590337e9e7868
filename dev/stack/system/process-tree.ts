/**
 * Processes as the system sees them: who is alive, who belongs to whom, and ending a whole family.
 * A process id alone is not an identity, ids are reused; with its start time it is.
 */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

/** One process and no other. */
export interface Identity {
  pid: number;
  /** Opaque; equal for two looks at the same process, different for a later process with the same id. */
  startedAt: string;
}

export interface ProcessRow extends Identity {
  parentPid: number;
  groupId: number;
  isZombie: boolean;
}

const POLL_MS = 20;

/** Families are small and deaths quick; this only bounds the wait for a process stuck in the kernel. */
const KILL_WAIT_MS = 5_000;

/** For Postgres' backends and the like, which notice by themselves that their leader is gone. */
const ORPHAN_GRACE_MS = 500;

export function listProcesses(): ProcessRow[] {
  if (process.platform !== "linux") return listWithPs();
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name) => readProc(Number(name)))
    .filter((row) => row !== undefined);
}

/** The process with this id, or undefined when there is none or only its zombie is left. */
export function findProcess(pid: number): ProcessRow | undefined {
  const row = process.platform === "linux" ? readProc(pid) : listWithPs(pid)[0];
  return row?.isZombie ? undefined : row;
}

/** True when this very process still runs. */
export function isAlive({ pid, startedAt }: Identity): boolean {
  return findProcess(pid)?.startedAt === startedAt;
}

/** The identity of this process, or of one it has just started. */
export function identityOf(pid: number): Identity {
  const row = findProcess(pid);
  if (!row) throw new Error(`Process ${pid} is not there.`);
  return { pid, startedAt: row.startedAt };
}

/**
 * The living members of a leader's process group and everything descended from it, the leader first. A group outlives
 * its leader; an id that has been given to another process since has no family.
 */
export function familyOf(leader: Identity): ProcessRow[] {
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

/** Sends a signal to processes that are still the ones seen; those that went meanwhile are skipped. */
export function signalAll(targets: readonly Identity[], signal: NodeJS.Signals): void {
  for (const row of targets) {
    if (!isAlive(row)) continue;
    try {
      process.kill(row.pid, signal);
    } catch {
      // Gone between the look and the signal.
    }
  }
}

/** SIGKILL for a leader and its family, and for `others` known from before; waits until none is left. */
export async function killFamily(leader: Identity, others: readonly Identity[] = []): Promise<void> {
  const known = new Map(others.map((row) => [row.pid, row]));
  const deadline = Date.now() + KILL_WAIT_MS;
  for (;;) {
    for (const row of familyOf(leader)) known.set(row.pid, row);
    const left = [...known.values()].filter(isAlive);
    if (left.length === 0) return;
    if (Date.now() > deadline) throw new Error(`Processes ${left.map((row) => row.pid).join(", ")} survive SIGKILL.`);
    signalAll(left, "SIGKILL");
    await delay(POLL_MS);
  }
}

/** Asks the leader to end, waits for its whole family, and kills what is left after the grace. */
export async function stopFamily(leader: Identity, signal: NodeJS.Signals, graceMs: number): Promise<void> {
  const family = familyOf(leader);
  // A stopped process takes no other signal but SIGKILL.
  signalAll(family, "SIGCONT");
  signalAll([leader], signal);
  const deadline = Date.now() + graceMs;
  while (Date.now() < deadline && isAlive(leader)) await delay(POLL_MS);
  // Without its leader a family has no reason to stay, and no ears.
  const orphansUntil = Math.min(deadline, Date.now() + ORPHAN_GRACE_MS);
  while (Date.now() < orphansUntil && family.some(isAlive)) await delay(POLL_MS);
  await killFamily(leader, family);
}

function readProc(pid: number): ProcessRow | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The second field is the command in brackets and may itself hold spaces and brackets.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const [state, parentPid, groupId] = fields;
    return {
      pid,
      parentPid: Number(parentPid),
      groupId: Number(groupId),
      // Field 22 of proc(5), in clock ticks since boot: with the boot's id it is unique for good.
      startedAt: `${bootId()}:${fields[19]}`,
      isZombie: state === "Z" || state === "X",
    };
  } catch {
    return undefined;
  }
}

/** Cached for the life of this process: it cannot outlive the boot. */
let cachedBootId: string | undefined;

function bootId(): string {
  cachedBootId ??= readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  return cachedBootId;
}

function listWithPs(pid?: number): ProcessRow[] {
  const which = pid === undefined ? ["-A"] : ["-p", String(pid)];
  let output: string;
  try {
    output = execFileSync("ps", [...which, "-o", "pid=,ppid=,pgid=,stat=,lstart="], {
      encoding: "utf8",
      env: { ...process.env, LC_ALL: "C" },
      stdio: ["ignore", "pipe", "ignore"],
    });
  } catch {
    return [];
  }
  return output
    .split("\n")
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
