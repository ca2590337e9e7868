// The typed client as other projects use it: it compiles with the settings of `tsc --init`, Node runs it from
// node_modules, and its types are those of the routes.

import { execFile } from "node:child_process";
import { cp, mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { currentDocument } from "../../../dev/api-document/current-document.ts";
import { objectOf } from "../../../dev/api-document/json.ts";
import { LEFT_OUT } from "../../../dev/client/client-document.ts";
import { writeClientTypes } from "../../../dev/client/write-types.ts";
import { REPO_DIR } from "../../../dev/stack/paths.ts";
import { scratchFolder } from "../../support/scratch-folder.ts";

/** Runtime dependencies of the client. */
const DEPENDENCIES = ["openapi-fetch", "openapi-typescript-helpers"];
const SAMPLE = `import { createDejavuClient, type DejavuClient, type Problem, type TriageResult } from "dejavu/client";

const client: DejavuClient = createDejavuClient("http://127.0.0.1:9", "token");

export async function triage(title: string): Promise<TriageResult> {
  const { data, error } = await client.POST("/v1/triage", { body: { title, severity: "high" } });
  if (error) throw new Error(detailOf(error));
  const cause: string | undefined = data.answer.likely_causes[0]?.text;
  console.log(data.outcome, data.confidence, cause);
  return data;
}

export async function fix(id: string): Promise<void> {
  await client.POST("/v1/incidents/{id}/resolve", { params: { path: { id } }, body: { resolution: "More memory." } });
  const { data } = await client.GET("/v1/incidents", { params: { query: { status: "resolved", limit: 5 } } });
  for (const incident of data?.incidents ?? []) console.log(incident.title, incident.domain.name);
}

function detailOf(problem: Problem): string {
  return problem.detail;
}
`;
const MISTAKE = `import { createDejavuClient } from "dejavu/client";
createDejavuClient("", "").POST("/v1/triage", { body: { titel: "misspelt" } });
`;

const run = promisify(execFile);
let project: string;

beforeAll(async () => {
  await writeClientTypes();
  project = await scratchFolder("client");
  const installed = join(project, "node_modules/dejavu");
  await mkdir(installed, { recursive: true });
  for (const path of ["package.json", "client"])
    await cp(join(REPO_DIR, path), join(installed, path), {
      recursive: true,
      filter: (source) => !source.includes("client/node_modules"),
    });
  for (const name of DEPENDENCIES)
    await symlink(join(REPO_DIR, "node_modules", name), join(project, "node_modules", name));
  await writeFile(join(project, "package.json"), '{"type":"module"}');
  await writeFile(join(project, "main.ts"), SAMPLE);
});
afterAll(() => rm(project, { recursive: true, force: true }));

/** @returns the compiler's errors; empty if it accepts the project */
async function compile(compiler: string, ...args: readonly string[]): Promise<string> {
  const result = await run(process.execPath, [compiler, ...args], { cwd: project }).catch((error) => error);
  return result.stdout;
}

describe.each([
  ["TypeScript 7", join(REPO_DIR, "node_modules/typescript/bin/tsc")],
  // The oldest that the client supports.
  ["TypeScript 5.9", join(REPO_DIR, "client/node_modules/typescript/bin/tsc")],
] as const)("%s", (name, compiler) => {
  beforeAll(async () => {
    await rm(join(project, "tsconfig.json"), { force: true });
    await compile(compiler, "--init");
  });

  it.each([
    "",
    "--skipLibCheck false",
    "--skipLibCheck false --module esnext --moduleResolution bundler --lib esnext,dom",
  ])("compiles the client with the settings of tsc --init and %j", async (settings) => {
    const args = settings.split(" ").filter((arg) => arg !== "");
    expect(await compile(compiler, "--noEmit", ...args)).toBe("");
  });

  it("finds a misspelt field", async () => {
    expect(await compile(compiler, "--version")).toContain(name.replace("TypeScript", "Version"));
    await writeFile(join(project, "mistake.ts"), MISTAKE);
    expect(await compile(compiler, "--noEmit")).toMatch(/^mistake\.ts.+titel/);
    await rm(join(project, "mistake.ts"));
  });
});

describe("the package", () => {
  it("runs from node_modules with any Node, and rejects when nothing answers", async () => {
    const script = `import { createDejavuClient } from "dejavu/client";
      const call = createDejavuClient("http://127.0.0.1:9", "token").GET("/health");
      console.log(await call.catch((error) => error.message));`;
    await writeFile(join(project, "main.mjs"), script);
    const { stdout } = await run(process.execPath, ["--no-experimental-strip-types", "main.mjs"], { cwd: project });
    expect(stdout.trim()).toBe("fetch failed");
  });

  it("has types of every route that a program calls", async () => {
    const types = await readFile(join(REPO_DIR, "client/api.d.ts"), "utf8");
    const paths = Object.keys(objectOf(currentDocument().paths)).filter((path) => !LEFT_OUT.test(path));
    expect(paths.filter((path) => !types.includes(`"${path}": {`))).toEqual([]);
  });
});
