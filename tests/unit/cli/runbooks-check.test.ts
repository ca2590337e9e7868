import { describe, expect, it } from "vitest";
import { describeTopics } from "../../../cli/commands/runbooks/runbooks-check.ts";
import { readTextTopics } from "../../../functions/knowledge/runbook-text/text-topics.ts";

const read = (file: string, text: string) => ({ file, ...readTextTopics(text, file) });

const ONE = read("one.md", "# Queue lags\n\n## Symptoms\n\n- Lag.\n\n## Fix\n\n1. Wait.\n");
const PLAIN = read("plain.md", "# Queue \u001b[31mlags\n\nIt lags.\n");
const SEVERAL = read(
  "several.md",
  "# Storage\n\n## Prerequisites\n\nRoot.\n\n## Disk full\n\n### Fix\n\n1. Wait.\n\n## Port in use\n\nStop it.\n",
);

describe("the failures that runbooks describe", () => {
  it("are one line for one runbook about one failure", () => {
    expect(describeTopics([ONE])).toEqual(["One failure: Queue lags (symptoms, mitigate; missing: causes, confirm)"]);
    expect(describeTopics([PLAIN])).toEqual([
      "One failure: Queue  [31mlags (no sections with a role: its instructions are the steps)",
    ]);
  });

  it("are listed where there are several", () => {
    expect(describeTopics([SEVERAL])).toEqual([
      "several.md: Several failures: 2 topics",
      "  line 7: Disk full #disk-full (mitigate; missing: symptoms, causes, confirm)",
      "  line 13: Port in use #port-in-use (no sections with a role: its instructions are the steps)",
      '  Overview only: "Prerequisites" (line 3)',
    ]);
  });

  it("are counted for the other runbooks of a folder", () => {
    expect(describeTopics([ONE, SEVERAL]).at(-1)).toBe("One failure in 1 runbook.");
    expect(describeTopics([ONE, PLAIN])).toEqual(["One failure in each of 2 runbooks."]);
    expect(describeTopics([read("empty.md", "")])).toEqual([]);
  });
});
