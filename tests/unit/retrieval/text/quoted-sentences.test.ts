import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { withoutQuotedSentences } from "../../../../functions/retrieval/text/quoted-sentences.ts";

const RUNBOOK =
  "The kernel kills a container that goes over its memory limit. Raise the limit of the container with docker update.\n\nLook at the events first.";

describe("what of a text is its own", () => {
  it("is all of it where nothing is known", () => {
    expect(withoutQuotedSentences("The limit is 512 MiB. It leaks.", [])).toBe("The limit is 512 MiB. It leaks.");
  });

  it("is the sentence that nobody said, between two that were", () => {
    const text =
      "The kernel kills a container that goes over its memory limit. Here the new cache took 600 MiB. Raise the limit of the container with docker update.";
    expect(withoutQuotedSentences(text, [RUNBOOK])).toBe("Here the new cache took 600 MiB.");
  });

  it("is nothing where it only repeats", () => {
    expect(withoutQuotedSentences("The kernel kills a container that goes over its memory limit.", [RUNBOOK])).toBe("");
  });

  it("is not a sentence in other capitals and with other signs", () => {
    expect(
      withoutQuotedSentences("- THE KERNEL kills a container (that goes) over its `memory` limit!", [RUNBOOK]),
    ).toBe("");
  });

  it("is not a sentence of which most is known", () => {
    expect(withoutQuotedSentences("So the kernel kills a container that goes over its memory limit.", [RUNBOOK])).toBe(
      "",
    );
  });

  it("is a sentence of which only a part is known", () => {
    const text = "The kernel kills a container whenever some other process on this host takes all the memory.";
    expect(withoutQuotedSentences(text, [RUNBOOK])).toBe(text);
  });

  it("is told by runs of five words, three in five of which are known", () => {
    const known = "one two three four five six seven";
    // Five runs, of which three are known, and then two.
    expect(withoutQuotedSentences("one two three four five six seven eight nine", [known])).toBe("");
    expect(withoutQuotedSentences("one two three four five six other eight nine", [known])).not.toBe("");
  });

  it("is not a sentence that two known texts say together, run by run", () => {
    const halves = ["one two three four five six", "three four five six seven eight"];
    expect(withoutQuotedSentences("one two three four five six seven eight", halves)).toBe("");
  });

  it("is any sentence of less than eight words, which names something and takes nothing over", () => {
    expect(withoutQuotedSentences("Look at the events first.", [RUNBOOK])).toBe("Look at the events first.");
    const seven = "one two three four five six seven";
    expect(withoutQuotedSentences(seven, [`${seven} eight`])).toBe(seven);
    expect(withoutQuotedSentences(`${seven} eight`, [`${seven} eight`])).toBe("");
  });

  it("keeps its lines, and loses those of which nothing is left", () => {
    const repeated = "Raise the limit of the container with docker update.";
    const text = `It leaks since the release.\n\n${repeated}\n- ${repeated} The cache grew.`;
    expect(withoutQuotedSentences(text, [RUNBOOK])).toBe("It leaks since the release.\nThe cache grew.");
  });

  it.each(["", " ", "\n\n", "...", "- \n- "])("is nothing of a text without a word: %j", (text) => {
    expect(withoutQuotedSentences(text, [])).toBe("");
    expect(withoutQuotedSentences(text, [RUNBOOK])).toBe("");
  });

  it.each([[[""]], [[" \n"]], [["..."]]])("is all of it where what is known has no word: %j", (known) => {
    expect(withoutQuotedSentences("It leaks. Slowly.", known)).toBe("It leaks. Slowly.");
  });

  it("is told in any script", () => {
    const known = "Контейнер был убит ядром из-за нехватки памяти на узле.";
    expect(withoutQuotedSentences(`${known} Помог перезапуск.`, [known])).toBe("Помог перезапуск.");
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

  it("is never longer than before, and holds no word that was not there", () => {
    fc.assert(
      fc.property(anyText, fc.array(anyText, { maxLength: 3 }), (text, known) => {
        const own = withoutQuotedSentences(text, known);
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

  it("loses nothing but spacing, and lines without a word, where nothing is known", () => {
    const withoutSpace = (text: string) => text.replace(/\s+/g, "");
    fc.assert(
      fc.property(anyText, (text) => {
        const lines = text.split("\n").filter((line) => wordsOf(line).length > 0);
        expect(withoutSpace(withoutQuotedSentences(text, []))).toBe(withoutSpace(lines.join("\n")));
      }),
    );
  });

  it("has beside itself nothing but short sentences, and what is its own stays its own", () => {
    fc.assert(
      fc.property(anyText, fc.array(anyText, { maxLength: 3 }), (text, known) => {
        const short = withoutQuotedSentences(text, [text]).split(/\n|(?<=[.!?])\s/);
        for (const sentence of short) expect(wordsOf(sentence).length).toBeLessThan(8);
        const own = withoutQuotedSentences(text, known);
        expect(withoutQuotedSentences(own, known)).toBe(own);
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
  ])("comes to an end at 100 kB of %s", (_case, text) => {
    expect(withoutQuotedSentences(text, [text]).length).toBeLessThanOrEqual(text.length);
  });
});
