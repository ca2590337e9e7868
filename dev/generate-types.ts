// `npm run generate -- types`: supabase/database-types.ts from the migrations, with an ephemeral database.

import { writeFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { databaseTypes } from "./database-types.ts";
import { startStack } from "./stack/start-stack.ts";

const TARGET = fileURLToPath(new URL("../supabase/database-types.ts", import.meta.url));

const stack = await startStack({
  dir: await mkdtemp(join(tmpdir(), "dejavu-types-")),
  ephemeral: true,
  services: ["postgrest"],
});
try {
  writeFileSync(TARGET, databaseTypes(stack.info.urls.postgres));
  console.log("supabase/database-types.ts is up to date with supabase/migrations.");
} finally {
  await stack.stop();
}
