import { describe, expect, it } from "vitest";
import { splitFrontMatter } from "../../../../lib/markdown/front-matter.ts";

const BODY = "# Title\n\nText.\n";

describe("front matter", () => {
  it.each([
    ["a list on one line", "tags: [disk, \"full\", 'node']"],
    ["a list without brackets", "tags: disk, full, node"],
    ["a list below", "tags:\n  - disk\n  - full\n- node"],
    ["a list over several lines, with comments", "tags: [ # by team\n  disk, 'full',\n  # host\n  \"node\"\n]"],
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
    ["title: >-\n  Disk: full\n  on node\ntags: [disk]", "Disk: full on node"],
    ["title: Disk is full\n  on node\nsidebar-label: Disk", "Disk is full on node"],
    ["title: 'Disk: it''s full' # again", "Disk: it's full"],
    ['title: "Disk \\"a\\" is full"', 'Disk "a" is full'],
    ["menu:\n  main:\n    title: Menu\n# title: Old\ntitle: Disk #3 # note", "Disk #3"],
  ])("reads the title of %j", (fields, title) => {
    expect(splitFrontMatter(`---\n${fields}\n---\nText.`).markdown).toBe(`# ${title}\nText.`);
  });

  it("reads no field of a table of TOML", () => {
    const text = "+++\ntitle = 'Disk'\n[menu.main]\ntitle = 'Menu'\n+++\nText.";
    expect(splitFrontMatter(text).markdown).toBe("# Disk\nText.");
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
