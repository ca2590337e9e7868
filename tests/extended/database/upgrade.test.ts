// The stack refuses a local database of earlier migrations with one clear error and applies nothing to it.

import { rmSync } from "node:fs";
import { join } from "node:path";
import postgres from "postgres";
import { expect, it } from "vitest";
import { startStack } from "../../../dev/stack/start-stack.ts";
import { StackError } from "../../../dev/stack/system/errors.ts";
import { scratchDir, writeProject } from "../../integration/stack/support/scratch.ts";

const REMOVED = "20260101000000";

it("refuses a database whose history has a migration that no longer exists", { timeout: 60_000 }, async () => {
  const scratch = scratchDir();
  const dir = join(scratch, "data");
  const projectDir = writeProject(join(scratch, "project"), {
    migrations: { "20260101000001_first.sql": "create table public.first (id int);" },
  });
  const start = () => startStack({ dir, services: ["postgres"], projectDir });
  const stack = await start();
  const sql = postgres(stack.info.urls.postgres, { max: 1 });
  await sql`insert into supabase_migrations.schema_migrations (version) values (${REMOVED})`;
  await sql.end();
  await stack.stop();

  writeProject(projectDir, { migrations: { "20260101000002_second.sql": "create table public.second (id int);" } });
  const error = await start().catch((cause: unknown) => cause);
  expect(error).toBeInstanceOf(StackError);
  const message = error instanceof StackError ? error.message : "";
  expect(message).toContain(`The database in ${dir} was created by migrations`);
  expect(message).toContain(REMOVED);
  expect(message).toContain(`Move or delete the folder ${dir}, then start again. This loses the incidents`);

  rmSync(join(projectDir, "supabase/migrations/20260101000002_second.sql"));
  const unchanged = await start();
  const connection = postgres(unchanged.info.urls.postgres, { max: 1 });
  expect(await connection`select tablename from pg_tables where schemaname = 'public'`).toEqual([
    { tablename: "first" },
  ]);
  await connection.end();
  await unchanged.stop();

  rmSync(dir, { recursive: true });
  const fresh = await start();
  await fresh.stop();
});
