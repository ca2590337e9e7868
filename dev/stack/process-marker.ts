/**
 * A mark in the environment of every process of a stack, inherited by its children. It finds those that no list has:
 * a supervisor killed between starting a process and noting its id leaves just such a one.
 */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { findProcess, type Identity } from "./system/process-tree.ts";

const MARK = "DEJAVU_STACK_DIR";

/** To be added to the environment of whatever is started for the stack on this data folder. */
export function markOf(dir: string): Record<string, string> {
  return { [MARK]: dir };
}

/** The living processes with this folder's mark, as far as their environment may be read. */
export function findMarked(dir: string): Identity[] {
  const pids = process.platform === "linux" ? readFromProc(`${MARK}=${dir}`) : readFromPs(`${MARK}=${dir}`);
  return pids.map(findProcess).filter((row) => row !== undefined);
}

function readFromProc(entry: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").includes(entry);
      } catch {
        // Gone, or somebody else's.
        return false;
      }
    })
    .map(Number);
}

/** `-E` shows the environment after the command; a folder's name with spaces is cut into words alike. */
function readFromPs(entry: string): number[] {
  let output: string;
  try {
    output = execFileSync("ps", ["-A", "-E", "-ww", "-o", "pid=,command="], {
      encoding: "utf8",
      maxBuffer: 64 * 1024 * 1024,
    });
  } catch {
    return [];
  }
  return output
    .split("\n")
    .filter((line) => ` ${line} `.includes(` ${entry} `))
    .map((line) => Number.parseInt(line, 10));
}
