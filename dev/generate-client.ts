// `npm run client`: writes client/api.d.ts, the types of every request and response, from the API document.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { clientDocument, stampOf } from "./client/client-document.ts";
import { installClientTools } from "./client/install-tools.ts";

const TARGET = new URL("../client/api.d.ts", import.meta.url);

const { generator } = await installClientTools();
const document = await clientDocument();
const folder = mkdtempSync(join(tmpdir(), "dejavu-client-"));
try {
  const [input, output] = [join(folder, "openapi.json"), join(folder, "api.d.ts")];
  writeFileSync(input, JSON.stringify(document));
  // A field with a default may be left out of a request.
  execFileSync(process.execPath, [generator, input, "--output", output, "--default-non-nullable=false"]);
  const types = readFileSync(output, "utf8");
  writeFileSync(TARGET, stampOf(document, types) + types);
  console.log("Wrote client/api.d.ts.");
} finally {
  rmSync(folder, { recursive: true, force: true });
}
