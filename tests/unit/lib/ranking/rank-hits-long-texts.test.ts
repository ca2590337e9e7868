import { describe, expect, it } from "vitest";
import {
  FEATURE_WEIGHTS,
  type RankableHit,
  type RankingFeature,
  rankHits,
  type WholeText,
} from "../../../../lib/ranking/rank-hits.ts";

function chunk(source: string, chunkIndex: number, its: Partial<RankableHit> = {}): RankableHit {
  const empty = { title: "", headingPath: [], body: "", isSameType: false, domainPreference: 0 };
  const topic = { key: source, title: null };
  return { id: `${source}#${chunkIndex}`, source, topic, chunkIndex, ...empty, ...its };
}

function longText(key: string, passages: WholeText["passages"]): WholeText {
  return { key, isLong: true, passages };
}

function rank(candidates: readonly RankableHit[], query: string, sources: readonly WholeText[]) {
  return rankHits(candidates, { query, sources, statistics: {}, corrections: {} });
}

/** The strength of one feature for each hit, 0 to 1, by id. */
function strengthsOf(feature: RankingFeature, hits: ReturnType<typeof rankHits>): Record<string, number | undefined> {
  return Object.fromEntries(
    hits.map(({ id, contributions }) => [
      id,
      contributions[feature] && contributions[feature].value / FEATURE_WEIGHTS[feature],
    ]),
  );
}

describe("the sections of a long text", () => {
  const passages = [
    { first: 0, last: 6, length: 100, frequencies: { node: 2 } },
    { first: 20, last: 26, length: 100, frequencies: { disk: 2, full: 2 } },
  ];
  const nodes = chunk("all.md", 3, { title: "All", headingPath: ["NodeDown", "Meaning"], body: "The node is down" });
  const disks = chunk("all.md", 23, { title: "All", headingPath: ["DiskIsFull", "Fix"], body: "The disk is full" });
  const sources = [longText("all.md", passages)];

  it("get the BM25 of their own passage", () => {
    const hits = rank([nodes, disks], "disk full", sources);
    expect(strengthsOf("document", hits)).toEqual({ "all.md#23": 1, "all.md#3": undefined });
  });

  it("get the best of several passages that hold them, and nothing outside all passages", () => {
    const more = [...passages, { first: 22, last: 28, length: 100, frequencies: { disk: 4, full: 4 } }];
    const others = [26, 27, 40].map((place) => chunk("all.md", place));
    const values = strengthsOf("document", rank([disks, ...others], "disk", [longText("all.md", more)]));
    expect(values["all.md#26"]).toBe(1);
    expect(values["all.md#23"]).toBe(1);
    expect(values["all.md#27"]).toBe(1);
    expect(values["all.md#40"]).toBeUndefined();
  });

  it("count as much as a short text with the same words", () => {
    const passage = { first: 0, last: 6, length: 100, frequencies: { disk: 2, full: 2 } };
    const short: WholeText = { key: "disk.md", isLong: false, passages: [passage] };
    const hits = rank([nodes, disks, chunk("disk.md", 1)], "disk full", [...sources, short]);
    expect(strengthsOf("document", hits)).toEqual({
      "all.md#23": 1,
      "all.md#3": undefined,
      "disk.md#1": 1,
    });
  });

  it("have headings for a title", () => {
    const hits = rank([nodes, disks], "disk is full", sources);
    expect(strengthsOf("title", hits)["all.md#23"]).toBeGreaterThan(0.5);
    expect(strengthsOf("title", hits)["all.md#3"]).toBeUndefined();
  });

  it("are named by a heading that the query contains", () => {
    const hits = rank([nodes, disks], "alert DiskIsFull on db-3", sources);
    expect(strengthsOf("name", hits)).toEqual({ "all.md#23": 1, "all.md#3": undefined });
  });

  describe("are named by an alert name in their text", () => {
    const inText = (body: string) => chunk("all.md", 23, { title: "All", headingPath: ["Procedure 7"], body });
    const nameOf = (body: string, query: string, rivals: readonly RankableHit[] = []) =>
      strengthsOf("name", rank([inText(body), ...rivals], query, sources))["all.md#23"];

    it("if the name has three words or more and stands alone", () => {
      expect(nameOf("Alert: `NodeDiskFull`.", "NodeDiskFull: db-3")).toBe(1);
      expect(nameOf("Alert: node_disk_full", "node_disk_full")).toBe(1);
      expect(nameOf("Alert: NodeDiskFullSoon", "NodeDiskFull: db-3")).toBeUndefined();
      expect(nameOf("In kube-system", "pods of kube-system")).toBeUndefined();
    });

    it("unless a title or a heading has the name", () => {
      const named = chunk("disk.md", 0, { title: "NodeDiskFull" });
      expect(nameOf("See also NodeDiskFull.", "NodeDiskFull", [named])).toBeUndefined();
    });

    it("if it is among the first eight identifiers of the query", () => {
      const others = (count: number) => Array.from({ length: count }, (_, i) => `OtherAlertName${i}`).join(" ");
      expect(nameOf("Alert: NodeDiskFull", `${others(7)} NodeDiskFull`)).toBe(1);
      expect(nameOf("Alert: NodeDiskFull", `${others(8)} NodeDiskFull`)).toBeUndefined();
    });
  });

  it("count in long texts only", () => {
    const hits = rank([nodes, disks], "alert DiskIsFull", [{ key: "all.md", isLong: false, passages: [] }]);
    for (const feature of ["title", "name"] as const)
      expect(strengthsOf(feature, hits)).toEqual({ "all.md#23": undefined, "all.md#3": undefined });
  });
});
