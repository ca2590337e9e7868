import { describe, expect, it } from "vitest";
import { rememberTexts } from "../../../../lib/text/remembered-texts.ts";

function counted() {
  const read: string[] = [];
  const lengthOf = rememberTexts((text: string) => {
    read.push(text);
    return { length: text.length };
  });
  return { read, lengthOf };
}

describe("rememberTexts", () => {
  it("reads a text once", () => {
    const { read, lengthOf } = counted();
    expect(lengthOf("disk full")).toBe(lengthOf("disk full"));
    expect(lengthOf("disk")).toEqual({ length: 4 });
    expect(read).toEqual(["disk full", "disk"]);
  });

  it("reads a long text each time", () => {
    const { read, lengthOf } = counted();
    const log = "x".repeat(5_000);
    for (let i = 0; i < 3; i++) expect(lengthOf(log)).toEqual({ length: 5_000 });
    expect(read).toHaveLength(3);
  });

  it("keeps a text that is read again and again, and forgets one that is not", () => {
    const { read, lengthOf } = counted();
    lengthOf("once");
    for (let i = 0; i < 1_000; i++) {
      lengthOf("often");
      lengthOf(`${i}`.padEnd(2_000));
    }
    lengthOf("once");
    expect(read.filter((text) => text === "often")).toHaveLength(1);
    expect(read.filter((text) => text === "once")).toHaveLength(2);
  });
});
