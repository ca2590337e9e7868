// A small set of runbooks in a temporary folder, for tests that write and change files.

import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

export interface RunbookFolder extends AsyncDisposable {
  readonly directory: string;
  write(source: string, markdown: string): Promise<void>;
  remove(source: string): Promise<void>;
}

export async function runbookFolder(files: Readonly<Record<string, string>>): Promise<RunbookFolder> {
  const directory = await mkdtemp(join(tmpdir(), "dejavu-runbooks-"));
  const folder: RunbookFolder = {
    directory,
    async write(source, markdown) {
      await mkdir(dirname(join(directory, source)), { recursive: true });
      await writeFile(join(directory, source), markdown);
    },
    remove: (source) => rm(join(directory, source)),
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true }),
  };
  for (const [source, markdown] of Object.entries(files)) await folder.write(source, markdown);
  return folder;
}
