// Fingerprint of the built-in embedder. Stored vectors are valid only for the fingerprint they were computed with.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const PACKAGES = ["core", "embeddings", "model-embeddings-en"];
/** The files that change a vector. */
const FILES = ["encoder.ts", "windows.ts"];

/** Hash of the packages and of the code that compute a vector: 16 hexadecimal digits. */
export function embedderFingerprint(): string {
  const hash = createHash("sha256");
  const require = createRequire(import.meta.url);
  for (const name of PACKAGES) hash.update(readFileSync(require.resolve(`@energetic-ai/${name}/package.json`)));
  for (const file of FILES) hash.update(readFileSync(new URL(file, import.meta.url)));
  return hash.digest("hex").slice(0, 16);
}
