import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readSlackText, withoutMention } from "../../../../functions/routes/slack/incoming-text.ts";

describe("readSlackText", () => {
  it.each([
    ["a &lt;pod&gt; &amp; b", "a <pod> & b"],
    ["&amp;lt;", "&lt;"],
    ["<https://example.com/a|example.com/a>", "example.com/a"],
    ["<https://example.com/a?b=1&amp;c=2>", "https://example.com/a?b=1&c=2"],
    ["<mailto:a@example.com|a@example.com>", "a@example.com"],
    ["<@U061F7AUR> and <@U061F7AUR|dana>", "@U061F7AUR and @dana"],
    ["<#C123|incidents> <#C123>", "#incidents #C123"],
    ["<!here> <!channel|channel> <!subteam^S1|@oncall> <!subteam^S1>", "@here @channel @oncall @subteam"],
    ["<!date^1392734382^{date}|Feb 18>", "@Feb 18"],
    ["  a\0b\ud800c ", "ab\ufffdc"],
    ["a < b > c <pod>", "a < b > c <pod>"],
  ])("reads %j as the person saw it", (raw, text) => {
    expect(readSlackText(raw)).toBe(text);
  });

  it("restores typed characters that Slack escapes", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (typed) => {
        const sent = typed.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
        expect(readSlackText(sent)).toBe(typed.replaceAll("\0", "").trim());
      }),
    );
  });
});

describe("withoutMention", () => {
  it("removes only the mention of Dejavu", () => {
    expect(withoutMention("<@U1> ask <@U2|dejavu> this", "U2")).toBe("<@U1> ask   this");
    expect(withoutMention("<@U2> <@U2> this", "U2")).toBe("  <@U2> this");
    expect(withoutMention("<@U1> this", undefined)).toBe("  this");
  });
});
