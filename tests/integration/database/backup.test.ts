// `dejavu backup` and `dejavu restore`: into a new database and an empty index, and the refusals
// that change nothing.

import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { gunzipSync, gzipSync } from "node:zlib";
import postgres from "postgres";
import { afterAll, beforeAll, expect, inject, it, onTestFinished } from "vitest";
import { readBackup } from "../../../cli/backup/read-backup.ts";
import { restoreBackup } from "../../../cli/backup/restore-backup.ts";
import { writeBackup } from "../../../cli/backup/write-backup.ts";
import { reindexAll } from "../../../cli/reindex-all.ts";
import { REPO_DIR } from "../../../dev/stack/paths.ts";
import { runDejavu } from "../cli/support/run-dejavu.ts";
import { sendText } from "../support/api.ts";
import { openFileStores } from "../support/file-stores.ts";
import { createHarness, info, sql } from "../support/harness.ts";

const address = info.urls.postgres;
const FAILURE = { title: "Queue orders grows", question: "Why does the queue orders grow?", labels: { job: "orders" } };
const FIX = "Raised the consumers of orders from 2 to 8.\tBackslash \\. and a\nsecond line";

let folder = "";
let file = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "dejavu-backup-"));
  file = join(folder, "a.backup");
  const harness = createHarness();
  const runbook = "# Orders queue grows\n\nThe queue orders grows when consumers are too few. Add consumers.\n";
  expect((await sendText(harness, "/v1/runbooks/rabbitmq/orders.md", runbook)).status).toBeLessThan(300);
  const { incident_id } = await harness.triage(FAILURE);
  expect((await harness.post(`/v1/incidents/${incident_id}/resolve`, { resolution: FIX })).status).toBe(200);
  await writeBackup(file, { address, version: "0.1.0" });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A migrated database and an empty vector index. */
async function emptyStack() {
  const stores = await openFileStores(inject("stack"));
  const connection = postgres(stores.info.urls.postgres, { max: 1, onnotice: () => {} });
  onTestFinished(async () => {
    await connection.end({ timeout: 1 });
    await stores.close();
  });
  return { stores, connection, address: stores.info.urls.postgres };
}

async function contents(connection: postgres.Sql): Promise<Record<string, string>> {
  const tables = await connection`select relname as name from pg_class
    where relkind = 'r' and relnamespace = 'public'::regnamespace order by relname`;
  const hashes: Record<string, string> = {};
  for (const { name } of tables) {
    const rows = await connection`select t::text as row from ${connection(`public.${name}`)} t order by 1`;
    hashes[name] = createHash("sha256").update(JSON.stringify(rows)).digest("hex");
  }
  const sequences = await connection`select sequencename::text, last_value::text from pg_sequences order by 1`;
  return { ...hashes, sequences: JSON.stringify(sequences) };
}

it("restores every row, and after a reindex the same report recalls the same record", async () => {
  const { stores, connection, address: target } = await emptyStack();
  await restoreBackup(file, { address: target });
  expect(await contents(connection)).toEqual(await contents(sql));

  expect(await reindexAll(stores.workerEnv, () => {})).toBeGreaterThan(0);
  const restored = createHarness(stores.workerEnv);
  const [before, after] = [await createHarness().triage(FAILURE), await restored.triage(FAILURE)];
  expect(before.recalled.incidents.map(({ id }) => id)).not.toEqual([]);
  expect(after.recalled.incidents.map(({ id }) => id)).toEqual(before.recalled.incidents.map(({ id }) => id));
  expect(after.recalled.runbooks.map(({ source }) => source)).toEqual(["rabbitmq/orders.md"]);
  expect(after.warnings).toEqual([]);
  const record = await restored.request(`/v1/incidents/${after.recalled.incidents[0]?.id}`);
  expect(JSON.stringify(await record.json())).toContain("Raised the consumers of orders from 2 to 8.");
});

it("writes a file for its owner only, and overwrites none", async () => {
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const bytes = await readFile(file);
  await expect(writeBackup(file, { address, version: "0.1.0" })).rejects.toThrow("exists. Choose another name");
  expect(await readFile(file)).toEqual(bytes);
  await expect(
    writeBackup(join(folder, "b"), { address: "postgres://u:secret@127.0.0.1:1/x", version: "0.1.0" }),
  ).rejects.toThrow(/^The database at 127.0.0.1:1 is not reachable/);
  expect(await readdir(folder)).toEqual(["a.backup"]);
});

