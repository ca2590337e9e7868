// Data folder of test servers, in memory if there is room. Creating a database writes a thousand files and Chroma syncs
// every write: on a disk, they take a fifth of a run.

import { mkdtemp, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const MEMORY_FOLDER = "/dev/shm";
/** `f_type` of a tmpfs (linux/magic.h). */
const TMPFS_MAGIC = 0x01021994;
/** A run needs up to 500 MB; containers often have 64 MB. */
const MIN_FREE_BYTES = 2 * 1_024 ** 3;

/** Creates a folder, which the caller deletes. @param name part of the folder's name */
export async function scratchFolder(name: string): Promise<string> {
  return mkdtemp(join((await hasRoomInMemory()) ? MEMORY_FOLDER : tmpdir(), `dejavu-${name}-`));
}

async function hasRoomInMemory(): Promise<boolean> {
  try {
    const { type, bavail, bsize } = await statfs(MEMORY_FOLDER);
    return type === TMPFS_MAGIC && bavail * bsize > MIN_FREE_BYTES;
  } catch {
    return false; // This system has no /dev/shm.
  }
}
