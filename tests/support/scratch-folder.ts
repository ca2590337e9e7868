// Where the servers of a test run keep their data: in memory where there is room. Making a database writes a thousand files,
// and Chroma syncs each write: on a disk that is a fifth of a run's time.

import { mkdtemp, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const MEMORY_FOLDER = "/dev/shm";
/** `f_type` of a tmpfs (linux/magic.h). */
const TMPFS_MAGIC = 0x01021994;
/** Bytes. A run takes some 500 MB at its height; containers often have 64 MB. */
const NEEDED_BYTES = 2 * 1_024 ** 3;

/** A new folder, to be deleted by whoever asked for it. @param name a part of its name */
export async function scratchFolder(name: string): Promise<string> {
  return mkdtemp(join((await hasRoomInMemory()) ? MEMORY_FOLDER : tmpdir(), `dejavu-${name}-`));
}

async function hasRoomInMemory(): Promise<boolean> {
  try {
    const { type, bavail, bsize } = await statfs(MEMORY_FOLDER);
    return type === TMPFS_MAGIC && bavail * bsize > NEEDED_BYTES;
  } catch {
    return false; // There is none on this system.
  }
}
