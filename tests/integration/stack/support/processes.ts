// Finds processes by their environment, arguments and working folder, independently of the registry of the stack. Linux
// only.

import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** `<pid> <command>` of every process whose environment, arguments or working folder contain this folder. */
export function processesUsing(dir: string): string[] {
  return (
    readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
      .filter((pid) => [read(pid, "environ"), read(pid, "cmdline"), workingDir(pid)].some((text) => text.includes(dir)))
      .map((pid) => `${pid} ${read(pid, "cmdline").replaceAll("\0", " ").trim()}`)
      // A zombie has no command line.
      .filter((line) => line.includes(" "))
  );
}

/** Kills them: a failed test leaves some. */
export function killProcessesUsing(dir: string): void {
  for (const line of processesUsing(dir)) process.kill(Number(line.split(" ")[0]), "SIGKILL");
}

function read(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}

function workingDir(pid: string): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return "";
  }
}
