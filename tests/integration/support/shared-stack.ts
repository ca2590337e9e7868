// Servers of a test run, started once: PostgreSQL with the migrations applied, and Chroma. Each test file has its
// own stores on them: file-stores.ts.

import postgres from "postgres";
import type { TestProject } from "vitest/node";
import { z } from "zod";
import { buildAssets } from "../../../dev/stack/assets/build-assets.ts";
import { REPO_DIR, stackPaths } from "../../../dev/stack/paths.ts";
import { loadSecrets } from "../../../dev/stack/secrets.ts";
import type { Stack } from "../../../dev/stack/stack.ts";
import type { StackInfo } from "../../../dev/stack/stack-info.ts";
import { startStack } from "../../../dev/stack/start-stack.ts";
import { scratchFolder } from "../../support/scratch-folder.ts";

/** Deletes the rows of all tables that are empty after the migrations; its argument says whether also those of runbooks. */
export const EMPTY_TABLES = "dejavu_dev.empty_tables";

/** Connections go to this database: Postgres cannot copy a database that has connections. */
export const MAINTENANCE_DATABASE = "maintenance";

export interface SharedStack {
  readonly dir: string;
  readonly info: StackInfo;
  readonly authenticatorPassword: string;
  readonly jwtSecret: string;
  /** All tables, with their schema. */
  readonly tables: readonly string[];
  /** Whether the files of the project share processes. */
  readonly sharesProcess: boolean;
}

declare module "vitest" {
  interface ProvidedContext {
    stack: SharedStack;
  }
}

let starting: Promise<{ readonly stack: Stack; readonly shared: Omit<SharedStack, "sharesProcess"> }> | undefined;

/** Starts the servers for the first project of the run that needs them; the others share them. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  starting ??= start();
  const { stack, shared } = await starting;
  project.provide("stack", { ...shared, sharesProcess: !project.config.isolate });
  return () => stack.stop();
}

async function start(): Promise<{ readonly stack: Stack; readonly shared: Omit<SharedStack, "sharesProcess"> }> {
  const startedAt = performance.now();
  const dir = await scratchFolder("test");
  await buildAssets(REPO_DIR);
  const stack = await startStack({ dir, ephemeral: true, services: ["postgres", "chroma"] });
  const { secrets, postgres } = stackPaths(dir);
  const { authenticatorPassword, jwtSecret } = await loadSecrets(secrets, postgres);
  console.log(`The servers of the run started in ${((performance.now() - startedAt) / 1_000).toFixed(1)} s.`);
  const tables = await prepareTemplate(stack.info.urls.postgres);
  return { stack, shared: { dir, info: stack.info, authenticatorPassword, jwtSecret, ...tables } };
}

/**
 * Creates the maintenance database, and in the migrated one a function that empties it. @returns its tables
 * Statistics of a table that a test has emptied would let the next test's plans expect no rows: nothing collects them.
 */
async function prepareTemplate(url: string): Promise<Pick<SharedStack, "tables">> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    await sql.unsafe("alter system set autovacuum = off");
    await sql.unsafe("select pg_reload_conf()");
    await sql.unsafe(`create database ${MAINTENANCE_DATABASE}`);
    const rows = await sql`select format('%I.%I', nspname, relname) as name, array(
        select s.oid::regclass::text from pg_class s join pg_depend d on d.objid = s.oid and d.deptype in ('a', 'i')
        where s.relkind = 'S' and d.refobjid = c.oid) as sequences
      from pg_class c join pg_namespace n on n.oid = relnamespace
      where relkind = 'r' and c.oid >= 16384 order by name`;
    const tables = z.array(z.object({ name: z.string(), sequences: z.array(z.string()) })).parse(rows);
    const empty: typeof tables = [];
    for (const table of tables)
      if ((await sql.unsafe(`select from ${table.name} limit 1`)).length === 0) empty.push(table);
    await sql.unsafe(emptyingFunction(empty));
    return { tables: tables.map(({ name }) => name) };
  } finally {
    await sql.end();
  }
}

/** Tables of runbooks and their index. */
const KNOWLEDGE_TABLES = ["collections", "documents", "postings", "posting_blocks", "terms", "sources"].map(
  (name) => `public.${name}`,
);

/**
 * A function plans its statements once for each connection. It deletes: truncate creates a new file for each table and
 * index and takes 50 ms.
 */
function emptyingFunction(tables: readonly { readonly name: string; readonly sequences: readonly string[] }[]): string {
  const statements = (isKnowledge: boolean) =>
    tables
      .filter(({ name }) => KNOWLEDGE_TABLES.includes(name) === isKnowledge)
      .flatMap(({ name, sequences }) => [
        `delete from ${name};`,
        ...sequences.map((sequence) => `perform setval('${sequence}', 1, false);`),
      ])
      .join("\n");
  // Neither triggers nor foreign keys.
  return `create function ${EMPTY_TABLES}(with_knowledge boolean) returns void language plpgsql
    set session_replication_role = replica as $$ begin
      ${statements(false)}
      if with_knowledge then
        ${statements(true)}
      end if;
    end $$`;
}
