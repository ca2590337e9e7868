import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createDomainCatalog, EMPTY_CATALOG } from "../../../../functions/knowledge/domains/domain-catalog.ts";
import { storedDefinitionSchema } from "../../../../functions/knowledge/domains/domain-definition.ts";
import {
  describeHints,
  labelledDomain,
  type ReportText,
  rerouted,
  routeDomain,
  scopeOf,
} from "../../../../functions/knowledge/domains/route-domain.ts";
import { SHIPPED_CATALOG } from "../../../support/domains.ts";

const CATALOG = createDomainCatalog(
  Object.entries({
    cache: {
      labels: [{ match: { job: ["*cache*"] } }],
      hints: [
        { words: ["eviction"], weight: 3 },
        { words: ["memory", "cluster"], weight: 1 },
      ],
      excluded_words: ["rediz"],
    },
    broker: {
      labels: [{ match: { pod: ["*"] }, weight: 1 }],
      hints: [
        { words: ["partition"], weight: 2 },
        { words: ["lag"], weight: 2 },
        { words: ["cluster"], weight: 1 },
      ],
    },
    "team-blue": { labels: [{ match: { team: ["blue"] }, weight: 2 }], hints: [{ words: ["invoice"] }] },
    general: {},
  }).map(([name, definition]) => ({ name, definition: storedDefinitionSchema.parse(definition) })),
);
const route = (text: Partial<ReportText>, catalog = CATALOG) =>
  routeDomain(catalog, { labels: {}, headline: "", details: "", ...text });
const UNDECIDED = {
  name: "general",
  rule: "undecided: no label and no word chose a domain",
  decidedBy: "none",
  limitsSearch: false,
  excluded: [],
  isFirm: false,
};

describe("labels", () => {
  it("is not that of one word of the headline against several firm words of the rest", () => {
    const details = "partition 7 has a lag of 9";
    expect(route({ headline: "eviction of the ledger", details })).toMatchObject({ name: "broker" });
    expect(route({ headline: "eviction of the ledger", details: "a lag of 9" })).toMatchObject({ name: "cache" });
    expect(route({ headline: "eviction, memory", details })).toMatchObject({ name: "cache" });
    expect(route({ headline: "eviction of the ledger", details: `${details}, memory` })).toMatchObject({
      name: "cache",
    });
  });

  it("decide, and limit the search, whatever the words say", () => {
    expect(route({ labels: { job: "cache-7" }, headline: "partition lag" })).toEqual({
      name: "cache",
      rule: "label job=cache-7",
      decidedBy: "label",
      limitsSearch: true,
      preferred: { cache: 1, broker: 2 / 3 },
      excluded: [],
      isFirm: true,
    });
  });

  it("of a lighter rule decide without limiting the search", () => {
    const decided = { name: "team-blue", rule: "label team=blue", decidedBy: "label", limitsSearch: false };
    expect(route({ labels: { team: "blue" } })).toMatchObject(decided);
  });

  it("of a faint rule decide nothing, and name the domain only where no word does", () => {
    const labels = { pod: "web-1" };
    expect(route({ labels, headline: "slow", details: "pod=web-1" })).toEqual({
      name: "broker",
      rule: "undecided: label pod says only where it runs, and no word chose a domain",
      decidedBy: "none",
      limitsSearch: false,
      preferred: { broker: 1 / 3 },
      excluded: [],
      isFirm: true,
    });
    expect(route({ labels, details: "pod=web-1\nstopped by the eviction" })).toMatchObject({
      name: "cache",
      decidedBy: "words",
      preferred: { cache: 1, broker: 1 / 3 },
    });
  });

  it("name a place, whose name is no word of the failure", () => {
    const text = { headline: "eviction-7 is slow", details: "eviction-7\npod=eviction-7" };
    expect(route({ ...text, labels: { pod: "eviction-7" } }).name).toBe("broker");
    const named = { pod: "eviction-7", alertname: "eviction" };
    expect(route({ headline: "eviction: eviction-7 is slow", labels: named }).name).toBe("cache");
    expect(route(text).name).toBe("cache");
  });

  it("of the heaviest rule win", () => {
    expect(route({ labels: { job: "cache", team: "blue", pod: "web-1" } }).name).toBe("cache");
    expect(route({ labels: { team: "blue", pod: "web-1" } }).name).toBe("team-blue");
  });

  it("of the domain's own name win over every rule, where there is such a domain", () => {
    expect(route({ labels: { domain: "broker", job: "cache" } })).toMatchObject({
      name: "broker",
      rule: "label domain=broker",
      limitsSearch: true,
    });
    expect(route({ labels: { domain: "mainframe", job: "cache" } }).name).toBe("cache");
    expect(route({ labels: { domain: "general" }, headline: "eviction" }).name).toBe("general");
  });

  it("do not decide for a domain that excludes the technology of the headline", () => {
    const labels = { job: "cache", pod: "web-1" };
    expect(route({ labels, headline: "rediz is slow" }).name).toBe("broker");
    expect(labelledDomain(CATALOG, labels, "rediz is slow")).toBeUndefined();
    expect(labelledDomain(CATALOG, labels, "rediz beside the cache: eviction")?.name).toBe("cache");
  });

  it("without a rule decide nothing", () => {
    expect(route({ labels: { job: "web", Job: "cache" } })).toEqual({ ...UNDECIDED, preferred: {} });
  });
});

