// `npm run bench` and `npm run generate`: run a script of a folder by its name, or list the scripts. A script is a file that
// begins with its command, for example: // `npm run bench -- memory`: how times grow with the number of records.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { REPO_DIR } from "./stack/paths.ts";

export interface NamedScript {
  readonly name: string;
  /** The first sentence of its header. */
  readonly purpose: string;
  /** Path in the repository. */
  readonly file: string;
}

/** Sorted by name. */
export function namedScripts(command: string, folder: string): NamedScript[] {
  const header = new RegExp(`^// \`npm run ${command} -- ([\\w-]+)[^\`]*\`[^:]*: ([^]*?)(?:\\.\\s|\\n\\n)`);
  return readdirSync(join(REPO_DIR, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .flatMap((path) => {
      const file = join(folder, path);
      const [, name, purpose] = header.exec(readFileSync(join(REPO_DIR, file), "utf8")) ?? [];
      return name === undefined || purpose === undefined
        ? []
        : [{ name, purpose: purpose.replace(/\n\/\/ /g, " "), file }];
    })
    .sort((a, b) => a.name.localeCompare(b.name, "en"));
}

function run(command: string, folder: string, words: readonly string[]): void {
  const [name, ...rest] = words;
  const scripts = namedScripts(command, folder);
  const script = scripts.find((each) => each.name === name);
  if (script !== undefined) {
    // Some measure the heap after a collection.
    const args = ["--expose-gc", join(REPO_DIR, script.file), ...rest];
    process.execve?.(process.execPath, [process.execPath, ...args], process.env);
  }
  const width = Math.max(...scripts.map((each) => each.name.length));
  const list = scripts.map((each) => `  ${each.name.padEnd(width)}  ${each.purpose}`).join("\n");
  const usage = `Usage: npm run ${command} -- <name> [option…]\n\n${list}`;
  if (name === undefined || name === "--help") {
    console.log(usage);
    return;
  }
  console.error(`"npm run ${command}" knows no "${name}".\n\n${usage}`);
  process.exitCode = 2;
}

if (import.meta.main) {
  const [command = "", folder = "", ...words] = process.argv.slice(2);
  run(command, folder, words);
}
