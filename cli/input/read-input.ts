// Reads what people have: words, files and standard input.

import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";

/** The body of POST /v1/triage. */
export interface TriageBody {
  readonly title?: string;
  readonly question?: string;
  readonly target?: string;
  readonly severity?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly logs?: string;
  readonly runbook_url?: string;
}

/** @throws Error for a file that cannot be read */
export async function readInput({
  words,
  files,
  stdin,
}: {
  readonly words: readonly string[];
  readonly files: readonly string[];
  readonly stdin: NodeJS.ReadableStream | null;
}): Promise<{ readonly requests: readonly TriageBody[]; readonly notes: readonly string[] }> {
  const texts = await Promise.all(files.map((path) => (path === "-" ? read(stdin) : readFile(path, "utf8"))));
  const logs = (files.length === 0 ? [await read(stdin)] : texts).join("\n").trim();
  const title = words.join(" ").trim() || (logs.split("\n", 1)[0] ?? "").slice(0, 1_000);
  if (title === "") return { requests: [], notes: [] };
  return { requests: [{ title, ...(logs === "" ? {} : { logs }) }], notes: [] };
}

async function read(stdin: NodeJS.ReadableStream | null): Promise<string> {
  return stdin === null ? "" : text(stdin);
}