describe("words", () => {
  it("choose the domain and prefer it, and keep the other hints", () => {
    expect(route({ headline: "Eviction after the lag" })).toEqual({
      name: "cache",
      rule: 'words "Eviction"',
      decidedBy: "words",
      limitsSearch: false,
      preferred: { cache: 1, broker: 2 / 3 },
      excluded: [],
      isFirm: true,
    });
  });

  it("that are faint choose nothing, but count as hints", () => {
    expect(route({ headline: "the cluster is out of memory" })).toEqual({
      ...UNDECIDED,
      preferred: { cache: 1 / 3, broker: 1 / 3 },
    });
  });

  it("are added up, and the strongest domain wins", () => {
    expect(route({ headline: "eviction, partition, lag" })).toMatchObject({
      name: "broker",
      rule: 'words "partition", "lag"',
    });
  });

  it("that name a domain win over words that only hint at another", () => {
    expect(route({ headline: "cache: partition and lag in the cluster" }).name).toBe("cache");
    expect(route({ headline: "broker: eviction" }).name).toBe("broker");
  });

  it("choose by the name in alphabetical order when nothing else differs", () => {
    expect(route({ headline: "cache and broker" }).name).toBe("broker");
  });

  it("of the details count only if the headline chooses nothing", () => {
    expect(route({ headline: "lag", details: "eviction" }).name).toBe("broker");
    expect(route({ headline: "it is slow in the cluster", details: "ERROR: eviction" })).toMatchObject({
      name: "cache",
      rule: 'words in labels or logs "eviction"',
      decidedBy: "words",
    });
  });
});

describe("a domain without hints", () => {
  const silent = createDomainCatalog(
    Object.entries({
      cache: { hints: [{ words: ["eviction"] }, { words: ["memory"], weight: 1 }] },
      "team-blue": {},
      general: {},
    }).map(([name, definition]) => ({ name, definition: storedDefinitionSchema.parse(definition) })),
  );

  it("is on equal terms with the most preferred domain", () => {
    expect(route({ headline: "eviction" }, silent).preferred).toEqual({ cache: 1, "team-blue": 1 });
    expect(route({ headline: "low memory" }, silent).preferred).toEqual({ cache: 1 / 3, "team-blue": 1 / 3 });
    expect(route({ labels: { domain: "cache" } }, silent).preferred).toEqual({ cache: 1, "team-blue": 1 });
  });

  it("is not preferred where no word hints at any domain", () => {
    expect(route({ headline: "it is slow" }, silent).preferred).toEqual({});
  });

  it("is chosen by its name", () => {
    expect(route({ headline: "eviction in the service of team blue" }, silent).name).toBe("team-blue");
  });
});

describe("a choice by words", () => {
  it.each([
    ["a word that rarely occurs elsewhere", { headline: "eviction" }],
    ["two words that are usual in the domain", { headline: "lag of a partition" }],
    ["the name of the domain", { headline: "broker is odd" }],
    ["such a word in an error line", { headline: "it is slow", details: "ERROR: eviction" }],
    ["a label", { labels: { pod: "web-1" } }],
  ])("is firm by %s", (_case, text) => {
    expect(route(text).isFirm).toBe(true);
  });

  it("is not firm by a word that other technologies use too", () => {
    expect(route({ headline: "lag of the subscribers" })).toMatchObject({ name: "broker", isFirm: false });
  });
});

