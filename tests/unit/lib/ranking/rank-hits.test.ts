import { describe, expect, it } from "vitest";
import {
  corrected,
  FEATURE_WEIGHTS,
  type RankableHit,
  type RankingEvidence,
  type RankingFeature,
  rankHits,
  type WholeText,
} from "../../../../lib/ranking/rank-hits.ts";

function alone(id: string, its: Partial<RankableHit> = {}): RankableHit {
  return {
    id,
    source: null,
    topic: { key: id, title: null },
    chunkIndex: null,
    title: "",
    headingPath: [],
    body: "",
    isSameType: false,
    domainPreference: 0,
    ...its,
  };
}

function chunk(source: string, chunkIndex: number, its: Partial<RankableHit> = {}): RankableHit {
  return alone(`${source}#${chunkIndex}`, { source, topic: { key: source, title: null }, chunkIndex, ...its });
}

interface TextParts {
  readonly length?: number;
  readonly frequencies?: Readonly<Record<string, number>>;
}

/** A text of one passage. */
function textOf(key: string, { length = 100, frequencies = {} }: TextParts = {}): WholeText {
  return { key, isLong: false, passages: [{ first: 0, last: 6, length, frequencies }] };
}

function rank(candidates: readonly RankableHit[], evidence: Partial<RankingEvidence> & { query: string }) {
  return rankHits(candidates, { sources: [], statistics: {}, corrections: {}, ...evidence });
}

/** 0 to 1, whatever its weight. */
function strengthOf(feature: RankingFeature, { [feature]: its }: ReturnType<typeof rankHits>[number]["contributions"]) {
  return its && its.value / FEATURE_WEIGHTS[feature];
}

/** The strength of one feature for each hit, by id. */
function strengthsOf(feature: RankingFeature, hits: ReturnType<typeof rankHits>): Record<string, number | undefined> {
  return Object.fromEntries(hits.map(({ id, contributions }) => [id, strengthOf(feature, contributions)]));
}

interface Duel {
  readonly feature: RankingFeature;
  readonly why: string;
  readonly query: string;
  /** The first candidate should rank first; by its id alone it would be second. */
  readonly candidates: readonly [RankableHit, RankableHit];
  readonly sources?: readonly WholeText[];
  readonly strengths: readonly [number, number | undefined];
}

const DUELS: readonly Duel[] = [
  {
    feature: "bm25",
    why: "the keyword search's score, over the best",
    query: "disk",
    candidates: [chunk("t.md", 1, { bm25: 8 }), chunk("t.md", 0, { bm25: 2 })],
    sources: [textOf("t.md")],
    strengths: [1, 0.25],
  },
  {
    feature: "document",
    why: "how often the whole text says the terms",
    query: "disk",
    candidates: [chunk("b.md", 1), chunk("a.md", 1)],
    sources: [textOf("a.md", { frequencies: { disk: 1 } }), textOf("b.md", { frequencies: { disk: 3 } })],
    strengths: [1, 4.2 / 6.6],
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
    strengths: [1, 1.75 / 2.65],
  },
  {
    feature: "title",
    why: "how far title and query say the same",
    query: "full disk",
    candidates: [alone("b", { title: "Disk full" }), alone("a", { body: "Disk full" })],
    strengths: [1, undefined],
  },
  {
    feature: "name",
    why: "the file's name, word for word",
    query: "alert full-disk on db-3",
    candidates: [chunk("runbooks/full-disk.md", 1), chunk("runbooks/db.md", 1)],
    strengths: [1, undefined],
  },
  {
    feature: "proximity",
    why: "the query's wording, together and in its order",
    query: "disk full slow",
    candidates: [chunk("b.md", 1, { body: "Slow: disk is full" }), chunk("a.md", 1, { body: "Slow, full of disks" })],
    sources: [textOf("a.md"), textOf("b.md")],
    strengths: [0.5, undefined],
  },
  {
    feature: "dense",
    why: "nearness, by this query's spread",
    query: "disk",
    candidates: [alone("b", { distance: 0.31 }), alone("a", { distance: 0.62 })],
    strengths: [1, undefined],
  },
  {
    feature: "type",
    why: "the recognised type of incident",
    query: "disk",
    candidates: [alone("b", { isSameType: true }), alone("a")],
    strengths: [1, undefined],
  },
];

