// The size of what a phone loads.

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { assetsDir } from "../../../dev/stack/assets/build-assets.ts";
import { REPO_DIR } from "../../../dev/stack/paths.ts";

const MAX_KB = 34;
const FOLDER = join(assetsDir(REPO_DIR), "console");

it(`the first view has at most ${MAX_KB} kB gzipped, and no file that another view needs`, async () => {
  const page = await readFile(join(FOLDER, "index.html"), "utf8");
  const paths = [...page.matchAll(/(?:src|href)="\/console\/(assets\/[^"]+)"/g)].map(([, path = ""]) => path);
  const files = await Promise.all(paths.map((path) => readFile(join(FOLDER, path))));
  const sizes = [Buffer.from(page), ...files].map((file) => gzipSync(file).length / 1_000);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MAX_KB);
  // The plots and the reader of Markdown are loaded on first use.
  expect(files.map(String).join("\n")).not.toMatch(/\buplot\b|\.u-legend|\bgfm\b/i);
});

it("no view has the schemas of the service or its parser of commands", async () => {
  const names = (await readdir(join(FOLDER, "assets"))).filter((name) => name.endsWith(".js"));
  const files = await Promise.all(names.map((name) => readFile(join(FOLDER, "assets", name), "utf8")));
  expect(files.join("\n")).toContain("Not checked");
  expect(files.join("\n")).not.toMatch(/ZodError|CommandExpansion/);
});