describe("a domain that is only for reports that its labels or words decide for", () => {
  const closed = createDomainCatalog(
    Object.entries({
      cache: { hints: [{ words: ["eviction"] }] },
      own: {
        only_when_decided: true,
        labels: [{ match: { job: ["own"] }, weight: 1 }],
        hints: [{ words: ["outbox"], weight: 1 }],
      },
      general: { only_when_decided: true },
    }).map(([name, definition]) => ({ name, definition: storedDefinitionSchema.parse(definition) })),
  );
  const excludedFor = (text: Partial<ReportText>) => route(text, closed).excluded;

  it.each([
    ["nothing decides", { headline: "it is slow" }],
    ["a faint word hints at it", { headline: "the outbox is old" }],
    ["another domain is named", { headline: "eviction in the cache" }],
    ["the log of another domain names it", { headline: "eviction", details: "own: error" }],
  ])("is left out where %s", (_case, text) => {
    expect(excludedFor(text)).toEqual(["own"]);
  });

  it.each([
    ["its name", { headline: "own: the outbox is old" }],
    ["its name beside another domain", { headline: "own and its cache: eviction" }],
    ["its label", { labels: { job: "own" } }],
    ["its label beside another domain's name", { labels: { job: "own" }, headline: "eviction" }],
    ["the label domain", { labels: { domain: "own" } }],
    ["its name in an error line", { headline: "it is slow", details: "own: error" }],
  ])("is searched for %s", (_case, text) => {
    expect(excludedFor(text)).toEqual([]);
  });

  it("is searched where something else chose it", () => {
    const route = { ...UNDECIDED, preferred: {}, decidedBy: "none", excluded: ["own", "other"] } as const;
    const choice = { name: "own", rule: "runbook own/a.md", decidedBy: "runbook", limitsSearch: false } as const;
    expect(rerouted(route, choice)).toEqual({ ...choice, preferred: { own: 1 }, excluded: ["other"], isFirm: true });
  });
});

describe("a report that nothing decides", () => {
  it("belongs to general", () => {
    expect(route({})).toEqual({ ...UNDECIDED, preferred: {} });
    expect(route({ headline: "cache" }, EMPTY_CATALOG)).toEqual({ ...UNDECIDED, preferred: {} });
  });
});

describe("the scope of a search", () => {
  const base = { rule: "", decidedBy: "label", preferred: { cache: 1 }, excluded: ["own"], isFirm: true } as const;

  it("is the domain that limits it, and general", () => {
    expect(scopeOf({ ...base, name: "cache", limitsSearch: true })).toEqual({
      only: ["cache", "general"],
      preferred: { cache: 1 },
      excluded: ["own"],
    });
    expect(scopeOf({ ...base, name: "general", limitsSearch: true }).only).toEqual(["general"]);
  });

  it("is every domain otherwise", () => {
    const scope = scopeOf({ ...base, name: "cache", limitsSearch: false });
    expect(scope).toEqual({ only: null, preferred: { cache: 1 }, excluded: ["own"] });
  });
});

describe("a rule", () => {
  it("shows each matching text once", () => {
    expect(describeHints("words", ["exit code 137", "oom", "oom"])).toBe('words "exit code 137", "oom"');
  });

  const anything = fc.oneof(
    fc.string({ unit: fc.constantFrom("🐳", "𝒳", "é", "a", " ", "_") }),
    fc.string({ unit: "grapheme" }),
    fc.string({ unit: "binary" }),
  );
  const word = fc.constantFrom(
    "redis",
    "pod",
    "exit code 137",
    "nginx: upstream timed out",
    "MISCONF",
    "pull",
    "image",
  );
  const texts = fc.array(fc.oneof(anything, word), { maxLength: 5 }).map((parts) => parts.join(" "));

  it("is well formed for any text, and every hint is above 0 and at most 1", () => {
    fc.assert(
      fc.property(fc.dictionary(anything, anything), texts, texts, (labels, headline, details) => {
        const { rule, preferred, name } = routeDomain(SHIPPED_CATALOG, { labels, headline, details });
        expect(rule.isWellFormed()).toBe(true);
        expect(SHIPPED_CATALOG.domains.has(name)).toBe(true);
        for (const strength of Object.values(preferred)) expect(strength > 0 && strength <= 1).toBe(true);
      }),
    );
  });
});
