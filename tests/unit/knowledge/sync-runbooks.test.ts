import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chunkId } from "../../../functions/knowledge/text-documents.ts";

describe("chunkId", () => {
  // Made with `printf '<source>::<index>' | sha256sum`.
  it.each([
    ["docker/host-disk-full.md", 0, "3772d4ba7d0a3b45"],
    ["docker/host-disk-full.md", 12, "c5ff897f64c3588c"],
    ["größe.md", 1, "8898502b03265a9c"],
  ])("is the first 16 hex digits of sha256 of %s::%d", (source, index, id) => {
    expect(chunkId(source, index)).toBe(id);
  });

  it("differs for each chunk of each source", () => {
    const key = fc.tuple(fc.constantFrom("a.md", "b.md", "a", "docker/a.md"), fc.nat({ max: 500 }));
    fc.assert(
      fc.property(fc.uniqueArray(key, { selector: ([source, index]) => `${source} ${index}` }), (keys) => {
        const ids = keys.map(([source, index]) => chunkId(source, index));
        expect(new Set(ids).size).toBe(keys.length);
        for (const id of ids) expect(id).toMatch(/^[0-9a-f]{16}$/);
      }),
    );
  });
});
