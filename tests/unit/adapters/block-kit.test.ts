import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { codeBlock, header, line, list, prose } from "../../../functions/adapters/block-kit.ts";

/** Text with markup, mentions and code fences. */
const hostile = fc
  .array(
    fc.oneof(
      fc.string({ unit: "grapheme" }),
      fc.string({ unit: "binary" }),
      fc.constantFrom(
        "<!channel>",
        "<!here|here>",
        "<@U061F7AUR>",
        "<#C123|x>",
        "<https://evil.example|log in>",
        "<mailto:a@example.com>",
        "@here",
        "@channel",
        "@everyone",
        "https://evil.example",
        "```",
        "``",
        "`",
        "&",
        "&lt;!channel&gt;",
        "*_~",
        "\n",
        "😀",
        "\ud83d",
      ),
    ),
    { maxLength: 30 },
  )
  .map((parts) => parts.join(""));

describe("prose", () => {
  it.each([
    ["a & b", "a &amp; b"],
    ["<!channel> <@U061F7AUR>", "&lt;!channel&gt; &lt;@U061F7AUR&gt;"],
    ["<https://evil.example|log in>", "&lt;https://evil.example|log in&gt;"],
    ["@here @Channel @everyone @heretic", "@\u200bhere @\u200bChannel @\u200beveryone @heretic"],
    ["a ``` b ```` c", "a `\u200b`` b `\u200b`\u200b`` c"],
    ["  `docker ps`\n", "`docker ps`"],
  ])("of %j", (text, expected) => {
    expect(prose(text, 1_000)).toBe(expected);
  });

  it("never exceeds the limit, splits no character, and marks the cut", () => {
    fc.assert(
      fc.property(hostile, fc.integer({ min: 1, max: 60 }), (text, most) => {
        const shown = prose(text, most);
        expect(shown.length).toBeLessThanOrEqual(most);
        expect(shown).toMatch(/^(?:[^<>&]|&(?:amp|lt|gt);)*$/);
        expect(shown.isWellFormed()).toBe(true);
        expect(shown).not.toContain("```");
        const whole = prose(text, 100_000);
        if (shown !== whole) expect(shown.endsWith("…")).toBe(true);
      }),
    );
  });

  it("reads only the start of a huge text", () => {
    expect(prose("&".repeat(5_000_000), 100)).toBe(`${"&amp;".repeat(19)}…`);
    expect(line("a \n".repeat(1_000_000), 9)).toBe("a a a a …");
  });
});

describe("codeBlock", () => {
  it("keeps a command ready to copy", () => {
    expect(codeBlock('psql -c "select 1" < a.sql && echo `date`\n', 500)).toBe(
      '```\npsql -c "select 1" &lt; a.sql &amp;&amp; echo `date`\n```',
    );
  });

  it("cannot be ended by its content", () => {
    expect(codeBlock("a\n```\n<!channel>", 500)).toBe("```\na\n`\u200b``\n&lt;!channel&gt;\n```");
  });

  it("warns about a cut command", () => {
    const block = codeBlock("rm -rf ./cache ".repeat(100), 300);
    expect(block).toMatch(/^```\nrm [\s\S]*…\n```\n_The command is cut/);
    expect(block.length).toBeLessThanOrEqual(300);
  });

  it("never exceeds the limit, and ends once", () => {
    fc.assert(
      fc.property(hostile, fc.integer({ min: 100, max: 300 }), (command, most) => {
        const block = codeBlock(command, most);
        expect(block.length).toBeLessThanOrEqual(most);
        expect(block.split("```")).toHaveLength(3);
      }),
    );
  });
});

describe("list", () => {
  const options = { maxLength: 40, noun: "step", elsewhere: "there" };

  it("shows all items that fit, and is empty without items", () => {
    const short = Array.from({ length: 15 }, () => "a");
    expect(list("Do", short, options)).toEqual([["*Do*", ...short].join("\n")]);
    expect(list("Do", ["one", "two"], options)).toEqual(["*Do*\none\ntwo"]);
    expect(list("Do", [], options)).toEqual([]);
  });

  it("shows how many items are omitted, and where to read them", () => {
    const items = ["first step", "second step", "third and by far the longest step"];
    expect(list("Do", items, options)).toEqual(["*Do*\nfirst step\n_2 more steps: there_"]);
    expect(list("Do", items, { ...options, maxLength: 50 })).toEqual([
      "*Do*\nfirst step\nsecond step\n_1 more step: there_",
    ]);
  });
});

describe("header", () => {
  it("is cut to Slack's limit", () => {
    expect(header("x".repeat(151)).text.text).toHaveLength(150);
  });
});
