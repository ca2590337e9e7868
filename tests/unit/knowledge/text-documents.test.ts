import { describe, expect, it } from "vitest";
import { type NamedText, textDocuments } from "../../../functions/knowledge/text-documents.ts";
import { redact } from "../../../lib/redaction/redact.ts";

const OPTIONS = { redact, chunking: { size: 400, overlap: 50 }, now: new Date("2026-11-22T03:00:00Z") };
const SCRIPT = "# make room first\ndocker system prune -f\n# then start it again\ndocker start api\n";

function cut(text: string, changes: Partial<NamedText> = {}) {
  const { documents } = textDocuments(
    { source: "notes/1", domain: "docker", kind: "note", text, tags: [], ...changes },
    OPTIONS,
  );
  return documents.map(({ headingPath, body }) => [...headingPath, body]);
}

describe("a note", () => {
  it.each([
    ["comments alone", SCRIPT],
    ["a first line that names a shell", `#!/bin/sh\n## what it does\n${SCRIPT}`],
    ["no headings", "- one\n- two\n"],
  ])("is plain text with %s, and keeps every line", (_, text) => {
    expect(cut(text)).toEqual([[text.trimEnd()]]);
  });

  it.each([
    ["a list", "# What we saw\n\n- a\n"],
    ["a numbered list", "# What we saw\n\n1. a\n"],
    ["a fenced block", "# What we saw\n\n```\nls\n```\n"],
    ["a link", "# What we saw\n\nSee [the graph](https://example.com/g).\n"],
    ["headings of two levels", "# What we saw\n\n## Then\n\na\n"],
  ])("is Markdown with headings and %s", (_, text) => {
    expect(cut(text).flat().join("\n")).not.toContain("# ");
  });

  it("is what its name says", () => {
    expect(cut("# What we saw\n\nsmoke", { source: "notes/1.md" })).toEqual([["smoke"]]);
  });

  it.each([["[".repeat(200_000)], [`# a\n${"[x](".repeat(100_000)}`]])("is read quickly with any content", (text) => {
    expect(cut(text).length).toBeGreaterThan(0);
  });
});

describe("a postmortem", () => {
  it("is Markdown as soon as it has a heading", () => {
    expect(cut("# What we saw\n\nsmoke", { kind: "postmortem" })).toEqual([["smoke"]]);
  });
});