describe("each feature", () => {
  it.each(DUELS)("$feature decides between two otherwise equal candidates: $why", (duel) => {
    const { feature, query, candidates, sources = [], strengths } = duel;
    const hits = rank(candidates, { query, sources });
    expect(hits.map(({ id }) => id)).toEqual(candidates.map(({ id }) => id));
    hits.forEach(({ contributions }, i) => {
      const strength = strengths[i];
      if (strength === undefined) expect(contributions).not.toHaveProperty(feature);
      else expect(strengthOf(feature, contributions)).toBeCloseTo(strength, 12);
    });
    const [leader, other] = hits.map(({ contributions }) => ({ ...contributions, [feature]: undefined }));
    expect(leader).toEqual(other);
  });

  it("sets title and name for a title that the query quotes", () => {
    const [hit] = rank([alone("a", { title: "Kube pod crash looping" })], { query: "KubePodCrashLooping" });
    expect(hit && strengthOf("name", hit.contributions)).toBe(1);
    // The query's five terms are the identifier and its four words.
    expect(hit && strengthOf("title", hit.contributions)).toBeCloseTo(Math.sqrt(0.8), 12);
  });

  it("treats a text that was not split as a whole text", () => {
    const hits = rank([alone("a", { bm25: 3 }), alone("b", { bm25: 6 })], { query: "disk" });
    expect(strengthsOf("document", hits)).toEqual({ a: 0.5, b: 1 });
  });
});

describe("the chunks of a text", () => {
  const bodies = ["disk full", "node down", "slow disk"];
  const candidates = bodies.map((body, i) => chunk("runbooks/disk-full.md", i, { title: "Disk full", body, bm25: i }));
  const other = alone("z", { title: "Node down", body: "The node is down", bm25: 1 });
  const shared: readonly RankingFeature[] = ["document", "title", "name"];
  const sources = [textOf("runbooks/disk-full.md", { frequencies: { disk: 2, full: 1 } })];

  it("share the features of the whole text", () => {
    const hits = rank([...candidates, other], { query: "the disk is full", sources });
    const chunks = hits.filter(({ id }) => id !== "z");
    for (const feature of shared) {
      const [first, ...others] = chunks.map(({ contributions }) => contributions[feature]);
      expect(first?.value).toBeGreaterThan(0);
      for (const each of others) expect(each).toEqual(first);
    }
  });

  it("get a proximity for the best chunk only", () => {
    const alike = [2, 0, 1].map((i) => chunk("t.md", i, { body: "disk full", bm25: i }));
    expect(strengthsOf("proximity", rank(alike, { query: "disk full", sources: [textOf("t.md")] }))).toEqual({
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
    expect(strengthsOf("proximity", hits)).toEqual({ a: 1, b: 1 });
  });

  it("covers the best nine texts only", () => {
    const candidates = Array.from({ length: 12 }, (_, i) =>
      alone(`t${String(i).padStart(2, "0")}`, { body: "disk full", bm25: 20 - i }),
    );
    const read = Object.entries(strengthsOf("proximity", rank(candidates, { query: "disk full" })))
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
    const values = strengthsOf("dense", hits);
    expect(values["at 0.5"]).toBe(1);
    expect(values["at 0.7"]).toBeCloseTo(0.5, 12);
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
    for (const { contributions } of hits) expect(strengthOf("dense", contributions)).toBe(1);
  });

  it("do not affect hits of the keyword search only", () => {
    const hits = rank([alone("a", { distance: 0.9 }), alone("b", { bm25: 1 })], { query: "disk" });
    expect(strengthsOf("dense", hits)).toEqual({ a: 1, b: undefined });
  });
});

describe("a failed search", () => {
  it("ranks by keywords without vectors", () => {
    const hits = rank([alone("a", { bm25: 1 }), alone("b", { bm25: 2 })], {
      query: "disk",
      statistics: { disk: { idf: 2 } },
    });
    expect(hits.map(({ id }) => id)).toEqual(["b", "a"]);
    expect(strengthsOf("bm25", hits)).toEqual({ a: 0.5, b: 1 });
    expect(strengthsOf("dense", hits)).toEqual({ a: undefined, b: undefined });
  });

  it("still uses title, name and proximity without the keyword search", () => {
    const hits = rank(
      [
        alone("near", { title: "Node down", body: "The node is down", distance: 0.1 }),
        alone("meant", { title: "Disk full", body: "The disk is full", distance: 0.2 }),
      ],
      { query: "disk full" },
    );
    expect(hits.map(({ id }) => id)).toEqual(["meant", "near"]);
    expect(Object.keys(hits[1]?.contributions ?? {})).toEqual(["dense"]);
    expect(Object.keys(hits[0]?.contributions ?? {})).toEqual(["title", "name", "proximity"]);
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
    expect(strengthsOf("document", hit ? [hit] : [])).toEqual({ "t.md#3": 1 });
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
    expect(strengthsOf("dense", hits)).toEqual({ a: undefined, b: 1 });
    expect(strengthsOf("type", hits)).toEqual({ a: undefined, b: 1 });
    expect(hits.map(({ id }) => id)).toEqual(["b", "a"]);
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
