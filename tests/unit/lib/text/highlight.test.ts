import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countOccurrences, highlight, termShare } from "../../../../lib/text/highlight.ts";

const FILLER = "Nothing of interest stands here, and there is a lot of it to read before anything comes. ".repeat(6);

describe("highlight", () => {
  it("shows the query's words in any form with the same term", () => {
    expect(highlight("The pods are in CrashLoopBackOff again.", { query: "crash loop of a pod" })).toEqual([
      "The pods are in CrashLoopBackOff again.",
    ]);
  });

  it("shows exact matches of the keyword", () => {
    const [fragment] = highlight(`${FILLER}the code is ERR_CONN_RESET.${FILLER}`, { keyword: "CONN_RES" });
    expect(fragment).toContain("ERR_CONN_RESET");
    expect(fragment).toMatch(/^… .* …$/);
    expect(highlight("err_conn_reset", { keyword: "CONN" })).toEqual([]);
  });

  it("prefers windows with the most distinct terms and keeps the order of the text", () => {
    const text = `disk ${FILLER} disk full on node ${FILLER} node`;
    const fragments = highlight(text, { query: "disk full node" });
    expect(fragments).toHaveLength(3);
    expect(fragments[1]).toContain("disk full on node");
  });

  it("returns nothing without a match", () => {
    expect(highlight(FILLER, { query: "postgres deadlock" })).toEqual([]);
    expect(highlight(FILLER, {})).toEqual([]);
    expect(highlight("", { query: "x", keyword: "x" })).toEqual([]);
  });

  it("returns at most three fragments of about 160 characters, cut at whitespace, for any text", () => {
    const word = fc.constantFrom("disk", "full", "node", "pod", "😀", "a-b_c", "\n", "xyz");
    const text = fc.array(word, { maxLength: 300 }).map((words) => words.join(" "));
    fc.assert(
      fc.property(text, fc.constantFrom("disk full", "node", "a-b_c"), (body, query) => {
        const fragments = highlight(body, { query, keyword: "pod" });
        expect(fragments.length).toBeLessThanOrEqual(3);
        const flat = body.replace(/\s+/g, " ").trim();
        for (const fragment of fragments) {
          const bare = fragment.replace(/^… /, "").replace(/ …$/, "");
          expect(flat).toContain(bare);
          expect(bare.length).toBeLessThanOrEqual(161);
          expect(bare.isWellFormed()).toBe(true);
        }
      }),
    );
  });
});

describe("score parts", () => {
  it("count a keyword and the share of matched terms", () => {
    expect(countOccurrences("aaaa", "aa")).toBe(2);
    expect(countOccurrences("a", "")).toBe(0);
    expect(termShare("the disk is full", "disk full node")).toBeCloseTo(2 / 3, 9);
    expect(termShare("x", "the of")).toBe(0);
  });
});
