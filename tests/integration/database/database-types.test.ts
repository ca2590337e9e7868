import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { databaseTypes } from "../../../dev/database-types.ts";
import { info } from "../support/harness.ts";

it("the checked-in types match the migrations (otherwise run: npm run generate -- types)", () => {
  const checkedIn = readFileSync(new URL("../../../supabase/database-types.ts", import.meta.url), "utf8");
  expect(checkedIn).toBe(databaseTypes(info.urls.postgres));
});
