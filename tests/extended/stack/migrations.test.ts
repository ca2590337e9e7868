import { writeFileSync } from "node:fs";
import { join } from "node:path";
import postgres from "postgres";
import { describe, expect, test } from "vitest";
import type { ProgressEvent } from "../../../dev/stack/stack.ts";
import { startStack } from "../../../dev/stack/start-stack.ts";
import { StackError } from "../../../dev/stack/system/errors.ts";
import { scratchDir, writeProject } from "../../integration/stack/support/scratch.ts";

describe("migrations", { timeout: 300_000 }, () => {
  test("are applied once, again only when the files change, and a failing one is reported", async () => {
    const scratch = scratchDir();
    const projectDir = writeProject(join(scratch, "project"), {
      migrations: { "20260101000000_first.sql": "create table public.first (id int);" },
    });
    const migration = (name: string, sql: string): void =>
      writeFileSync(join(projectDir, "supabase/migrations", name), sql);

    expect(await startAndListTables(scratch, projectDir)).toEqual({ detail: "1 files", tables: ["first"] });
    expect(await startAndListTables(scratch, projectDir)).toEqual({ detail: "unchanged", tables: ["first"] });
    migration("20260101000001_second.sql", "create table public.second (id int);");
    expect(await startAndListTables(scratch, projectDir)).toEqual({ detail: "2 files", tables: ["first", "second"] });

    migration("20260101000002_third.sql", "create table public.third (id no_such_type);");
    const error = await startAndListTables(scratch, projectDir).catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(StackError);
    expect(error).toMatchObject({ logTail: expect.stringContaining('type "no_such_type" does not exist') });
    expect(error).toMatchObject({ logTail: expect.stringContaining("20260101000002_third.sql") });

    migration("20260101000002_third.sql", "create table public.third (id int);");
    expect(await startAndListTables(scratch, projectDir)).toEqual({
      detail: "3 files",
      tables: ["first", "second", "third"],
    });
  });
});

async function startAndListTables(
  scratch: string,
  projectDir: string,
): Promise<{ detail: string | undefined; tables: string[] }> {
  const events: ProgressEvent[] = [];
  const stack = await startStack({
    dir: join(scratch, "data"),
    services: ["postgres"],
    projectDir,
    onProgress: (event) => events.push(event),
  });
  const sql = postgres(stack.info.urls.postgres, { max: 1 });
  const rows = await sql<
    { name: string }[]
  >`select tablename as name from pg_tables where schemaname = 'public' order by 1`;
  await sql.end();
  await stack.stop();
  const applied = events.find(
    (event) => event.type === "step" && event.step === "migrations" && event.state === "ready",
  );
  const detail = applied && "detail" in applied ? applied.detail : undefined;
  return { detail, tables: rows.map(({ name }) => name) };
}
