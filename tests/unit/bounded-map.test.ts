import { expect, it } from "vitest";
import { setBounded } from "../../functions/bounded-map.ts";

it("keeps as many entries as it may, those that were set last", () => {
  const map = new Map<string, number>();
  for (const [i, key] of ["a", "b", "c", "a", "d"].entries()) setBounded(map, key, i, 3);
  expect([...map]).toEqual([
    ["c", 2],
    ["a", 3],
    ["d", 4],
  ]);
});
