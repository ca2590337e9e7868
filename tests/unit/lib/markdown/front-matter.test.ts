import { describe, expect, it } from "vitest";
import { splitFrontMatter } from "../../../../lib/markdown/front-matter.ts";

const BODY = "# Title\n\nText.\n";

describe("front matter", () => {
  it.each([
    ["a list on one line", "tags: [disk, \"full\", 'node']"],
    ["a list without brackets", "tags: disk, full, node"],
    ["a list below", "tags:\n  - disk\n  - full\n- node"],
    ["other fields around", "owner: dana\ntags: [disk, full, node]\nlinks:\n  - https://example.com"],
  ])("reads the tags of %s", (_, block) => {
    expect(splitFrontMatter(`---\n${block}\n---\n${BODY}`)).toMatchObject({
      incidentType: undefined,
      tags: ["disk", "full", "node"],
      markdown: BODY,
    });
  });

  it("reads a valid incident type", () => {
    expect(splitFrontMatter(`---\r\nincident_type: disk_full\r\n---\r\n${BODY}`)).toMatchObject({
      incidentType: "disk_full",
      markdown: BODY,
    });
    expect(splitFrontMatter(`---\nincident_type: Disk full!\n---\n${BODY}`).incidentType).toBeUndefined();
  });

  it.each([BODY, "", "---\n", "---\nno end\n", `\n---\ntags: a\n---\n${BODY}`, "a\n---\nb\n---\n"])(
    "is absent from %j",
    (text) => {
      expect(splitFrontMatter(text)).toEqual({ incidentType: undefined, tags: [], markdown: text, linesAbove: 0 });
    },
  );

  it("reads the TOML of Hugo", () => {
    expect(splitFrontMatter(`+++\nincident_type = "disk_full"\ntags = ["disk"]\n+++\n${BODY}`)).toEqual({
      incidentType: "disk_full",
      tags: ["disk"],
      markdown: BODY,
      linesAbove: 4,
    });
  });

  it.each([
    ["no heading of level 1", "## Fix\n\nText.\n", "# Disk: full\n## Fix\n\nText.\n"],
    ["several headings of level 1", "# Causes\n\na\n\n# Fix\n\nb\n", "# Disk: full\n# Causes\n\na\n\n# Fix\n\nb\n"],
    ["one", BODY, BODY],
    ["one with a line below", "Title\n=====\n\nText.\n", "Title\n=====\n\nText.\n"],
  ])("is the title of a text with %s, in the place of its last line", (_, text, markdown) => {
    const front = splitFrontMatter(`---\ntitle: "Disk: full"\n---\n${text}`);
    expect([front.markdown, front.linesAbove]).toEqual([markdown, markdown === text ? 3 : 2]);
  });
});
