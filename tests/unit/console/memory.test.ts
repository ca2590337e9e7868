// The records of Memory in groups.

import { expect, it } from "vitest";
import { byFailure } from "../../../console/src/views/memory/by-failure.ts";

it("records of one failure are together, in the order of their first; others are alone", () => {
  const records = [
    { id: "a", failure_id: "disk.md: Disk full" },
    { id: "b", failure_id: "b" },
    { id: "c" },
    { id: "d" },
    { id: "e", failure_id: "disk.md: Disk full" },
  ];
  expect(byFailure(records).map((group) => group.map(({ id }) => id).join())).toEqual(["a,e", "b", "c", "d"]);
});
