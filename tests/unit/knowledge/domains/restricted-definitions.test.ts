// Definitions that tokens store which are restricted to domains: they decide last, so they take no reports of others.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createDomainCatalog } from "../../../../functions/knowledge/domains/domain-catalog.ts";
import {
  type DefinedDomain,
  storedDefinitionSchema,
} from "../../../../functions/knowledge/domains/domain-definition.ts";
import { labelledDomain, type ReportText, routeDomain } from "../../../../functions/knowledge/domains/route-domain.ts";

type Author = { readonly domains: readonly string[]; readonly place: number } | null;
interface Entry {
  readonly author: Author;
  readonly labels?: Readonly<Record<string, readonly string[]>>;
  readonly words?: readonly string[];
  readonly weight?: 1 | 2 | 3;
}

const by = (place: number, ...domains: string[]): Author => ({ domains, place });

function domain(name: string, entries: readonly Entry[]): DefinedDomain {
  const rules = entries.filter(({ labels }) => labels !== undefined);
  const hints = entries.filter(({ words }) => words !== undefined);
  const authorsOf = (list: readonly Entry[]) =>
    list.map(({ author }) => author && { domains: [...author.domains], place: author.place });
  return {
    name,
    definition: storedDefinitionSchema.parse({
      labels: rules.map(({ labels, weight }) => ({ match: labels, weight })),
      hints: hints.map(({ words, weight }) => ({ words, weight })),
    }),
    authors: { labels: authorsOf(rules), hints: authorsOf(hints) },
  };
}

const report = (labels: Readonly<Record<string, string>>, headline = "", details = ""): ReportText => ({
  labels,
  headline,
  details,
});

describe("a definition of a restricted token", () => {
  const defined = [
    domain("kubernetes", [
      { author: null, labels: { pod: ["*"] }, weight: 1 },
      { author: null, words: ["kubectl"], weight: 2 },
    ]),
    domain("beta", [{ author: by(1, "beta"), labels: { team: ["beta"] } }]),
    domain("gamma", [
      { author: by(2, "gamma"), labels: { severity: ["critical"] } },
      { author: by(3, "gamma"), words: ["ledger"] },
    ]),
  ];
  const all = createDomainCatalog(defined);

  it.each<[string, ReportText, string]>([
    ["a label rule of others", report({ severity: "critical", pod: "web-1" }), "kubernetes"],
    ["words of others", report({ severity: "critical" }, "kubectl hangs"), "kubernetes"],
    ["words of others in the details", report({ severity: "critical" }, "ledger", "kubectl hangs"), "kubernetes"],
    ["an entry that a restricted token stored before", report({ severity: "critical", team: "beta" }), "beta"],
  ])("decides nothing that %s decides", (_what, text, name) => {
    expect(routeDomain(all, text).name).toBe(name);
  });

  it("decides the reports that nothing else decides, by labels and by words", () => {
    expect(routeDomain(all, report({ severity: "critical" }, "slow"))).toMatchObject({
      name: "gamma",
      rule: "label severity=critical",
      decidedBy: "label",
      limitsSearch: true,
    });
    expect(routeDomain(all, report({}, "the ledger is slow"))).toMatchObject({ name: "gamma", decidedBy: "words" });
    expect(routeDomain(all, report({}, "slow", "ledger"))).toMatchObject({ name: "gamma", isFirm: false });
  });

  it("decides by its label rule for its domain where the report only names the domain", () => {
    const route = routeDomain(all, report({ team: "beta", severity: "critical" }, "slow", "team=beta"));
    expect(route).toMatchObject({ name: "beta", rule: "label team=beta", decidedBy: "label" });
  });

  it("does not make a report that of another domain for a token that must not use the domain", () => {
    expect(labelledDomain(all, { severity: "critical" })).toBeUndefined();
  });

  it("decides with its weight where its author may change every domain of the caller", () => {
    const own = createDomainCatalog(
      defined.filter(({ name }) => name !== "kubernetes"),
      ["beta", "gamma"],
    );
    expect(routeDomain(own, report({ severity: "critical", team: "beta" })).name).toBe("beta");
    const team = ["gamma", "kubernetes"];
    const theirs = domain("gamma", [{ author: by(2, ...team), labels: { severity: ["critical"] } }]);
    const kubernetes = defined.filter(({ name }) => name === "kubernetes");
    const labels = { severity: "critical", pod: "web-1" };
    expect(routeDomain(createDomainCatalog([...kubernetes, theirs], team), report(labels)).name).toBe("gamma");
    expect(routeDomain(createDomainCatalog([...kubernetes, theirs]), report(labels)).name).toBe("kubernetes");
  });
});

const LABELS = ["team", "namespace", "alertname"] as const;
const WORDS = ["redis", "queue", "disk", "ledger"] as const;
const weight = fc.constantFrom<1 | 2 | 3>(1, 2, 3);
const labelEntry = fc.record({
  labels: fc.dictionary(
    fc.constantFrom(...LABELS),
    fc.uniqueArray(fc.constantFrom("beta", "gamma", "be*", "*mma", "*"), { minLength: 1, maxLength: 2 }),
    { minKeys: 1, maxKeys: 2 },
  ),
  weight,
});
const hintEntry = fc.record({
  words: fc.uniqueArray(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 2 }),
  weight,
});
const entries = fc.array(fc.oneof(labelEntry, hintEntry), { maxLength: 3 });
/** Of a domain: some stored by the service, some by a token that is restricted to the domain. */
const stored = fc.array(fc.tuple(fc.oneof(labelEntry, hintEntry), fc.option(fc.nat(50))), { maxLength: 3 });
const words = fc.uniqueArray(fc.constantFrom(...WORDS), { maxLength: 2 }).map((list) => list.join(" "));
const reports = fc.record({
  labels: fc.dictionary(fc.constantFrom(...LABELS), fc.constantFrom("beta", "gamma", "other")),
  headline: words,
  details: words,
});

const ALL = ["alpha", "beta", "gamma"] as const;
const storedDomain = (name: string, list: readonly (readonly [Omit<Entry, "author">, number | null])[]) =>
  domain(
    name,
    list.map(([entry, place]) => ({ ...entry, author: place === null ? null : by(place, name) })),
  );

describe("any definition that a token restricted to a domain stores", () => {
  it("takes no report that was decided for another domain", () => {
    fc.assert(
      fc.property(
        fc.tuple(stored, stored, stored),
        entries,
        fc.constantFrom<readonly string[] | null>(null, ["beta", "gamma"]),
        reports,
        ([alpha, beta, gamma], added, allowed, text) => {
          const others = [storedDomain("alpha", alpha), storedDomain("beta", beta)];
          const after = domain("gamma", [
            // Of its entries, some stay. The new ones are the last of all.
            ...gamma
              .slice(1)
              .map(([entry, place]) => ({ ...entry, author: place === null ? null : by(place, "gamma") })),
            ...added.map((entry, i) => ({ ...entry, author: by(100 + i, "gamma") })),
          ]);
          const routeWith = (own: DefinedDomain) => {
            const visible = [...others, own].filter(({ name }) => (allowed ?? ALL).includes(name));
            return routeDomain(createDomainCatalog(visible, allowed), text);
          };
          const before = routeWith(storedDomain("gamma", gamma));
          if (before.decidedBy !== "none" && before.name !== "gamma") expect(routeWith(after).name).toBe(before.name);
        },
      ),
      { numRuns: 500 },
    );
  });
});
