import { describe, expect, it } from "vitest";
import { chunkMarkdown, chunkText } from "../../../../lib/markdown/chunk-markdown.ts";
import { bytesOf, weightOf } from "../../../../lib/text/text-weight.ts";

/** Large enough for each section of most tests. */
const WIDE = { size: 400, overlap: 50 };

function words(count: number, from = 1): string {
  return Array.from({ length: count }, (_, i) => `w${from + i}`).join(" ");
}

function bodies(markdown: string, options: { size: number; overlap: number }): string[] {
  return chunkMarkdown(markdown, "fallback", options).map((chunk) => chunk.body);
}

/** The bodies with single spaces between their words, to compare split blocks. */
function bodiesWithSingleSpaces(markdown: string, options: { size: number; overlap: number }): string[] {
  return bodies(markdown, options).map((body) => body.split(/\s+/).join(" "));
}

describe("headings", () => {
  it("has no chunk for a part without a text, and one for a heading that says something", () => {
    expect(chunkMarkdown("# T\n\n## Mitigation\n\n## Restart the server\n", "f", WIDE)).toMatchObject([
      { headingPath: ["Restart the server"], body: "Restart the server" },
    ]);
  });

  it("splits at headings first, even for short sections", () => {
    const chunks = chunkMarkdown("# Title\n\nIntro.\n\n## One\n\nFirst.\n\n## Two\n\nSecond.\n", "fallback", WIDE);
    expect(chunks).toEqual([
      { index: 0, title: "Title", headingPath: [], body: "Intro." },
      { index: 1, title: "Title", headingPath: ["One"], body: "First." },
      { index: 2, title: "Title", headingPath: ["Two"], body: "Second." },
    ]);
  });

  it("gives each chunk the headings above it, outermost first", () => {
    const chunks = chunkMarkdown("# T\n\n## A\n\na\n\n### B\n\nb\n\n#### C\n\nc\n\n### D\n\nd\n\n## E\n\ne", "f", WIDE);
    expect(chunks.map((chunk) => [chunk.body, chunk.headingPath])).toEqual([
      ["a", ["A"]],
      ["b", ["A", "B"]],
      ["c", ["A", "B", "C"]],
      ["d", ["A", "D"]],
      ["e", ["E"]],
    ]);
  });

  it("omits a skipped level from the path", () => {
    const chunks = chunkMarkdown("# T\n\n## A\n\n#### C\n\nc\n\n### B\n\nb", "f", WIDE);
    expect(chunks.map((chunk) => chunk.headingPath)).toEqual([
      ["A", "C"],
      ["A", "B"],
    ]);
  });

  it("treats a second level-1 heading as a section", () => {
    const chunks = chunkMarkdown("# First\n\na\n\n# Second\n\nb", "f", WIDE);
    expect(chunks.map((chunk) => [chunk.title, chunk.headingPath])).toEqual([
      ["First", []],
      ["First", ["Second"]],
    ]);
  });

  it("gives the title to text above the first heading too", () => {
    expect(chunkMarkdown("Preface.\n\n# Title\n\nText.", "f", WIDE).map((chunk) => chunk.title)).toEqual([
      "Title",
      "Title",
    ]);
  });

  it("uses the fallback title without a level-1 heading", () => {
    expect(chunkMarkdown("Just text.", "host-disk-full", WIDE)).toEqual([
      { index: 0, title: "host-disk-full", headingPath: [], body: "Just text." },
    ]);
    expect(chunkMarkdown("## Only two\n\nText.", "fallback", WIDE)[0]?.title).toBe("fallback");
  });

  it("drops closing number signs and spaces around a heading", () => {
    expect(chunkMarkdown("#   Title  ##\n\n## A  #  \n\na", "f", WIDE)).toEqual([
      { index: 0, title: "Title", headingPath: ["A"], body: "a" },
    ]);
  });

  it("does not treat a tag or a seventh level as a heading", () => {
    expect(bodies("#tag\n\n####### seven", WIDE)).toEqual(["#tag\n\n####### seven"]);
  });

  it.each(["", " \n\n\t\n", "## \n", "# \n\n## #\n"])("returns no chunk for %j", (markdown) => {
    expect(chunkMarkdown(markdown, "f", WIDE)).toEqual([]);
  });

  it("keeps a heading with nothing below it", () => {
    const cause = "Root cause: the wildcard certificate had expired";
    const chunks = chunkMarkdown(
      `# Down\n\n## ${cause}\n\n## Fix\n\n### Renew it\n\n#### Now\n\n### Notify`,
      "f",
      WIDE,
    );
    expect(chunks.map(({ headingPath, body }) => [headingPath, body])).toEqual([
      [[cause], cause],
      [["Fix", "Renew it", "Now"], "Now"],
      [["Fix", "Notify"], "Notify"],
    ]);
    expect(chunkMarkdown("# The certificate had expired\n", "f", WIDE)).toMatchObject([
      { title: "The certificate had expired", headingPath: [], body: "The certificate had expired" },
    ]);
  });

  it("shortens a long heading and keeps its full text once", () => {
    const long = `${"very ".repeat(60)}long`;
    const chunks = chunkMarkdown(`# ${long}\n\na\n\n## ${long}\n\n- b\n- c\n`, "f", { size: 80, overlap: 0 });
    expect(chunks.map(({ body }) => body)).toEqual([`${long}\n\na`, `${long}\n\n- b\n\n- c`]);
    for (const { title, headingPath } of chunks)
      for (const heading of [title, ...headingPath]) {
        expect(heading).toHaveLength(200);
        expect(heading.endsWith("…")).toBe(true);
      }
  });

  it("keeps the inner headings of a path that is too long", () => {
    const [a, b, c] = ["a", "b", "c"].map((letter) => letter.repeat(150));
    const [chunk] = chunkMarkdown(`## ${a}\n\n### ${b}\n\n#### ${c}\n\ntext`, "f", WIDE);
    expect(chunk?.headingPath).toEqual([b, c]);
  });

  it("accepts Windows line ends", () => {
    const markdown = "# T\n\nIntro.\n\n## A\n\n1. Step\n\n   ```sh\n   # root\n   ls\n   ```\n";
    expect(chunkMarkdown(markdown.replaceAll("\n", "\r\n"), "f", WIDE)).toEqual(chunkMarkdown(markdown, "f", WIDE));
  });

  // Long enough to exceed the test's timeout if the time grows faster than linearly.
  it.each([
    ["heading", `# a${" ".repeat(4_000)}b\n\ntext`],
    ["paragraph", `a${" ".repeat(150_000)}b`],
  ])("handles a %s with a long run of spaces in linear time", (_block, markdown) => {
    expect(bodies(markdown, WIDE).join(" ").split(/\s+/)).toEqual(markdown.replace(/^# /, "").split(/\s+/));
  });
});

describe("code", () => {
  it("does not treat a comment in a fence as a heading", () => {
    const markdown = "# T\n\n## A\n\n```sh\n# not a heading\nls\n```\n\n~~~\n## nor this\n~~~\n\nend";
    expect(chunkMarkdown(markdown, "f", WIDE)).toEqual([
      {
        index: 0,
        title: "T",
        headingPath: ["A"],
        body: "```sh\n# not a heading\nls\n```\n\n~~~\n## nor this\n~~~\n\nend",
      },
    ]);
  });

  it("does not treat a comment in a list item's fence as a heading", () => {
    expect(bodies("1. Step\n\n   ```sh\n# comment\n   ```", WIDE)).toEqual(["1. Step\n\n   ```sh\n# comment\n   ```"]);
  });

  it("closes a fence only with the marker that opened it", () => {
    expect(bodies("````md\n```\n# inside\n```\n````\n\nout", WIDE)).toEqual([
      "````md\n```\n# inside\n```\n````\n\nout",
    ]);
    expect(bodies("```\n~~~\n# inside\n```\n\nout", WIDE)).toEqual(["```\n~~~\n# inside\n```\n\nout"]);
  });

  it("closes a fence only with a marker alone on its line", () => {
    const fence = "```md\n```sh\n# no heading\n```";
    expect(chunkMarkdown(`# T\n\n## A\n\n${fence}  \n\n## B\n\nb`, "f", WIDE)).toEqual([
      { index: 0, title: "T", headingPath: ["A"], body: fence },
      { index: 1, title: "T", headingPath: ["B"], body: "b" },
    ]);
  });

  it("keeps a fence with blank lines whole", () => {
    const fence = "```sql\nSELECT 1;\n\nSELECT 2;\n\nSELECT 3;\n```";
    expect(bodies(`one two three four\n\n${fence}`, { size: 8, overlap: 0 })).toEqual(["one two three four", fence]);
  });

  it("keeps a list item and its fence together", () => {
    const item = "2. Look\n\n   ```sh\n   ls\n   ```";
    expect(bodies(`1. First step here\n\n${item}`, { size: 6, overlap: 0 })).toEqual(["1. First step here", item]);
  });

  it("does not repeat part of a fence in the next chunk", () => {
    const markdown = `1. Look\n\n   \`\`\`sh\n   docker ps -a\n   \`\`\`\n\n2. ${words(9)}`;
    const chunks = bodies(markdown, { size: 12, overlap: 2 });
    expect(chunks).toHaveLength(2);
    for (const body of chunks) expect((body.match(/```/g) ?? []).length % 2).toBe(0);
  });

  it("treats the rest of a document as code after an unclosed fence", () => {
    expect(bodies("## A\n\n```sh\n# a\n\n## b", WIDE)).toEqual(["```sh\n# a\n\n## b"]);
  });
});

describe("size and overlap", () => {
  it("packs blocks until the size is reached", () => {
    const markdown = `${words(4)}\n\n${words(4, 5)}\n\n${words(4, 9)}`;
    expect(bodies(markdown, { size: 8, overlap: 0 })).toEqual([`${words(4)}\n\n${words(4, 5)}`, words(4, 9)]);
  });

  it("keeps a section of exactly the size in one chunk", () => {
    expect(bodies(words(10), { size: 10, overlap: 3 })).toEqual([words(10)]);
    expect(bodies(`${words(5)}\n\n${words(5, 6)}`, { size: 10, overlap: 3 })).toHaveLength(1);
  });

  it("repeats the last words of a chunk at the start of the next one", () => {
    expect(bodies(`${words(6)}\n\n${words(5, 7)}`, { size: 8, overlap: 2 })).toEqual([
      words(6),
      `w5 w6\n\n${words(5, 7)}`,
    ]);
  });

  it("repeats fewer words when the next block leaves no room", () => {
    expect(bodies(`${words(6)}\n\n${words(7, 7)}`, { size: 8, overlap: 3 })).toEqual([
      words(6),
      `w6\n\n${words(7, 7)}`,
    ]);
    expect(bodies(`${words(6)}\n\n${words(8, 7)}`, { size: 8, overlap: 3 })).toEqual([words(6), words(8, 7)]);
  });

  it("repeats nothing across headings", () => {
    expect(bodies(`## A\n\n${words(8)}\n\n## B\n\n${words(3, 9)}`, { size: 8, overlap: 3 })).toEqual([
      words(8),
      words(3, 9),
    ]);
  });

  it("splits a block that is longer than a chunk, with overlap between the pieces", () => {
    expect(bodiesWithSingleSpaces(words(17), { size: 10, overlap: 3 })).toEqual([words(10), words(10, 8)]);
    expect(bodiesWithSingleSpaces(words(24), { size: 10, overlap: 3 })).toEqual([
      words(10),
      words(10, 8),
      words(10, 15),
    ]);
  });

  it("repeats the overlap once before a short last piece of a long block", () => {
    expect(bodiesWithSingleSpaces(words(15), { size: 10, overlap: 3 })).toEqual([words(10), words(8, 8)]);
  });

  it.each([
    ["Chinese", "数据库连接失败".repeat(20_000)],
    ["base64", "QUJDREVGR0g".repeat(20_000)],
    ["minified JSON", '{"level":"error"},'.repeat(20_000)],
    ["long runs of spaces", "a          ".repeat(20_000)],
    ["long names", "https://example.com/deep/path ".repeat(5_000)],
  ])("splits %s without losing text", (_, text) => {
    const { size } = WIDE;
    for (const markdown of [text, `# ${text}\n\n## ${text}\n\n${text}`, `- ${text}`]) {
      const chunks = chunkMarkdown(markdown, "f", { size, overlap: 0 });
      for (const chunk of chunks) {
        expect(weightOf(chunk.body)).toBeLessThanOrEqual(size);
        expect(bytesOf(chunkText(chunk))).toBeLessThanOrEqual(16_000);
      }
      const joined = chunks.map(({ body }) => body).join("");
      expect(joined.replace(/\s+/g, "")).toBe(markdown.replace(/^#+ /gm, "").replace(/\s+/g, ""));
    }
  });

  it("keeps the line breaks inside a long block", () => {
    expect(bodies("a b\nc d\ne f", { size: 4, overlap: 0 })).toEqual(["a b\nc d", "e f"]);
  });
});

describe("chunkText", () => {
  it("prepends the title and the headings to the body", () => {
    expect(chunkText({ title: "Disk full", headingPath: ["Confirm", "Linux"], body: "df -h" })).toBe(
      "Disk full › Confirm › Linux\n\ndf -h",
    );
  });

  it("prepends only the title to an introduction", () => {
    expect(chunkText({ title: "Disk full", headingPath: [], body: "Urgent." })).toBe("Disk full\n\nUrgent.");
  });
});