it.each([
  ["is cut off", (bytes: Buffer) => bytes.subarray(0, bytes.length - 200)],
  [
    "has a flipped bit",
    (bytes: Buffer) => Buffer.from(bytes.map((byte, n) => (n === bytes.length >> 1 ? byte ^ 4 : byte))),
  ],
  ["lacks its last line", (bytes: Buffer) => rewritten(bytes, (text) => text.slice(0, text.lastIndexOf('{"end"')))],
  ["was edited", (bytes: Buffer) => rewritten(bytes, (text) => text.replace("from 2 to 8", "from 2 to 9"))],
  ["is no backup", () => Buffer.from("a text")],
])("refuses a file that %s, and changes nothing", async (_, damage) => {
  const { connection, address: target } = await emptyStack();
  const before = await contents(connection);
  const damaged = join(folder, "damaged");
  await writeFile(damaged, damage(await readFile(file)));
  await expect(restoreBackup(damaged, { address: target })).rejects.toThrow(/damaged or incomplete/);
  expect(await contents(connection)).toEqual(before);
  await rm(damaged);
});

it("is not read with a flipped bit, wherever it is", async () => {
  const bytes = await readFile(file);
  const damaged = join(folder, "damaged");
  // The ten bytes of gzip's header have the time and the system. The last byte before its trailer of eight ends with bits
  // that nothing reads.
  const padded = bytes.length - 9;
  for (let at = 10; at < bytes.length; at += Math.ceil(bytes.length / 100)) {
    if (at === padded) continue;
    const flipped = Buffer.from(bytes);
    flipped[at] = (bytes[at] ?? 0) ^ (1 << (at % 8));
    await writeFile(damaged, flipped);
    await expect(readBackup(damaged), `byte ${at} of ${bytes.length}`).rejects.toThrow(/damaged or incomplete/);
  }
  await rm(damaged);
});

function rewritten(bytes: Buffer, change: (text: string) => string): Buffer {
  return gzipSync(change(gunzipSync(bytes).toString()));
}

it("refuses another schema, and changes nothing", async () => {
  const { connection, address: target } = await emptyStack();
  const [last] = await connection`delete from supabase_migrations.schema_migrations
    where version = (select max(version) from supabase_migrations.schema_migrations) returning version`;
  const before = await contents(connection);
  await expect(restoreBackup(file, { address: target })).rejects.toThrow(
    /The backup is newer: apply the migrations of Dejavu 0\.1\.0/,
  );
  await connection`insert into supabase_migrations.schema_migrations (version) values (${last?.version}), ('29990101000000')`;
  await expect(restoreBackup(file, { address: target })).rejects.toThrow(/The backup is older/);
  expect(await contents(connection)).toEqual(before);
});

it("refuses a database with rows, and replaces them only if the caller says so", async () => {
  const { stores, connection, address: target } = await emptyStack();
  const other = await createHarness(stores.workerEnv).triage({ title: "Another failure" });
  const before = await contents(connection);
  await expect(restoreBackup(file, { address: target })).rejects.toThrow(
    /The database is not empty: .* Nothing was changed/,
  );
  expect(await contents(connection)).toEqual(before);

  // A failure in the middle leaves the former rows.
  await connection`alter table public.triages add constraint refused check (id is null) not valid`;
  await expect(restoreBackup(file, { address: target, replace: true })).rejects.toThrow(
    /does not accept the rows of table triages\. Nothing was changed/,
  );
  await connection`alter table public.triages drop constraint refused`;
  expect(await contents(connection)).toEqual(before);

  await restoreBackup(file, { address: target, replace: true });
  expect(await connection`select from public.incidents where id = ${other.incident_id}`).toHaveLength(0);
  expect((await connection`select from public.incidents`).length).toBe((await readBackup(file)).rows.incidents);
});

