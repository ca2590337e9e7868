import { describe, expect, it } from "vitest";
import { readTextTopics } from "../../../functions/knowledge/runbook-text/text-topics.ts";

const FRONT_MATTER = "---\ntags: [a]\n---\n";

describe("the failures of a runbook's text", () => {
  it("are one, with the line of the title, the roles of all sections and those that are missing", () => {
    const text = `${FRONT_MATTER}# Queue lags\n\nIt lags.\n\n## Symptoms\n\n- Lag.\n\n## Fix\n\n1. Wait.\n\n## Prevent\n\n- Alert.\n`;
    expect(readTextTopics(text, "queue")).toEqual({
      title: "Queue lags",
      topics: [
        {
          headingPath: [],
          title: "",
          anchor: null,
          line: 4,
          roles: ["symptoms", "mitigate", "prevent"],
          missing: ["causes", "confirm"],
        },
      ],
      overview: [],
    });
  });

  it("have causes that are headings alone", () => {
    const text = "# Queue lags\n\n## Cause 1: No worker\n\n### Solution 1\n\n1. Start one.\n";
    expect(readTextTopics(text, "queue").topics[0]?.roles).toEqual(["causes", "mitigate"]);
  });

  it("are several, each with the line of its heading; the rest is the overview", () => {
    const text =
      `${FRONT_MATTER}# Storage\n\nContents.\n\n## Prerequisites\n\nRoot.\n\n## Disk full\n\n### Symptoms\n\n- Full.\n\n` +
      "### Fix\n\n1. Extend it.\n\n## Port in use\n\n### Fix\n\n1. Stop it.\n\n## Disk full\n\nAgain.\n\n### Fix\n\n1. Wait.\n";
    const { topics, overview } = readTextTopics(text, "storage");
    expect(topics).toEqual([
      {
        headingPath: ["Disk full"],
        title: "Disk full",
        anchor: "disk-full",
        line: 12,
        roles: ["symptoms", "mitigate"],
        missing: ["causes", "confirm"],
      },
      {
        headingPath: ["Port in use"],
        title: "Port in use",
        anchor: "port-in-use",
        line: 22,
        roles: ["mitigate"],
        missing: ["symptoms", "causes", "confirm"],
      },
      {
        headingPath: ["Disk full"],
        title: "Disk full",
        anchor: "disk-full-1",
        line: 28,
        roles: ["mitigate"],
        missing: ["symptoms", "causes", "confirm"],
      },
    ]);
    expect(overview).toEqual([
      { line: 4, heading: "" },
      { line: 8, heading: "Prerequisites" },
    ]);
  });

  it("are that of the title and further ones where the title has roles, too", () => {
    const text = "# Queue lags\n\n## Fix\n\n1. Wait.\n\n## Disk full\n\n## Fix\n\n1. Extend it.\n";
    expect(readTextTopics(text, "queue").topics.map(({ anchor, line }) => [anchor, line])).toEqual([
      [null, 1],
      ["disk-full", 7],
    ]);
  });

  it("are named without headings that only collect them", () => {
    const failure = (name: string) => `### ${name}\n\n#### Causes\n\n- A.\n\n#### Fix\n\n1. B.\n\n`;
    const text = `# Ledger\n\n## Runbooks\n\n${failure("LedgerLags")}${failure("LedgerStalled")}## Storage\n\n${failure("LedgerDiskFull")}${failure("LedgerDiskSlow")}`;
    expect(readTextTopics(text, "ledger").topics.map(({ title }) => title)).toEqual([
      "LedgerLags",
      "LedgerStalled",
      "Storage › LedgerDiskFull",
      "Storage › LedgerDiskSlow",
    ]);
  });

  it("are none without content, and one without headings", () => {
    expect(readTextTopics("", "queue")).toEqual({ title: "queue", topics: [], overview: [] });
    expect(readTextTopics("Words.", "queue").topics).toMatchObject([{ anchor: null, line: 1, roles: [] }]);
  });
});
