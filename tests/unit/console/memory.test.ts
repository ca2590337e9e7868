// The records of Memory in groups.

import { expect, it } from "vitest";
import { byFailure } from "../../../console/src/views/memory/by-failure.ts";

it("records whose answers name one failure of a domain are together, in the order of their first; others are alone", () => {
  const record = (id: string, failure: string | null, domain = "docker") => ({ id, failure, domain });
  const records = [
    record("a", "Disk full"),
    record("b", null),
    record("c", null),
    record("d", "Disk full", "postgres"),
    record("e", "Disk full"),
  ];
  expect(byFailure(records).map((group) => group.map(({ id }) => id).join())).toEqual(["a,e", "b", "c", "d"]);
});
