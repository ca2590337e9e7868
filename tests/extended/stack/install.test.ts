import { execFileSync, spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, test } from "vitest";
import { REPO_DIR } from "../../../dev/stack/paths.ts";
import { scratchDir } from "../../integration/stack/support/scratch.ts";

/** The Node and npm that a person has before an install: none of this project's node_modules. */
const SYSTEM_PATH = (process.env.PATH ?? "").split(delimiter).filter((entry) => !entry.includes("node_modules"));

/** A user who owns nothing. */
const NOBODY = { uid: 65_534, gid: 65_534 };

/** A project with one dependency, a package "node" on disk: npm needs no registry. */
function tinyProject(folder = "."): string {
  const dir = join(scratchDir(), folder);
  mkdirSync(join(dir, "dev"), { recursive: true });
  mkdirSync(join(dir, "node-package/bin"), { recursive: true });
  for (const script of ["install.mjs", "run.mjs"]) cpSync(join(REPO_DIR, "dev", script), join(dir, "dev", script));
  writeFileSync(
    join(dir, "node-package/package.json"),
    JSON.stringify({ name: "node", version: "24.0.0", engines: { node: ">=99" } }),
  );
  writeFileSync(join(dir, "node-package/bin/node"), "#!/bin/sh\n");
  chmodSync(join(dir, "node-package/bin/node"), 0o755);
  const manifest = { name: "tiny", version: "1.0.0", dependencies: { node: "file:node-package" } };
  writeFileSync(join(dir, "package.json"), JSON.stringify(manifest));
  npm(dir, "install", "--package-lock-only");
  return dir;
}

function npm(dir: string, ...args: string[]): void {
  execFileSync("npm", [...args, "--offline", "--no-audit", "--no-fund"], {
    cwd: dir,
    env: environment(dir),
    stdio: "ignore",
  });
}

function environment(dir: string): Record<string, string> {
  return { PATH: SYSTEM_PATH.join(delimiter), HOME: dir, npm_config_offline: "true" };
}

type Ended = Promise<{ readonly code: number | null; readonly output: string }>;
type User = { readonly uid?: number; readonly gid?: number };

function install(dir: string, variables: Record<string, string> = {}, user: User = {}): Ended {
  return runNode(dir, ["dev/install.mjs"], variables, user);
}

/** Runs a script as `npm start` does. */
function runScript(dir: string, words: readonly string[]): Ended {
  return runNode(dir, ["dev/run.mjs", ...words]);
}

function runNode(
  dir: string,
  words: readonly string[],
  variables: Record<string, string> = {},
  user: User = {},
): Ended {
  const child = spawn("node", [...words], {
    cwd: dir,
    env: { ...environment(dir), ...variables },
    stdio: ["ignore", "pipe", "pipe"],
    ...user,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += String(chunk)));
  return new Promise((resolve) => child.once("close", (code) => resolve({ code, output })));
}

