import { describe, expect, it } from "vitest";
import { groupByFailure } from "../../../../functions/investigation/learning/rebuild-record.ts";
import { type FailureSignature, NO_SIGNATURE } from "../../../../functions/schemas/failure-signature.ts";

function sampleOf(name: string, ...lines: readonly string[]) {
  const templates = lines.map((text) => ({ text, weight: LEVELS[text] ?? 0.9 }));
  const signature: FailureSignature =
    lines.length === 0 ? NO_SIGNATURE : { ...NO_SIGNATURE, version: 1, basis: "error_lines", templates };
  return { name, signature };
}

const HEAP = "fatal error reached heap limit allocation failed javascript heap out of memory";
const WARNING = "warn deprecated header from client";
const LEVELS: Readonly<Record<string, number>> = { [WARNING]: 0.3 };
const CERTIFICATE = "error tls handshake with upstream failed certificate has expired or is not yet valid";

const namesOf = (groups: readonly (readonly { readonly name: string }[])[]) =>
  groups.map((group) => group.map(({ name }) => name));

describe("groupByFailure", () => {
  it("joins reports of which one has further lines, with the most frequent one", () => {
    const items = [sampleOf("often", HEAP), sampleOf("another", CERTIFICATE), sampleOf("seldom", HEAP, WARNING)];
    expect(namesOf(groupByFailure(items))).toEqual([["often", "seldom"], ["another"]]);
  });

  it("keeps reports apart that only a title identifies", () => {
    expect(namesOf(groupByFailure([sampleOf("one"), sampleOf("two")]))).toEqual([["one"], ["two"]]);
  });

  it("has no groups without reports", () => {
    expect(groupByFailure([])).toEqual([]);
  });
});
