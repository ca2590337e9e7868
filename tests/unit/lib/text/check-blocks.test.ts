import { describe, expect, it } from "vitest";
import { withoutChecks } from "../../../../lib/markdown/check-blocks.ts";

const CHECK = ["```promql {check=a}", "up", "```", "- confirms: any > 0: it is up", "- else: look again"];
const indented = CHECK.map((line) => `   ${line}`);

function without(...lines: string[]): string {
  return withoutChecks(lines.join("\n"));
}

describe("withoutChecks", () => {
  it.each([
    ["between paragraphs", ["One.", "", ...CHECK, "", "Two."], "One.\n\nTwo."],
    ["at the beginning", [...CHECK, "", "Two."], "Two."],
    ["at the end", ["One.", "", ...CHECK], "One."],
    ["alone", CHECK, ""],
    ["twice", ["One.", "", ...CHECK, "", ...CHECK, "", "Two."], "One.\n\nTwo."],
    ["in a list item", ["1. One:", "", ...indented, "", "   More.", "2. Two."], "1. One:\n\n   More.\n2. Two."],
    ["directly between items", ["1. One:", ...indented, "2. Two."], "1. One:\n2. Two."],
    [
      "whose rules stand below a blank line",
      ["One.", "", ...CHECK.slice(0, 3), "", ...CHECK.slice(3), "", "Two."],
      "One.\n\nTwo.",
    ],
    ["that is not closed", ["One.", "", "```promql {check=a}", "up"], "One."],
  ])("leaves the text as if a check had never been written: %s", (_name, lines, text) => {
    expect(without(...lines)).toBe(text);
  });

  it.each([
    ["an ordinary fence", ["```promql", "up", "```", "- confirms: any > 0: x"]],
    ["braces in code", ["```sh", "echo '{check=a}'", "```"]],
    ["a quoted check", ["````md", ...CHECK, "````"]],
    ["an item like a rule", ["- else: look {check}"]],
    ["blank edges", ["", "  a {b}", "", ""]],
  ])("returns a text without checks as it is: %s", (_name, lines) => {
    expect(without(...lines)).toBe(lines.join("\n"));
  });

  it("keeps an item that follows the rules", () => {
    expect(without(...CHECK, "- Confirm with the team: it is quiet.")).toBe("- Confirm with the team: it is quiet.");
  });
});