it("reads tables that are larger than the buffers between the server and the file", async () => {
  const large = join(folder, "large.backup");
  await sql`create table public.large (i int primary key, text text)`;
  onTestFinished(async () => void (await sql`drop table public.large`));
  for (let kilobytes = 300; kilobytes <= 1_200; kilobytes += 100) {
    await sql`insert into public.large select i, repeat(md5(i::text), 3)
      from generate_series((select count(*)::int from public.large) + 1, ${kilobytes * 10}) i`;
    await writeBackup(large, { address, version: "0.1.0" });
    expect((await readBackup(large)).rows.large).toBe(kilobytes * 10);
    await rm(large);
  }
});

it("says which file cannot be written, and ends", async () => {
  const nowhere = join(folder, "no-folder", "a.backup");
  expect(await runDejavu(["backup", nowhere], { DATABASE_URL: address })).toMatchObject({
    code: 1,
    problems: expect.stringContaining(`${nowhere} cannot be written: ENOENT`),
  });
  expect(await runDejavu(["restore", "--check", folder], {})).toMatchObject({
    code: 2,
    problems: `${folder} is a folder. Pass a file.\n`,
  });
  // 100 kB at most: as on a full disk, the file fails in the middle of a table.
  await sql`create table public.large as select i, gen_random_uuid() from generate_series(1, 50000) i`;
  onTestFinished(async () => void (await sql`drop table public.large`));
  const full = join(folder, "full.backup");
  const command = `ulimit -f 100; exec "${process.execPath}" "${join(REPO_DIR, "cli/dejavu.ts")}" backup "${full}"`;
  const env = { PATH: process.env.PATH, HOME: folder, DATABASE_URL: address };
  const child = spawn("bash", ["-c", command], { env, stdio: ["ignore", "ignore", "pipe"] });
  const problems = text(child.stderr);
  expect(await once(child, "close")).toEqual([1, null]);
  expect(await problems).toContain(`${full} cannot be written: EFBIG`);
  expect((await readdir(folder)).filter((name) => name.startsWith("full"))).toEqual([]);
});

it.each(["SIGINT", "SIGTERM"] as const)("leaves no file when %s stops it", async (signal) => {
  const stopped = join(folder, "stopped.backup");
  await using _lock = await locked("outbox");
  const child = spawn(process.execPath, [join(REPO_DIR, "cli/dejavu.ts"), "backup", stopped], {
    env: { PATH: process.env.PATH, HOME: folder, DATABASE_URL: address },
    stdio: "ignore",
  });
  const files = async () => (await readdir(folder)).filter((name) => name.startsWith("stopped"));
  await expect.poll(files, { timeout: 20_000 }).toEqual(["stopped.backup.partial"]);
  child.kill(signal);
  expect(await once(child, "close")).toEqual([130, null]);
  expect(await files()).toEqual([]);
});

/** A table that nobody can read until the end. */
async function locked(table: string): Promise<AsyncDisposable> {
  const connection = postgres(address, { max: 1, onnotice: () => {} });
  await connection.unsafe("begin");
  await connection.unsafe(`lock table public.${table} in access exclusive mode`);
  return { [Symbol.asyncDispose]: () => connection.end({ timeout: 1 }) };
}

it("runs as commands", async () => {
  const { address: target } = await emptyStack();
  const copy = join(folder, "copy.backup");
  const saved = await runDejavu(["backup", copy], { DATABASE_URL: address });
  expect(saved).toMatchObject({ code: 0, out: expect.stringMatching(/copy\.backup has \d+ rows of \d+ tables\.\n$/) });
  const checked = await runDejavu(["restore", "--check", copy], {});
  expect(checked.out).toMatch(/^The file is whole: \d+ rows of \d+ tables, made by Dejavu /);
  const restored = await runDejavu(["restore", copy], { DATABASE_URL: target });
  expect(restored).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^Restored \d+ rows /),
    problems: expect.stringContaining("dejavu reindex"),
  });
  const again = await runDejavu(["restore", copy], { DATABASE_URL: target });
  expect(again).toMatchObject({ code: 1, out: "", problems: expect.stringContaining("The database is not empty") });
  const wrong = await runDejavu(["backup", join(folder, "x")], {
    DATABASE_URL: "https://example.org",
  });
  expect(wrong).toMatchObject({
    code: 1,
    problems: expect.stringContaining("DATABASE_URL is not a connection string"),
  });
  await rm(copy);
});
