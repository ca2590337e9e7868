import { describe, expect, it } from "vitest";
import {
  type Candidate,
  corrected,
  type RankingEvidence,
  type RankingFeature,
  rankHits,
  type WholeText,
} from "../../../../lib/ranking/rank-hits.ts";

function alone(id: string, its: Partial<Candidate> = {}): Candidate {
  return {
    id,
    source: null,
    chunkIndex: null,
    title: "",
    headingPath: [],
    body: "",
    isSameType: false,
    domainPreference: 0,
    ...its,
  };
}

function chunk(source: string, chunkIndex: number, its: Partial<Candidate> = {}): Candidate {
  return alone(`${source}#${chunkIndex}`, { source, chunkIndex, ...its });
}

interface TextParts {
  readonly length?: number;
  readonly frequencies?: Readonly<Record<string, number>>;
  readonly lead?: string;
}

/** A text of one passage. */
function textOf(source: string, { length = 100, frequencies = {}, lead = "" }: TextParts = {}): WholeText {
  return { source, isLong: false, passages: [{ first: 0, last: 6, length, frequencies }], lead };
}

function rank(candidates: readonly Candidate[], evidence: Partial<RankingEvidence> & { query: string }) {
  return rankHits(candidates, { sources: [], statistics: {}, corrections: {}, ...evidence });
}

/** The strength of one feature for each hit, by id. */
function valuesOf(feature: RankingFeature, hits: ReturnType<typeof rankHits>): Record<string, number | undefined> {
  return Object.fromEntries(hits.map(({ id, contributions }) => [id, contributions[feature]?.value]));
}

interface Duel {
  readonly feature: RankingFeature;
  readonly why: string;
  readonly query: string;
  /** The first candidate should rank first; by its id alone it would be second. */
  readonly candidates: readonly [Candidate, Candidate];
  readonly sources?: readonly WholeText[];
  readonly values: readonly [number, number | undefined];
}

const DUELS: readonly Duel[] = [
  {
    feature: "bm25",
    why: "the keyword search's score, over the best",
    query: "disk",
    candidates: [chunk("t.md", 1, { bm25: 8 }), chunk("t.md", 0, { bm25: 2 })],
    sources: [textOf("t.md")],
    values: [1, 0.25],
  },
  {
    feature: "document",
    why: "how often the whole text says the terms",
    query: "disk",
    candidates: [chunk("b.md", 1), chunk("a.md", 1)],
    sources: [textOf("a.md", { frequencies: { disk: 1 } }), textOf("b.md", { frequencies: { disk: 3 } })],
    values: [2, 2 / (6.6 / 4.2)],
  },
  {
    feature: "document",
    why: "how short the whole text is",
    query: "disk",
    candidates: [chunk("b.md", 1), chunk("a.md", 1)],
    sources: [
      textOf("a.md", { frequencies: { disk: 1 }, length: 150 }),
      textOf("b.md", { frequencies: { disk: 1 }, length: 50 }),
    ],
    values: [2, (2 * 1.75) / 2.65],
  },
  {
    feature: "lead",
    why: "what the beginning says",
    query: "disk",
    candidates: [chunk("b.md", 1), chunk("a.md", 1)],
    sources: [textOf("a.md", { lead: "the disk" }), textOf("b.md", { lead: "disk, disk and disk" })],
    values: [0.5, 0.5 / (6.6 / 4.2)],
  },
  {
    feature: "title",
    why: "how far title and query say the same",
    query: "full disk",
    candidates: [alone("b", { title: "Disk full" }), alone("a", { body: "Disk full" })],
    values: [2, undefined],
  },
  {
    feature: "name",
    why: "the file's name, word for word",
    query: "alert full-disk on db-3",
    candidates: [chunk("runbooks/full-disk.md", 1), chunk("runbooks/db.md", 1)],
    values: [1.5, undefined],
  },
  {
    feature: "proximity",
    why: "the query's wording, together and in its order",
    query: "disk full slow",
    candidates: [chunk("b.md", 1, { body: "Slow: disk is full" }), chunk("a.md", 1, { body: "Slow, full of disks" })],
    sources: [textOf("a.md"), textOf("b.md")],
    values: [0.5, undefined],
  },
  {
    feature: "dense",
    why: "nearness, by this query's spread",
    query: "disk",
    candidates: [alone("b", { distance: 0.31 }), alone("a", { distance: 0.62 })],
    values: [0.4, undefined],
  },
  {
    feature: "type",
    why: "the recognised type of incident",
    query: "disk",
    candidates: [alone("b", { isSameType: true }), alone("a")],
    values: [1, undefined],
  },
];

