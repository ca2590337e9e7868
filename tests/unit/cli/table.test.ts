import { describe, expect, it } from "vitest";
import { renderTable, withMoreRows } from "../../../cli/table.ts";

const HEADER = ["source", "title", "status", "fixed by"];
const LONG = "word ".repeat(60).trim();
const ROWS = [["payments/a-runbook-with-quite-a-long-name.md", LONG, "triaged", LONG]];
const NEEDED = { color: false, whole: ["source"], optional: ["fixed by", "status"] };

describe("a table", () => {
  it.each([200, 120, 80, 60])(
    "is not wider than a terminal of %i columns, and keeps what other commands need",
    (width) => {
      const lines = renderTable(HEADER, ROWS, { ...NEEDED, width }).split("\n");
      for (const line of lines) expect(line.length).toBeLessThanOrEqual(width);
      expect(lines[1]).toContain(ROWS[0]?.[0]);
    },
  );

  it("leaves out the optional columns of a narrow terminal, one after the other", () => {
    const header = (width: number) =>
      renderTable(HEADER, ROWS, { ...NEEDED, width })
        .split("\n")[0]
        ?.split(/ {2,}/);
    expect(header(120)).toEqual(HEADER);
    expect(header(75)).toEqual(["source", "title", "status"]);
    expect(header(60)).toEqual(["source", "title"]);
  });

  it("cuts whole columns only where nothing else is left", () => {
    const [, row = ""] = renderTable(HEADER, ROWS, { ...NEEDED, width: 40 }).split("\n");
    expect(row.length).toBeLessThanOrEqual(40);
    expect(row).toMatch(/^payments\/a-runbook.*…/);
  });

  it("has all columns in a pipe, and cuts only long texts", () => {
    const [header, row] = renderTable(HEADER, ROWS, { ...NEEDED, width: 60, isPipe: true }).split("\n");
    expect(header?.split(/ {2,}/)).toEqual(HEADER);
    expect(row).toContain(ROWS[0]?.[0]);
    expect(row?.match(/…/g)).toHaveLength(2);
  });
});

it("a page ends with the command that prints the next one", () => {
  const nextPage = (cursor: string) => `dejavu list --limit 5 --cursor ${cursor}`;
  expect(withMoreRows("rows", "abc", nextPage)).toBe("rows\n\nmore: dejavu list --limit 5 --cursor abc");
  expect(withMoreRows("rows", null, nextPage)).toBe("rows");
});
