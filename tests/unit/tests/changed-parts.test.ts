import { readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { REPO_DIR } from "../../../dev/stack/paths.ts";
import { PARTS, partsFor } from "../../support/changed-parts.ts";

const FILES = readdirSync(join(REPO_DIR, "tests"), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith(".test.ts"))
  .map((entry) => relative(REPO_DIR, join(entry.parentPath, entry.name)));

describe("the tests for a change", () => {
  it.each(PARTS.flatMap(({ tests }) => tests))("exist: %s", (part) => {
    expect(FILES.filter((file) => file.includes(part))).not.toEqual([]);
  });

  it.each([
    ["supabase/migrations/20261101000000_access.sql", "tests/extended/e2e/upgrade.test.ts"],
    ["docs/guides/domains.md", "tests/extended/e2e/docs.test.ts"],
    ["dev/stack/stack.ts", "tests/extended/stack/recovery.test.ts"],
    ["lib/ranking/bm25.ts", "tests/extended/evaluation/everything.test.ts"],
    ["tests/extended/deploy/check-deploy.test.ts", "tests/extended/deploy/check-deploy.test.ts"],
  ])("of %s include %s", (path, file) => {
    expect(FILES).toContain(file);
    expect(partsFor([path]).filter((part) => file.includes(part))).not.toEqual([]);
  });

  it("are none for a change that no part has", () => {
    expect(partsFor(["LICENSE"])).toEqual([]);
  });
});