describe("each feature", () => {
  it.each(DUELS)("$feature decides between two otherwise equal candidates: $why", (duel) => {
    const { feature, query, candidates, sources = [], values } = duel;
    const hits = rank(candidates, { query, sources });
    expect(hits.map(({ id }) => id)).toEqual(candidates.map(({ id }) => id));
    hits.forEach(({ contributions }, i) => {
      const value = values[i];
      if (value === undefined) expect(contributions).not.toHaveProperty(feature);
      else expect(contributions[feature]?.value).toBeCloseTo(value, 12);
    });
    const [leader, other] = hits.map(({ contributions }) => ({ ...contributions, [feature]: undefined }));
    expect(leader).toEqual(other);
  });

  it("sets title and name for a title that the query quotes", () => {
    const [hit] = rank([alone("a", { title: "Kube pod crash looping" })], { query: "KubePodCrashLooping" });
    expect(hit?.contributions.name?.value).toBe(1.5);
    // The query's five terms are the identifier and its four words.
    expect(hit?.contributions.title?.value).toBeCloseTo(2 * Math.sqrt(0.8), 12);
  });

  it("uses the first 80 words of a text as its lead", () => {
    const leads = [79, 80].map((before) => `${"word ".repeat(before)}disk`);
    const sources = leads.map((lead, i) => textOf(`${i}.md`, { lead }));
    const hits = rank([chunk("0.md", 3), chunk("1.md", 3)], { query: "disk", sources });
    expect(valuesOf("lead", hits)).toEqual({ "0.md#3": 0.5, "1.md#3": undefined });
  });

  it("treats a text that was not split as a whole text", () => {
    const hits = rank([alone("a", { bm25: 3 }), alone("b", { bm25: 6 })], { query: "disk" });
    expect(valuesOf("document", hits)).toEqual({ a: 1, b: 2 });
  });
});

describe("the chunks of a text", () => {
  const bodies = ["disk full", "node down", "slow disk"];
  const candidates = bodies.map((body, i) => chunk("runbooks/disk-full.md", i, { title: "Disk full", body, bm25: i }));
  const other = alone("z", { title: "Node down", body: "The node is down", bm25: 1 });
  const shared: readonly RankingFeature[] = ["document", "lead", "title", "name"];
  const sources = [
    textOf("runbooks/disk-full.md", { frequencies: { disk: 2, full: 1 }, lead: "When the disk is full." }),
  ];

  it("share the features of the whole text", () => {
    const hits = rank([...candidates, other], { query: "the disk is full", sources });
    const chunks = hits.filter(({ id }) => id !== "z");
    for (const feature of shared) {
      const [first, ...others] = chunks.map(({ contributions }) => contributions[feature]);
      expect(first?.value).toBeGreaterThan(0);
      for (const each of others) expect(each).toEqual(first);
    }
  });

  it("share the first chunk's body as the lead when the search returned none", () => {
    const rival = alone("z", { title: "Disk full", body: "disk full" });
    const leads = (all: readonly Candidate[]) => valuesOf("lead", rank([...all, rival], { query: "disk full" }));
    expect(leads(candidates)).toEqual(leads(candidates.toReversed()));
    expect(Object.values(leads(candidates))).toEqual([0.5, 0.5, 0.5, 0.5]);
    expect(leads(candidates.slice(1))["runbooks/disk-full.md#1"]).toBeLessThan(0.5);
  });

  it("get a proximity for the best chunk only", () => {
    const alike = [2, 0, 1].map((i) => chunk("t.md", i, { body: "disk full", bm25: i }));
    expect(valuesOf("proximity", rank(alike, { query: "disk full", sources: [textOf("t.md")] }))).toEqual({
      "t.md#0": undefined,
      "t.md#1": undefined,
      "t.md#2": 1,
    });
  });
});

describe("proximity", () => {
  it("covers the title and the body", () => {
    const hits = rank([alone("a", { title: "Node: disk", body: "full" }), alone("b", { title: "Disk full" })], {
      query: "disk full",
    });
    expect(valuesOf("proximity", hits)).toEqual({ a: 1, b: 1 });
  });

  it("covers the best nine texts only", () => {
    const candidates = Array.from({ length: 12 }, (_, i) =>
      alone(`t${String(i).padStart(2, "0")}`, { body: "disk full", bm25: 20 - i }),
    );
    const read = Object.entries(valuesOf("proximity", rank(candidates, { query: "disk full" })))
      .filter(([, value]) => value !== undefined)
      .map(([id]) => id);
    expect(read).toEqual(["t00", "t01", "t02", "t03", "t04", "t05", "t06", "t07", "t08"]);
  });

  it("counts texts, not chunks, and breaks ties by id", () => {
    const candidates = ["j", "i", "h", "g", "f", "e", "d", "c", "b", "a"].flatMap((source) => [
      chunk(source, 1, { body: "disk full" }),
      chunk(source, 2, { body: "disk full" }),
    ]);
    const hits = rank(candidates, { query: "disk full" });
    const read = hits.filter(({ contributions }) => contributions.proximity).map(({ id }) => id);
    expect(read).toEqual(["a#1", "b#1", "c#1", "d#1", "e#1", "f#1", "g#1", "h#1", "i#1"]);
  });
});