describe("the installer", { timeout: 300_000 }, () => {
  test("installs missing packages with a message, and prints nothing the next time", async () => {
    const dir = tinyProject();
    const first = await install(dir);
    expect(first).toMatchObject({ code: 0, output: expect.stringContaining("nothing is installed yet") });
    expect(first.output).not.toContain("EBADENGINE");
    expect(existsSync(join(dir, "node_modules/node/bin/node"))).toBe(true);
    expect(await install(dir)).toEqual({ code: 0, output: "" });
  });

  test("installs again after a killed install and after a change of the lock file", async () => {
    const dir = tinyProject();
    await install(dir);
    rmSync(join(dir, "node_modules/.dejavu-installed"));
    rmSync(join(dir, "node_modules/.package-lock.json"));
    expect(await install(dir)).toMatchObject({
      code: 0,
      output: expect.stringContaining("node_modules is incomplete or out of date"),
    });
    const lockPath = join(dir, "package-lock.json");
    writeFileSync(lockPath, readFileSync(lockPath, "utf8").replace('"version": "24.0.0"', '"version": "24.0.1"'));
    writeFileSync(join(dir, "node-package/package.json"), JSON.stringify({ name: "node", version: "24.0.1" }));
    expect(await install(dir)).toMatchObject({
      code: 0,
      output: expect.stringContaining("node_modules is incomplete or out of date"),
    });
    expect(await install(dir)).toEqual({ code: 0, output: "" });
  });

  test("accepts a complete install that a person made", async () => {
    const dir = tinyProject();
    npm(dir, "ci");
    expect(await install(dir)).toEqual({ code: 0, output: "" });
  });

  test("runs npm once for simultaneous starts, also after one that was killed", async () => {
    const dir = tinyProject();
    const { pid } = spawnSync("true");
    mkdirSync(join(dir, ".dejavu"));
    writeFileSync(join(dir, ".dejavu/install.lock"), String(pid));
    const starts = await Promise.all(Array.from({ length: 4 }, () => install(dir)));
    expect(starts.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    expect(starts.filter(({ output }) => output.includes("Installing packages"))).toHaveLength(1);
    expect(readdirSync(join(dir, ".dejavu"))).toEqual([]);
  });

  test("refuses a lock file that npm ci rejects, and says what to do", async () => {
    const dir = tinyProject();
    const manifestPath = join(dir, "package.json");
    const manifest = JSON.parse(readFileSync(manifestPath, "utf8"));
    writeFileSync(
      manifestPath,
      JSON.stringify({ ...manifest, optionalDependencies: { "for-another-platform": "1.0.0" } }),
    );
    const lockPath = join(dir, "package-lock.json");
    const before = readFileSync(lockPath, "utf8");
    const refused = await install(dir);
    expect(refused).toMatchObject({ code: 1, output: expect.stringContaining("npm run generate -- lock") });
    expect(refused.output).toContain("nothing was installed");
    expect(readFileSync(lockPath, "utf8")).toBe(before);
    expect(existsSync(join(dir, "node_modules/.dejavu-installed"))).toBe(false);
  });

  test("refuses to install without a lock file", async () => {
    const dir = tinyProject();
    rmSync(join(dir, "package-lock.json"));
    const refused = await install(dir);
    expect(refused).toMatchObject({ code: 1, output: expect.stringContaining("package-lock.json is missing") });
    expect(existsSync(join(dir, "node_modules"))).toBe(false);
  });

  test("takes the lock file of an unpacked package, and not in a checkout, where it may be old", async () => {
    const dir = tinyProject();
    mkdirSync(join(dir, "dist"));
    renameSync(join(dir, "package-lock.json"), join(dir, "dist/package-lock.json"));
    mkdirSync(join(dir, ".git"));
    expect(await install(dir)).toMatchObject({
      code: 1,
      output: expect.stringContaining("package-lock.json is missing"),
    });
    rmSync(join(dir, ".git"), { recursive: true });
    expect(await install(dir)).toMatchObject({ code: 0, output: expect.stringContaining("Installed in") });
    expect(existsSync(join(dir, "package-lock.json"))).toBe(true);
  });

  test("installs in a folder whose name has spaces, quotes, brackets and letters of two encodings", async () => {
    const dir = tinyProject("d\u00e9ja\u0300 vu 'é' [1] {a,b} (2) 100%41 & ; !");
    expect(await install(dir)).toMatchObject({ code: 0, output: expect.stringContaining("Installed in") });
  });

  test.each([":", '"', "$", "`", "#", "?"])("refuses a folder with %s in its path before it installs", async (name) => {
    const dir = tinyProject(`a ${name} b`);
    const refused = await install(dir);
    expect(refused).toMatchObject({ code: 1, output: expect.stringContaining(`the path contains ${name}. Move`) });
    expect(existsSync(join(dir, "node_modules"))).toBe(false);
  });

  test("refuses to start the installed package, and names what to do", async () => {
    const dir = tinyProject("node_modules/dejavu");
    expect(await install(dir)).toMatchObject({
      code: 1,
      output: expect.stringContaining("Unpack the package elsewhere"),
    });
  });

  test("installs before it runs a script, and gives it the arguments on the Node that it has installed", async () => {
    const dir = tinyProject();
    writeFileSync(join(dir, "node-package/bin/node"), '#!/bin/sh\necho "ran $*"\nexit 3\n');
    writeFileSync(join(dir, "dev/start.ts"), "");
    const words = ["dev/start.ts", "--once", "a b"];
    expect(await runScript(dir, words)).toMatchObject({
      code: 3,
      output: expect.stringMatching(/Installed[\s\S]*ran dev\/start.ts --once a b\n$/),
    });
    expect(await runScript(dir, words)).toEqual({ code: 3, output: "ran dev/start.ts --once a b\n" });
  });

  test("refuses a script that a package lacks before it installs", async () => {
    const dir = tinyProject();
    const refused = await runScript(dir, ["tests/run.ts"]);
    expect(refused).toMatchObject({ code: 1, output: expect.stringContaining("in a clone of the repository") });
    expect(existsSync(join(dir, "node_modules"))).toBe(false);
  });

  test.runIf(process.getuid?.() === 0)(
    "serves a user who may not write to a complete checkout, and refuses an incomplete one",
    async () => {
      const dir = tinyProject();
      const refused = await install(dir, {}, NOBODY);
      expect(refused).toMatchObject({
        code: 1,
        output: expect.stringContaining(`you may not write to ${dir} (EACCES)`),
      });
      expect(refused.output).toContain("--dir");
      npm(dir, "ci");
      expect(await install(dir, {}, NOBODY)).toEqual({ code: 0, output: "" });
      expect(existsSync(join(dir, "node_modules/.dejavu-installed"))).toBe(false);
    },
  );

  test("names the packages of this platform that have no checksum", async () => {
    const dir = tinyProject();
    const lockPath = join(dir, "package-lock.json");
    const lock = JSON.parse(readFileSync(lockPath, "utf8"));
    const binary = { version: "1.0.0", optional: true };
    lock.packages["node_modules/binary-here"] = { ...binary, os: [process.platform] };
    lock.packages["node_modules/binary-elsewhere"] = { ...binary, os: ["aix"] };
    writeFileSync(lockPath, JSON.stringify(lock));
    const { output } = await install(dir);
    expect(output).toContain("without a checksum: binary-here@1.0.0.");
    expect(output).not.toContain("binary-elsewhere");
  });

  test("installs nothing whose content differs from the lock file", async () => {
    const dir = tinyProject();
    const npm = join(dir, "npm.mjs");
    writeFileSync(npm, `console.error("npm error code EINTEGRITY"); process.exit(1);`);
    const failed = await install(dir, { npm_execpath: npm, npm_node_execpath: process.execPath });
    expect(failed).toMatchObject({ code: 1, output: expect.stringContaining("is not the one in package-lock.json") });
  });

  test("asks the registry for packages when npm's cache is too old to have the locked version", async () => {
    const dir = tinyProject();
    // An npm whose cache is too old: the real one works without a registry, and so has nothing to be too old.
    const npm = join(dir, "npm.mjs");
    writeFileSync(
      npm,
      `import { execFileSync } from "node:child_process";
       const args = process.argv.slice(2);
       if (args.includes("--prefer-offline")) {
         console.error("npm error code ETARGET");
         process.exit(1);
       }
       execFileSync("npm", args, { stdio: "inherit" });`,
    );
    const node = execFileSync("sh", ["-c", "command -v node"], { env: environment(dir), encoding: "utf8" }).trim();
    const installed = await install(dir, { npm_execpath: npm, npm_node_execpath: node });
    expect(installed).toMatchObject({ code: 0, output: expect.stringContaining("Installed in") });
    expect(existsSync(join(dir, "node_modules/node/bin/node"))).toBe(true);
  });

  test.each([
    ["ENOSPC", "The disk is full"],
    ["EACCES", "Check that you may write to"],
    ["ENOTFOUND", "Is the npm registry reachable?"],
  ])("says what to do when npm fails with %s", async (code, advice) => {
    const dir = tinyProject();
    const npm = join(dir, "npm.mjs");
    writeFileSync(npm, `console.error("npm error code ${code}"); process.exit(1);`);
    const failed = await install(dir, { npm_execpath: npm, npm_node_execpath: process.execPath });
    expect(failed).toMatchObject({ code: 1, output: expect.stringContaining(advice) });
  });

  test("reports that npm failed, and removes its lock", async () => {
    const dir = tinyProject();
    const manifest = { name: "tiny", version: "1.0.0", dependencies: { absent: "1.0.0" } };
    writeFileSync(join(dir, "package.json"), JSON.stringify(manifest));
    const failed = await install(dir);
    expect(failed).toMatchObject({ code: 1, output: expect.stringContaining("npm failed (exit code 1)") });
    expect(existsSync(join(dir, ".dejavu/install.lock"))).toBe(false);
  });
});
