import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { withoutQuotedSentences } from "../../../../lib/text/quoted-sentences.ts";

const RUNBOOK =
  "The kernel kills a container that goes over its memory limit. Raise the limit of the container with docker update.\n\nLook at the events first.";

describe("withoutQuotedSentences", () => {
  it("keeps everything without sources", () => {
    expect(withoutQuotedSentences("The limit is 512 MiB. It leaks.", [])).toBe("The limit is 512 MiB. It leaks.");
  });

  it("keeps a new sentence between two repeated ones", () => {
    const text =
      "The kernel kills a container that goes over its memory limit. Here the new cache took 600 MiB. Raise the limit of the container with docker update.";
    expect(withoutQuotedSentences(text, [RUNBOOK])).toBe("Here the new cache took 600 MiB.");
  });

  it("removes a text that only repeats", () => {
    expect(withoutQuotedSentences("The kernel kills a container that goes over its memory limit.", [RUNBOOK])).toBe("");
  });

  it("removes a repeated sentence with other capitals and punctuation", () => {
    expect(
      withoutQuotedSentences("- THE KERNEL kills a container (that goes) over its `memory` limit!", [RUNBOOK]),
    ).toBe("");
  });

  it("removes a sentence that mostly repeats", () => {
    expect(withoutQuotedSentences("So the kernel kills a container that goes over its memory limit.", [RUNBOOK])).toBe(
      "",
    );
  });

  it("keeps a sentence that partly repeats", () => {
    const text = "The kernel kills a container whenever some other process on this host takes all the memory.";
    expect(withoutQuotedSentences(text, [RUNBOOK])).toBe(text);
  });

  it("compares n-grams of five words and removes a sentence when three in five are repeated", () => {
    const source = "one two three four five six seven";
    // Five n-grams: first three of them are repeated, then two.
    expect(withoutQuotedSentences("one two three four five six seven eight nine", [source])).toBe("");
    expect(withoutQuotedSentences("one two three four five six other eight nine", [source])).not.toBe("");
  });

  it("removes a sentence that two sources cover together", () => {
    const halves = ["one two three four five six", "three four five six seven eight"];
    expect(withoutQuotedSentences("one two three four five six seven eight", halves)).toBe("");
  });

  it("keeps every sentence of fewer than eight words", () => {
    expect(withoutQuotedSentences("Look at the events first.", [RUNBOOK])).toBe("Look at the events first.");
    const seven = "one two three four five six seven";
    expect(withoutQuotedSentences(seven, [`${seven} eight`])).toBe(seven);
    expect(withoutQuotedSentences(`${seven} eight`, [`${seven} eight`])).toBe("");
  });

  it("keeps line breaks and drops emptied lines", () => {
    const repeated = "Raise the limit of the container with docker update.";
    const text = `It leaks since the release.\n\n${repeated}\n- ${repeated} The cache grew.`;
    expect(withoutQuotedSentences(text, [RUNBOOK])).toBe("It leaks since the release.\nThe cache grew.");
  });

  it.each(["", " ", "\n\n", "...", "- \n- "])("returns nothing for a text without words: %j", (text) => {
    expect(withoutQuotedSentences(text, [])).toBe("");
    expect(withoutQuotedSentences(text, [RUNBOOK])).toBe("");
  });

  it.each([[[""]], [[" \n"]], [["..."]]])("keeps everything for sources without words: %j", (sources) => {
    expect(withoutQuotedSentences("It leaks. Slowly.", sources)).toBe("It leaks. Slowly.");
  });

  it("works in any script", () => {
    const source = "Контейнер был убит ядром из-за нехватки памяти на узле.";
    expect(withoutQuotedSentences(`${source} Помог перезапуск.`, [source])).toBe("Помог перезапуск.");
  });
});

describe("any text", () => {
  const word = fc.constantFrom("the", "kernel", "kills", "a", "container", "limit", "137", "ядро", "-", "…");
  const sentence = fc
    .tuple(fc.array(word, { maxLength: 12 }), fc.constantFrom(".", "!", "?", "", ":"))
    .map(([words, end]) => words.join(" ") + end);
  const anyText = fc.oneof(
    fc
      .array(fc.tuple(sentence, fc.constantFrom(" ", "  ", "\n", "\n\n")), { maxLength: 8 })
      .map((parts) => parts.flat().join("")),
    fc.string({ unit: "grapheme", maxLength: 60 }),
  );
  const wordsOf = (text: string) => text.match(/[\p{L}\p{N}]+/gu) ?? [];

  it("never gets longer and has no new words", () => {
    fc.assert(
      fc.property(anyText, fc.array(anyText, { maxLength: 3 }), (text, sources) => {
        const own = withoutQuotedSentences(text, sources);
        expect(own.length).toBeLessThanOrEqual(text.length);
        let at = 0;
        for (const each of wordsOf(own)) {
          at = text.indexOf(each, at);
          expect(at).toBeGreaterThanOrEqual(0);
          at += each.length;
        }
      }),
    );
  });

  it("loses only whitespace and lines without words when there are no sources", () => {
    const withoutSpace = (text: string) => text.replace(/\s+/g, "");
    fc.assert(
      fc.property(anyText, (text) => {
        const lines = text.split("\n").filter((line) => wordsOf(line).length > 0);
        expect(withoutSpace(withoutQuotedSentences(text, []))).toBe(withoutSpace(lines.join("\n")));
      }),
    );
  });

  it("keeps only short sentences when compared with itself, and is idempotent", () => {
    fc.assert(
      fc.property(anyText, fc.array(anyText, { maxLength: 3 }), (text, sources) => {
        const short = withoutQuotedSentences(text, [text]).split(/\n|(?<=[.!?])\s/);
        for (const sentence of short) expect(wordsOf(sentence).length).toBeLessThan(8);
        const own = withoutQuotedSentences(text, sources);
        expect(withoutQuotedSentences(own, sources)).toBe(own);
      }),
    );
  });

  it.each([
    ["words without an end", "word ".repeat(20_000)],
    ["short sentences", "Of it. ".repeat(14_000)],
    ["one word", "a".repeat(100_000)],
    ["spaces", " ".repeat(100_000)],
    ["full stops", ".".repeat(100_000)],
    ["full stops with spaces", ". ".repeat(50_000)],
    ["line ends", "\n".repeat(100_000)],
    [
      "sentences that differ",
      Array.from({ length: 3_000 }, (_, i) => `The pod number ${i} is down yet again.`).join(" "),
    ],
  ])("handles 100 kB of %s", (_case, text) => {
    expect(withoutQuotedSentences(text, [text]).length).toBeLessThanOrEqual(text.length);
  });
});