describe("distances", () => {
  it("map to 1 for the nearest and 0 for the farthest", () => {
    const hits = rank(
      [0.5, 0.7, 0.9].map((distance) => alone(`at ${distance}`, { distance })),
      { query: "disk" },
    );
    const values = valuesOf("dense", hits);
    expect(values["at 0.5"]).toBe(0.4);
    expect(values["at 0.7"]).toBeCloseTo(0.2, 12);
    expect(values["at 0.9"]).toBeUndefined();
  });

  it.each([
    ["one alone", [1.4]],
    ["equal ones", [0.3, 0.3]],
    ["the query's own text", [0]],
  ])("of %s count as the nearest", (_what, distances) => {
    const hits = rank(
      distances.map((distance, i) => alone(`${i}`, { distance })),
      { query: "disk" },
    );
    for (const { contributions } of hits) expect(contributions.dense).toEqual({ rank: 1, value: 0.4 });
  });

  it("do not affect hits of the keyword search only", () => {
    const hits = rank([alone("a", { distance: 0.9 }), alone("b", { bm25: 1 })], { query: "disk" });
    expect(valuesOf("dense", hits)).toEqual({ a: 0.4, b: undefined });
  });
});

describe("a failed search", () => {
  it("ranks by keywords without vectors", () => {
    const hits = rank([alone("a", { bm25: 1 }), alone("b", { bm25: 2 })], {
      query: "disk",
      statistics: { disk: { idf: 2 } },
    });
    expect(hits.map(({ id, score }) => [id, score])).toEqual([
      ["b", 3],
      ["a", 1.5],
    ]);
    expect(valuesOf("dense", hits)).toEqual({ a: undefined, b: undefined });
  });

  it("still uses title, lead and proximity without the keyword search", () => {
    const hits = rank(
      [
        alone("near", { title: "Node down", body: "The node is down", distance: 0.1 }),
        alone("meant", { title: "Disk full", body: "The disk is full", distance: 0.2 }),
      ],
      { query: "disk full" },
    );
    expect(hits.map(({ id }) => id)).toEqual(["meant", "near"]);
    expect(hits[1]?.contributions).toEqual({ dense: { rank: 1, value: 0.4 } });
    expect(Object.keys(hits[0]?.contributions ?? {})).toEqual(["lead", "title", "name", "proximity"]);
  });

  it("returns no hits without candidates", () => {
    expect(rank([], { query: "disk" })).toEqual([]);
  });
});

describe("corrections", () => {
  const candidates = [alone("a", { title: "Disk trouble", body: "The disk, full" }), alone("b", { title: "Node" })];

  it("replace the misspelt terms", () => {
    const [hit] = rank(candidates, { query: "dsik full", corrections: { dsik: "disk" } });
    const [meant] = rank(candidates, { query: "disk full" });
    expect(hit).toEqual(meant);
    expect(hit?.contributions.title?.value).toBeGreaterThan(0);
    const [unread] = rank(candidates, { query: "dsik full" });
    expect(unread?.contributions.title).toBeUndefined();
    expect(unread?.contributions.proximity).toBeUndefined();
  });

  it("apply to the frequencies of whole texts", () => {
    const sources = [textOf("t.md", { frequencies: { disk: 1 } })];
    const [hit] = rank([chunk("t.md", 3)], { query: "dsik", sources, corrections: { dsik: "disk" } });
    expect(hit?.contributions).toEqual({ document: { rank: 1, value: 2 } });
  });

  it("leave all other terms unchanged, also terms named like built-in properties", () => {
    expect(corrected(["dsik", "constructor", "__proto__", "dsik"], { dsik: "disk" })).toEqual([
      "disk",
      "constructor",
      "__proto__",
      "disk",
    ]);
  });
});

describe("odd input", () => {
  it.each(["", "the of and", "— … !?"])("ranks by the other features for the query %j, which has no terms", (query) => {
    const hits = rank(
      [
        alone("a", { title: "", body: "", distance: 0.5 }),
        alone("b", { title: "Disk full", body: "disk", distance: 0.4, isSameType: true }),
      ],
      { query },
    );
    expect(hits).toEqual([
      { id: "b", score: 1.4, contributions: { dense: { rank: 1, value: 0.4 }, type: { rank: 1, value: 1 } } },
      { id: "a", score: 0, contributions: {} },
    ]);
  });

  it("handles ids, sources and terms named like built-in properties", () => {
    const names = ["__proto__", "constructor", "toString"];
    const hits = rank([...names.map((name) => alone(name)), ...names.map((name) => chunk(name, 1))], {
      query: "constructor toString __proto__",
      sources: names.map((name) => textOf(name)),
    });
    expect(hits.map(({ id, score }) => [id, score])).toEqual(
      [...names, ...names.map((name) => `${name}#1`)].sort().map((id) => [id, 0]),
    );
  });

  it.each(["disk full ", "DiskFull", "disk-", "a", " ", "\n", "e\u0301"])("handles bodies of 100 kB of %j", (unit) => {
    const body = unit.repeat(100_000 / unit.length);
    const hits = rank(
      Array.from({ length: 20 }, (_, i) => alone(`${i}`, { title: `Disk ${i}`, body, bm25: i })),
      { query: "disk full" },
    );
    expect(hits).toHaveLength(20);
    expect(hits[0]?.id).toBe("19");
  });
});
