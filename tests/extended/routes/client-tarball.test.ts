// The client as a package of its own: what `npm pack` in client/ makes, used in Node, by a compiler and by a bundler.

import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { createContext, Script } from "node:vm";
import { build } from "vite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import clientJson from "../../../client/package.json" with { type: "json" };
import { REPO_DIR } from "../../../dev/stack/paths.ts";
import packageJson from "../../../package.json" with { type: "json" };
import { createHarness } from "../../integration/support/harness.ts";
import { listen } from "../../integration/support/servers/listen.ts";
import { codeBlocks, readPage } from "../../support/markdown-pages.ts";
import { scratchFolder } from "../../support/scratch-folder.ts";

const DEPENDENCIES = ["openapi-fetch", "openapi-typescript-helpers"];
const run = promisify(execFile);
const harness = createHarness();
const server = await listen(harness.services);
let project: string;

beforeAll(async () => {
  project = await scratchFolder("client-tarball");
  const installed = join(project, "node_modules/dejavu-client");
  await mkdir(installed, { recursive: true });
  const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", project], {
    cwd: join(REPO_DIR, "client"),
  });
  const [{ filename = "" } = {}] = JSON.parse(stdout) as { filename?: string }[];
  await run("tar", ["-xzf", join(project, filename), "-C", installed, "--strip-components", "1"]);
  for (const name of DEPENDENCIES)
    await symlink(join(REPO_DIR, "node_modules", name), join(project, "node_modules", name));
  await writeFile(join(project, "package.json"), '{"type":"module"}');
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await rm(project, { recursive: true, force: true });
});

describe("the package", () => {
  it("has its code, its types, its license, and the version of the service", async () => {
    const files = ["LICENSE", "README.md", "api.d.ts", "client.d.ts", "client.js", "package.json"];
    expect((await readdir(join(project, "node_modules/dejavu-client"))).toSorted()).toEqual(files);
    expect(clientJson.version).toBe(packageJson.version);
    expect(clientJson.dependencies["openapi-fetch"]).toBe(packageJson.dependencies["openapi-fetch"]);
    expect(await readFile(join(REPO_DIR, "client/LICENSE"), "utf8")).toBe(
      await readFile(join(REPO_DIR, "LICENSE"), "utf8"),
    );
  });

  it("calls the API from Node", async () => {
    await writeFile(join(project, "main.mjs"), callHealth("console.log(JSON.stringify(data))"));
    const { stdout } = await run(process.execPath, ["--no-experimental-strip-types", "main.mjs"], { cwd: project });
    expect(JSON.parse(stdout)).toEqual({ status: "ok", version: harness.services.version });
  });

  it("compiles the example of its README for bundlers and for Node", async () => {
    const [{ code = "" } = {}] = codeBlocks(readPage("client/README.md")).filter(({ language }) => language === "ts");
    expect(code).toContain("createDejavuClient");
    await writeFile(join(project, "example.ts"), code);
    const compiler = join(REPO_DIR, "node_modules/typescript/bin/tsc");
    const libraries = ["--strict", "--noEmit", "--target", "es2022", "--lib", "esnext,dom", "--types", ""];
    for (const settings of [
      ["esnext", "bundler"],
      ["nodenext", "nodenext"],
    ] as const) {
      const args = [compiler, ...libraries, "--module", settings[0], "--moduleResolution", settings[1], "example.ts"];
      await expect(run(process.execPath, args, { cwd: project })).resolves.toMatchObject({ stdout: "" });
    }
  });

  it("runs as a bundle where there is nothing of Node", async () => {
    await writeFile(join(project, "entry.js"), callHealth("done(data)"));
    await build({
      root: project,
      logLevel: "error",
      build: {
        lib: { entry: "entry.js", formats: ["iife"], name: "entry", fileName: "entry" },
        outDir: "bundle",
        target: "es2022",
      },
    });
    const [file = ""] = (await readdir(join(project, "bundle"))).filter((name) => name.endsWith(".js"));
    const bundle = await readFile(join(project, "bundle", file), "utf8");
    // What every platform for the web has.
    const web = { fetch, Headers, Request, Response, URL, URLSearchParams, FormData, Blob, AbortSignal };
    const answer = await new Promise((done, fail) => {
      new Script(bundle).runInContext(createContext({ ...web, done, fail }));
    });
    expect(answer).toEqual({ status: "ok", version: harness.services.version });
  });
});

/** A program that asks for the health. @param then what it does with `data` */
function callHealth(then: string): string {
  return `import { createDejavuClient } from "dejavu-client";
    createDejavuClient(${JSON.stringify(server.url)}, null).GET("/health").then(({ data }) => { ${then} }, globalThis.fail);`;
}
