// What `npm pack` puts into the package of the repository. `npm run test:install` installs and starts it.

import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { writeClientTypes } from "../../../dev/client/write-types.ts";
import { REPO_DIR } from "../../../dev/stack/paths.ts";
import packageJson from "../../../package.json" with { type: "json" };
import { scratchDir } from "../../integration/stack/support/scratch.ts";

const fileSchema = z.object({ path: z.string() });
const packedSchema = z.array(z.object({ files: z.array(fileSchema) })).length(1);
const MAX_UNPACKED_FILES = 2_000;

/** The files that npm would pack of this folder, without the build of the command line. */
function packedFiles(dir: string): string[] {
  const args = ["pack", "--dry-run", "--json", "--ignore-scripts"];
  const output = execFileSync("npm", args, { cwd: dir, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  const [packed] = packedSchema.parse(JSON.parse(output));
  return (packed?.files ?? []).map(({ path }) => path).toSorted();
}

/** Relative imports of a source file that remain without its types, as paths in the repository. */
function importsOf(path: string): string[] {
  const source = readFileSync(join(REPO_DIR, path), "utf8");
  const imports = source.matchAll(/^(?:import|export)(?! type)[^;]*?from "(\.[^"?]+)"|import\("(\.[^"?]+)"\)/gm);
  return [...imports].map(([, fixed, lazy]) => join(dirname(path), fixed ?? lazy ?? ""));
}

describe("the package", { timeout: 300_000 }, () => {
  let files: string[];
  beforeAll(async () => {
    await writeClientTypes();
    files = packedFiles(REPO_DIR);
  }, 60_000);

  it("has what npm start needs, and the texts for people", () => {
    expect(files).toEqual(
      expect.arrayContaining([
        ...["LICENSE", "README.md", "CHANGELOG.md", "SECURITY.md", "package.json", "tsconfig.json", "wrangler.toml"],
        ...["dev/install.mjs", "dev/start.ts", "cli/dejavu.ts", "functions/index.ts", "supabase/config.toml"],
        ...["console/index.html", "docs/index.md", "docs/.vitepress/config.ts", "client/client.js", "client/api.d.ts"],
        ...["lib/embedding/word-vectors.bin", "client/package.json", "evals/eval.ts"],
      ]),
    );
    const tracked = execFileSync(
      "git",
      ["ls-files", "-z", "supabase", "seeds", "functions", "lib", "console", "docs"],
      {
        cwd: REPO_DIR,
        encoding: "utf8",
      },
    );
    const packed = new Set(files);
    expect(tracked.split("\0").filter((path) => path !== "" && !packed.has(path))).toEqual([]);
  });

  it("has every file that its files import", () => {
    const packed = new Set(files);
    const sources = files.filter((path) => /\.(?:tsx?|mjs|js)$/.test(path) && !path.startsWith("dist/"));
    expect(sources.length).toBeGreaterThan(500);
    const missing = sources.flatMap((path) =>
      importsOf(path)
        .filter((imported) => !packed.has(imported) && !packed.has(imported.replace(/\.js$/, ".d.ts")))
        .map((imported) => `${path} -> ${imported}`),
    );
    expect(missing).toEqual([]);
  });

  it("has no tests, and nothing that is not in it on purpose", () => {
    expect(files.filter((path) => /\.test\.tsx?$/.test(path))).toEqual([]);
    const folders = new Set(files.filter((path) => path.includes("/")).map((path) => path.split("/")[0]));
    folders.delete("dist");
    expect([...folders].toSorted()).toEqual([
      "bench",
      "bin",
      "cli",
      "client",
      "console",
      "dev",
      "docs",
      "evals",
      "functions",
      "lib",
      "releases",
      "seeds",
      "supabase",
    ]);
    expect(files.length).toBeLessThan(MAX_UNPACKED_FILES);
  });

  it("leaves out private files, wherever they are", () => {
    const dir = scratchDir();
    writeFileSync(join(dir, "package.json"), JSON.stringify(packageJson));
    const folders = ["cli", "dev/stack", "docs", "functions", "lib", "seeds/runbooks", "supabase", "evals"];
    const names = [
      ...[".env", ".env.local", ".dev.vars", ".dev.vars.production", "npm-debug.log", ".dejavu/secrets.json"],
      ...[".wrangler/state/db.sqlite", ".temp/token", ".branches/main", "node_modules/a/index.js"],
    ];
    for (const path of ["", ...folders].flatMap((folder) => ["kept.md", ...names].map((name) => join(folder, name)))) {
      mkdirSync(join(dir, dirname(path)), { recursive: true });
      writeFileSync(join(dir, path), "private");
    }
    expect(packedFiles(dir)).toEqual(["package.json", ...folders.map((folder) => `${folder}/kept.md`)].toSorted());
  });

  it("names a command and a client, and depends on the client's library alone", () => {
    expect(packageJson.bin).toEqual({ dejavu: "dist/dejavu.js" });
    expect(packageJson.exports).toHaveProperty("./client");
    expect(Object.keys(packageJson.dependencies)).toEqual(["openapi-fetch"]);
  });
});
