// The package for publishing: built, packed, installed without a network, and run by the oldest Node that it names.

import { execFile } from "node:child_process";
import { access, mkdir, mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { REPO_DIR } from "../../../dev/stack/paths.ts";
import { createHarness } from "../../integration/support/harness.ts";
import { listen } from "../../integration/support/servers/listen.ts";

const { services } = createHarness();
const server = await listen(services);
const MAX_BYTES = 2_000_000;
/** Methods of ECMAScript 2024 and later by names that no package here has for its own. */
const NEWER_THAN_NODE_20 =
  /\.(?:isDisjointFrom|isSubsetOf|isSupersetOf|symmetricDifference|fromAsync|withResolvers|sumPrecise)\(|(?:RegExp\.escape|Promise\.try|Object\.groupBy|Map\.groupBy|Error\.isError|Iterator\.from)\(/g;
let folder: string;

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly problems: string;
}

function run(program: string, args: readonly string[], env: Record<string, string | undefined> = {}): Promise<Ended> {
  const options = { cwd: folder, env: { PATH: process.env.PATH, HOME: folder, ...env } };
  return new Promise((resolve) => {
    const child = execFile(program, [...args], options, (_, out, problems) =>
      resolve({ code: child.exitCode ?? -1, out, problems }),
    );
    child.stdin?.end();
  });
}

/** A Node on the PATH that is not the project's own, since it may be older; else the project's. */
async function otherNode(): Promise<string> {
  const own = dirname(process.execPath);
  for (const path of (process.env.PATH ?? "").split(":")) {
    const node = join(path, "node");
    const isOther = path !== "" && path !== own && !path.includes("node_modules");
    if (
      isOther &&
      (await access(node).then(
        () => true,
        () => false,
      ))
    )
      return node;
  }
  return process.execPath;
}

let node: string;
let dejavu: (words: readonly string[], env?: Record<string, string | undefined>) => Promise<Ended>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "dejavu-package-"));
  node = await otherNode();
  const dist = join(folder, "dist");
  const built = await run(process.execPath, [join(REPO_DIR, "cli/build/build.ts"), dist]);
  expect(built).toMatchObject({ code: 0, out: expect.stringContaining("npm publish") });
  expect(await run("npm", ["pack", dist, "--pack-destination", folder])).toMatchObject({ code: 0 });
  const tarball = (await readdir(folder)).find((name) => name.endsWith(".tgz")) ?? "";
  await mkdir(join(folder, "project"));
  const install = ["install", "--prefix", join(folder, "project"), "--offline", "--no-audit", "--no-fund"];
  expect(await run("npm", [...install, join(folder, tarball)])).toMatchObject({ code: 0 });
  const script = join(folder, "project/node_modules/.bin/dejavu");
  await access(script);
  dejavu = (words, env) => run(node, [script, ...words], env);
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

describe("the package", () => {
  it("has no dependencies, and is small", async () => {
    const home = join(folder, "project/node_modules/dejavu");
    const manifest = JSON.parse(await readFile(join(home, "package.json"), "utf8"));
    expect(manifest).toMatchObject({ name: "dejavu", bin: { dejavu: "dejavu.js" }, engines: { node: ">=20" } });
    expect(manifest).not.toHaveProperty("dependencies");
    expect(await readFile(join(home, "README.md"), "utf8")).toMatch(/^# /);
    await access(join(home, "LICENSE"));
    let bytes = 0;
    for (const name of await readdir(home, { recursive: true })) bytes += (await stat(join(home, name))).size;
    expect(bytes).toBeLessThan(MAX_BYTES);
  });

  it("calls nothing that Node 20 lacks", async () => {
    const home = join(folder, "project/node_modules/dejavu");
    const scripts = (await readdir(home, { recursive: true })).filter((name) => name.endsWith(".js"));
    const sources = await Promise.all(scripts.map((name) => readFile(join(home, name), "utf8")));
    expect(sources.flatMap((source) => source.match(NEWER_THAN_NODE_20) ?? [])).toEqual([]);
  });

  it("prints help, version and completion", async () => {
    expect(await dejavu(["--help"])).toMatchObject({ code: 0, out: expect.stringMatching(/^Usage: dejavu /) });
    expect(await dejavu(["--version"])).toMatchObject({ code: 0, out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
    expect(await dejavu(["completion", "zsh"])).toMatchObject({
      code: 0,
      out: expect.stringContaining("#compdef dejavu"),
    });
  });

  it("triages, searches memory and lists on a service", async () => {
    const env = { DEJAVU_URL: server.url, DEJAVU_TOKEN: services.config.DEJAVU_TOKEN };
    expect(await dejavu(["triage", "container exited with code 137"], env)).toMatchObject({
      code: 0,
      problems: "",
      out: expect.stringContaining("137"),
    });
    for (const words of [
      ["show", "last"],
      ["list"],
      ["memory"],
      ["memory", "search", "137"],
      ["search", "137"],
      ["jobs"],
      ["tokens", "list"],
      ["domains", "list"],
    ])
      expect({ words, ...(await dejavu(words, env)) }).toMatchObject({ words, code: 0, problems: "" });
  });

  it("checks runbooks, and names the problem of a wrong domain.yaml in words", async () => {
    const checked = await dejavu(["runbooks", "check", join(REPO_DIR, "seeds/runbooks")]);
    expect(checked).toMatchObject({ code: 0, out: expect.stringContaining("no problems") });
  });

  it("says what needs a clone", async () => {
    for (const words of [["trace"], ["eval", "--case", "a"]])
      expect(await dejavu(words)).toMatchObject({
        code: 1,
        problems: expect.stringContaining("needs a clone of Dejavu"),
      });
    const alone = await dejavu(["list"]);
    expect(alone).toMatchObject({ code: 1, problems: expect.stringContaining("dejavu login --url") });
  });
});
