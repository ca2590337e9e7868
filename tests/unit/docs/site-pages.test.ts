import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { REPO_DIR } from "../../../dev/stack/paths.ts";
import { SECTIONS } from "../../../docs/.vitepress/pages.ts";

it("docs/.vitepress/pages.ts lists each page once", () => {
  const files = readdirSync(join(REPO_DIR, "docs"), { recursive: true, encoding: "utf8" })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => path.endsWith(".md") && path !== "index.md" && !path.startsWith("."));
  const pages = SECTIONS.flatMap(({ folder, pages }) => pages.map((page) => `${folder}/${page}.md`));
  expect(pages.toSorted()).toEqual(files.toSorted());
});
