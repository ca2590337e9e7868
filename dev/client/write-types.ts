// `npm run generate -- client`: client/api.d.ts, the types of every request and response, from the API document.
// `npm run check`, `npm test` and `npm pack` run it.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { REPO_DIR } from "../stack/paths.ts";
import { clientDocument } from "./client-document.ts";

const CLIENT_DIR = join(REPO_DIR, "client");
const TARGET = join(CLIENT_DIR, "api.d.ts");
// A package of the client: it needs a TypeScript that the project has outgrown.
const GENERATOR = join(CLIENT_DIR, "node_modules/openapi-typescript/bin/cli.js");
const MAX_BYTES = 10_000_000;

/** @returns whether they had to be written: their first line names the document that they were made from */
export async function writeClientTypes(): Promise<boolean> {
  const document = JSON.stringify(clientDocument());
  const stamp = `// Made from the routes; document ${createHash("sha256").update(document).digest("hex")}\n`;
  if (readTypes().startsWith(stamp)) return false;
  // A field with a default may be left out of a request.
  const options = { input: document, encoding: "utf8", maxBuffer: MAX_BYTES } as const;
  const types = execFileSync(process.execPath, [GENERATOR, "--default-non-nullable=false"], options);
  // In one step: tests may write the types at the same time.
  const own = `${TARGET}.${process.pid}`;
  writeFileSync(own, stamp + types);
  renameSync(own, TARGET);
  return true;
}

function readTypes(): string {
  try {
    return readFileSync(TARGET, "utf8");
  } catch {
    return "";
  }
}

if (import.meta.main) {
  const isWritten = await writeClientTypes();
  if (isWritten) console.error("Wrote client/api.d.ts.");
}
