// Servers of a test run, started once: PostgreSQL with the migrations applied, Chroma and the embedder. Each test file
// has its own stores on them: file-stores.ts.

import { join } from "node:path";
import postgres from "postgres";
import type { TestProject } from "vitest/node";
import { buildAssets } from "../../../dev/stack/assets/build-assets.ts";
import { REPO_DIR, stackPaths } from "../../../dev/stack/paths.ts";
import { loadSecrets } from "../../../dev/stack/secrets.ts";
import type { Stack } from "../../../dev/stack/stack.ts";
import type { StackInfo } from "../../../dev/stack/stack-info.ts";
import { startStack } from "../../../dev/stack/start-stack.ts";
import { scratchFolder } from "../../support/scratch-folder.ts";

/** Test runs share computed vectors. */
export const VECTOR_CACHE = join(REPO_DIR, "node_modules/.cache/dejavu/vectors.sqlite");

/** Connections go to this database: Postgres cannot copy a database that has connections. */
export const MAINTENANCE_DATABASE = "maintenance";

export interface SharedStack {
  readonly dir: string;
  readonly info: StackInfo;
  readonly authenticatorPassword: string;
  readonly jwtSecret: string;
  /** All tables, with their schema. */
  readonly tables: readonly string[];
  /** Those that are empty after the migrations. */
  readonly emptyTables: readonly string[];
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
  const stack = await startStack({
    dir,
    ephemeral: true,
    services: ["postgres", "chroma", "embeddings"],
    vectorCache: VECTOR_CACHE,
  });
  const { secrets, postgres } = stackPaths(dir);
  const { authenticatorPassword, jwtSecret } = await loadSecrets(secrets, postgres);
  console.log(`The servers of the run started in ${((performance.now() - startedAt) / 1_000).toFixed(1)} s.`);
  const tables = await prepareTemplate(stack.info.urls.postgres);
  return { stack, shared: { dir, info: stack.info, authenticatorPassword, jwtSecret, ...tables } };
}

/** Creates the maintenance database. @returns the tables of the migrated one */
async function prepareTemplate(url: string): Promise<Pick<SharedStack, "tables" | "emptyTables">> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    await sql.unsafe(`create database ${MAINTENANCE_DATABASE}`);
    const rows = await sql`select format('%I.%I', nspname, relname) as name
      from pg_class c join pg_namespace n on n.oid = relnamespace
      where relkind = 'r' and c.oid >= 16384 order by name`;
    const tables = rows.map(({ name }) => String(name));
    const emptyTables: string[] = [];
    for (const name of tables) {
      if ((await sql.unsafe(`select from ${name} limit 1`)).length === 0) emptyTables.push(name);
    }
    return { tables, emptyTables };
  } finally {
    await sql.end();
  }
}
