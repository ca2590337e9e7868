// The shipped word vectors in Node, where tests and commands run: read from their file.

import { readFileSync } from "node:fs";

export const wordTable: ArrayBuffer = new Uint8Array(readFileSync(new URL("./word-vectors.bin", import.meta.url)))
  .buffer;
