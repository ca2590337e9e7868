// Files that go when the work on them ends, and when the process ends first, as Ctrl-C makes it.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Removes the file or folder after the work, however it ends. */
export async function removedAfter<T>(path: string, work: () => Promise<T>): Promise<T> {
  const remove = () => rmSync(path, { recursive: true, force: true });
  process.once("exit", remove);
  try {
    return await work();
  } finally {
    remove();
    process.off("exit", remove);
  }
}

/** Gives the work a folder that only this user can read. */
export async function withTemporaryFolder<T>(prefix: string, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  return removedAfter(folder, () => work(folder));
}
