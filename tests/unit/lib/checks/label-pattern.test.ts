import { describe, expect, it } from "vitest";
import { factsOf } from "../../../../lib/checks/scope/label-pattern.ts";

describe("what a pattern of a label matcher can match", () => {
  it.each<[string, { matchesEmpty: boolean; hasLiteral: boolean }]>([
    ["shop", { matchesEmpty: false, hasLiteral: true }],
    ["", { matchesEmpty: true, hasLiteral: false }],
    [".*", { matchesEmpty: true, hasLiteral: false }],
    [".+", { matchesEmpty: false, hasLiteral: false }],
    ["[^a-z]", { matchesEmpty: false, hasLiteral: false }],
    ["[]]", { matchesEmpty: false, hasLiteral: false }],
    ["[\\]]", { matchesEmpty: false, hasLiteral: false }],
    ["^shop$", { matchesEmpty: false, hasLiteral: true }],
    ["a|", { matchesEmpty: true, hasLiteral: false }],
    ["a|b", { matchesEmpty: false, hasLiteral: true }],
    ["a|.", { matchesEmpty: false, hasLiteral: false }],
    ["a?", { matchesEmpty: true, hasLiteral: false }],
    ["a{0}", { matchesEmpty: true, hasLiteral: false }],
    ["a{0,3}", { matchesEmpty: true, hasLiteral: false }],
    ["a{2}", { matchesEmpty: false, hasLiteral: true }],
    ["a{,3}", { matchesEmpty: false, hasLiteral: true }],
    ["(?:shop)+", { matchesEmpty: false, hasLiteral: true }],
    ["(?i)shop", { matchesEmpty: false, hasLiteral: true }],
    ["(shop)?", { matchesEmpty: true, hasLiteral: false }],
    ["shop\\.", { matchesEmpty: false, hasLiteral: true }],
  ])("is known of %j", (pattern, facts) => {
    expect(factsOf(pattern)).toEqual(facts);
  });

  it.each(["a)", "(a", "[a", "\\d", `${"(".repeat(60)}a${")".repeat(60)}`])("is not known of %j", (pattern) => {
    expect(factsOf(pattern)).toEqual({ matchesEmpty: true, hasLiteral: false });
  });
});
