import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createHintIndex, wordsOf } from "../../../../functions/knowledge/domains/hint-index.ts";
import { MAX_PATTERN_LINE } from "../../../../functions/knowledge/domains/hint-pattern.ts";

type Hints =
  NonNullable<Parameters<typeof createHintIndex>[0]> extends Iterable<readonly [string, infer H]> ? H : never;

const indexOf = (hints: Readonly<Record<string, Hints>>) => createHintIndex(Object.entries(hints));
const matchesOf = (hints: Hints, text: string) => indexOf({ it: hints })(text).get("it");

describe("words", () => {
  const redis: Hints = [{ words: ["redis", "redis-cli", "out of memory"], weight: 3 }];

  it.each(["redis", "Redis is down", "the REDIS server", "job=redis,x", "redis-server", "redis\n"])(
    "are found in %j",
    (text) => {
      expect(matchesOf(redis, text)).toBeDefined();
    },
  );

  it.each(["redistribute", "credis", "redis2", "", "out of\nmemory", "memory out of"])(
    "are not found in %j",
    (text) => {
      expect(matchesOf(redis, text)).toBeUndefined();
    },
  );

  it.each(["out of memory", "Out  of\tMemory", "out-of-memory", "out_of_memory"])(
    "of a phrase may be separated as in %j",
    (text) => {
      expect(matchesOf(redis, text)?.matches).toEqual([text]);
    },
  );

  it("are compared as they are, in any script", () => {
    expect(matchesOf([{ words: ["größe"], weight: 3 }], "Die GRÖSSE, die Größe")?.matches).toEqual(["Größe"]);
    expect(matchesOf([{ words: ["数据库"], weight: 3 }], "数据库 停止")?.matches).toEqual(["数据库"]);
  });

  it("of one hint count once", () => {
    expect(matchesOf(redis, "redis redis-cli redis: out of memory")).toEqual({
      weight: 3,
      heaviest: 3,
      matches: ["redis"],
    });
  });

  it("of several hints are added up, and the heaviest is kept", () => {
    const hints: Hints = [
      { words: ["queue"], weight: 1 },
      { words: ["broker"], weight: 2 },
      { words: ["topic"], weight: 1 },
    ];
    expect(matchesOf(hints, "the broker and its queue")).toEqual({
      weight: 3,
      heaviest: 2,
      matches: ["broker", "queue"],
    });
  });

  it("of several domains are counted apart", () => {
    const index = indexOf({ a: [{ words: ["one", "two"], weight: 2 }], b: [{ words: ["two"], weight: 1 }] });
    expect([...index("two").keys()]).toEqual(["a", "b"]);
    expect([...index("one").keys()]).toEqual(["a"]);
    expect(index("three").size).toBe(0);
  });
});

describe("patterns", () => {
  it("are alternatives to the words of their hint", () => {
    const hints: Hints = [{ words: ["deadlock"], pattern: String.raw`\b40P01\b`, weight: 3 }];
    expect(matchesOf(hints, "error 40p01")).toEqual({ weight: 3, heaviest: 3, matches: ["40p01"] });
    expect(matchesOf(hints, "deadlock, 40P01")).toEqual({ weight: 3, heaviest: 3, matches: ["deadlock"] });
  });

  it("read the beginning of each line only", () => {
    const hints: Hints = [{ pattern: "needle", weight: 3 }];
    const long = "x".repeat(MAX_PATTERN_LINE);
    expect(matchesOf(hints, `${long}needle`)).toBeUndefined();
    expect(matchesOf(hints, `${long}\nneedle`)).toBeDefined();
  });

  it("give the same result for the same text", () => {
    const index = indexOf({ it: [{ pattern: "a+", weight: 2 }] });
    expect(index("aaa")).toEqual(index("aaa"));
  });
});

describe("a match", () => {
  const unit = fc.oneof({ weight: 5, arbitrary: fc.constantFrom("🐳", "𝒳") }, fc.constantFrom("é", "a", " ", "_"));
  const text = fc.oneof(fc.string({ unit }), fc.string({ unit: "grapheme" }), fc.string({ unit: "binary" }));

  it("is shown with at most 60 code points, and no half of a surrogate pair", () => {
    fc.assert(
      fc.property(text, (line) => {
        const { matches = [] } = matchesOf([{ pattern: String.raw`\S[^\n]{0,200}`, weight: 1 }], line) ?? {};
        for (const match of matches) {
          expect([...match].length).toBeLessThanOrEqual(60);
          expect(match.isWellFormed() || !line.isWellFormed()).toBe(true);
        }
      }),
    );
  });

  it("does not depend on the case of the text", () => {
    const words = fc.constantFrom("disk", "full", "Redis", "OUT", "of", "memory", "-", "\n", " ");
    const texts = fc.array(words, { maxLength: 12 }).map((parts) => parts.join(" "));
    const hints: Hints = [{ words: ["disk full", "redis", "out of memory"], weight: 2 }];
    fc.assert(
      fc.property(texts, (line) => {
        expect(matchesOf(hints, line.toUpperCase())?.weight).toBe(matchesOf(hints, line.toLowerCase())?.weight);
      }),
    );
  });

  it("needs every word of the phrase in the text", () => {
    const word = fc.stringMatching(/^[a-c]{1,2}$/);
    const phrase = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(" "));
    const line = fc.array(word, { maxLength: 8 }).map((words) => words.join(" "));
    fc.assert(
      fc.property(phrase, line, (wanted, report) => {
        const isMatch = matchesOf([{ words: [wanted], weight: 3 }], report) !== undefined;
        expect(isMatch).toBe(` ${report} `.includes(` ${wanted} `));
      }),
    );
  });
});

describe("wordsOf", () => {
  it("returns the words in lower case, without signs", () => {
    expect(wordsOf("kube-state-metrics: Größe=42")).toEqual(["kube", "state", "metrics", "größe", "42"]);
    expect(wordsOf(" -- ")).toEqual([]);
  });
});
