import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type DefinedDomain,
  storedDefinitionSchema,
} from "../../../../functions/knowledge/domains/domain-definition.ts";
import { findLabelConflicts } from "../../../../functions/knowledge/domains/label-conflicts.ts";
import { createLabelRule, matchingRules } from "../../../../functions/knowledge/domains/label-rules.ts";

type Match = Readonly<Record<string, string[]>>;

const domain = (name: string, ...labels: Match[]): DefinedDomain => ({
  name,
  definition: storedDefinitionSchema.parse({ labels: labels.map((match) => ({ match })) }),
});
const conflictsOf = (one: DefinedDomain, others: readonly DefinedDomain[], isRestricted = false) =>
  findLabelConflicts(one, others, { isRestricted }).map(({ path }) => path.join("."));
const areInConflict = (mine: Match, theirs: Match, isRestricted: boolean) =>
  conflictsOf(domain("mine", mine), [domain("theirs", theirs)], isRestricted).length > 0;

const LABELS = ["job", "team", "pod"] as const;
const matches = (...values: string[]) =>
  fc.dictionary(
    fc.constantFrom(...LABELS),
    fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 3 }),
    { minKeys: 1, maxKeys: 3 },
  );
const anyMatch = matches("beta", "BETA", "gamma", "beta-*", "*eta", "*", "*a*");
const namedMatch = matches("beta", "BETA", "gamma", "beta-*", "*eta");
const literalMatch = matches("beta", "gamma", "beta-api", "zeta");

describe("two domains with labels", () => {
  it.each<[string, Match, Match]>([
    ["a value", { job: ["redis", "valkey"] }, { job: ["sentinel", "redis"] }],
    ["a value in another case", { job: ["Redis"] }, { job: ["redis"] }],
    ["a pattern", { job: ["*redis*"] }, { job: ["*redis*"] }],
    ["any value", { datname: ["*"] }, { datname: ["*"] }],
    ["every label of a rule", { namespace: ["shop"], job: ["a", "b"] }, { job: ["b"], namespace: ["shop"] }],
    ["a value, beside a label with any value", { job: ["redis"], pod: ["*"] }, { job: ["redis"] }],
  ])("are in conflict when both claim %s", (_what, mine, theirs) => {
    const conflicts = conflictsOf(domain("mine", { team: ["x"] }, mine), [domain("theirs", theirs)]);
    expect(conflicts).toEqual(["labels.1.match"]);
  });

  it.each<[string, Match, Match]>([
    ["values", { job: ["redis"] }, { job: ["kafka"] }],
    ["labels", { job: ["redis"] }, { service: ["redis"] }],
    ["more labels", { job: ["redis"] }, { job: ["redis"], namespace: ["shop"] }],
    ["values of one of the labels", { job: ["redis"], cluster: ["eu"] }, { job: ["redis"], cluster: ["us"] }],
    ["a narrower value", { job: ["redis-cache"] }, { job: ["*redis*"] }],
    ["a name that objects inherit", { constructor: ["a"] }, { job: ["a"] }],
  ])("agree when they have other %s", (_what, mine, theirs) => {
    expect(areInConflict(mine, theirs, false)).toBe(false);
  });

  it("are reported with the label, the other domain and what to do", () => {
    const [conflict] = findLabelConflicts(domain("mine", { job: ["a", "b"], team: ["x"] }), [
      domain("theirs", { team: ["x"], job: ["b"] }),
    ]);
    expect(conflict?.message).toBe(
      "claims job=a|b with team=x, which the domain theirs claims already: name labels or values of your own, or change theirs first",
    );
  });

  it("are never in conflict when they are one domain, stored again", () => {
    fc.assert(
      fc.property(anyMatch, fc.boolean(), (mine, isRestricted) => {
        expect(conflictsOf(domain("mine", mine), [domain("mine", mine)], isRestricted)).toEqual([]);
      }),
    );
  });

  it("are in conflict in both directions or in none", () => {
    fc.assert(
      fc.property(namedMatch, namedMatch, fc.boolean(), (mine, theirs, isRestricted) => {
        expect(areInConflict(mine, theirs, isRestricted)).toBe(areInConflict(theirs, mine, isRestricted));
      }),
    );
  });
});

describe("a label rule of a restricted caller", () => {
  it.each<[string, Match]>([
    ["with a label of any value", { team: ["beta"], alertname: ["*"] }],
    ["with a label of its own", { team: ["beta"], severity: ["critical"] }],
    ["among its own", { team: ["gamma", "Beta"] }],
    ["within a pattern", { team: ["be*a"] }],
  ])("is refused when it names a value of another domain %s", (_what, match) => {
    expect(areInConflict(match, { team: ["beta"] }, true)).toBe(true);
  });

  it.each<Match>([{ alertname: ["*"] }, { alertname: ["*"], namespace: ["*"] }, { team: ["*a*", "b*"] }])(
    "is refused when it names no value: %j",
    (match) => {
      const [conflict] = findLabelConflicts(domain("mine", match), [], { isRestricted: true });
      expect(conflict?.message).toContain("names no value");
      expect(conflictsOf(domain("mine", match), [])).toEqual([]);
    },
  );

  it.each<[string, Match, Match]>([
    ["names another label", { namespace: ["shop"] }, { team: ["beta"] }],
    ["names a value where others accept any", { namespace: ["shop"] }, { namespace: ["*"], deployment: ["*"] }],
    ["names another value of the label", { team: ["gamma"] }, { team: ["beta"] }],
    ["differs in one of two labels", { team: ["beta"], app: ["till"] }, { team: ["beta"], app: ["ledger"] }],
    ["has a pattern that shares values by chance", { job: ["payments-*"] }, { job: ["*redis*"] }],
  ])("is accepted when it %s", (_what, mine, theirs) => {
    expect(areInConflict(mine, theirs, true)).toBe(false);
  });

  it("is refused when it narrows a rule of another domain, whatever it adds", () => {
    fc.assert(
      fc.property(namedMatch, anyMatch, (theirs, added) => {
        expect(areInConflict({ ...added, ...theirs }, theirs, true)).toBe(true);
      }),
    );
  });

  it("is refused when it names a label of another rule and one report fulfils both", () => {
    const values = fc.constantFrom("beta", "gamma", "beta-api", "zeta");
    const labels = fc.record({ job: values, team: values, pod: values });
    fc.assert(
      fc.property(literalMatch, namedMatch, labels, (mine, theirs, report) => {
        const rules = [mine, theirs].map((match, i) => createLabelRule(String(i), { match, weight: 3 }));
        const fulfilsBoth = matchingRules(rules, report).length === 2;
        const isShared = Object.keys(mine).some((label) => Object.hasOwn(theirs, label));
        if (fulfilsBoth && isShared) expect(areInConflict(mine, theirs, true)).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });
});
