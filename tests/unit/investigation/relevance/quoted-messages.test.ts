import { describe, expect, it } from "vitest";
import { messageMatch, quotedMessages } from "../../../../functions/investigation/relevance/quoted-messages.ts";
import { messageTerms } from "../../../../functions/investigation/relevance/report-terms.ts";
import { tokenize } from "../../../../lib/text/tokenize.ts";
import { errorLine, sampleReport } from "./samples.ts";

const TEXT = `The process can open no more files.

- \`Too many open files\` (\`EMFILE\`): the limit of one process. See \`/proc/sys/fs/file-nr\`.

\`\`\`text
VFS: file-max limit <n> reached
cat /etc/hosts
\`\`\`
`;

function matchOf(line: string, message: string): number {
  const [weighed] = sampleReport({ title: "x", evidence: { lines: [errorLine(line, 0.8)], state: null } }).lines;
  if (weighed === undefined) throw new Error("The sample has a line.");
  return messageMatch(weighed, messageTerms(tokenize(message)));
}

describe("the messages that a text quotes", () => {
  it("are those in backticks and in blocks that mean a failure, without placeholders", () => {
    expect(quotedMessages(TEXT)).toEqual(["Too many open files", "VFS: file-max limit reached"]);
  });
});

describe("a message in an error line", () => {
  const MESSAGE = "Too many open files";

  it("is the same one behind a program's own words", () => {
    const alone = matchOf(MESSAGE, MESSAGE);
    expect(alone).toBeGreaterThan(0);
    expect(matchOf(`ldap: cannot accept connection: ${MESSAGE}`, MESSAGE)).toBeCloseTo(alone, 10);
  });

  it("counts less in part, more the more it says, and not as scattered words", () => {
    const long = "Too many open files in the table of the whole system";
    expect(matchOf("too many open connections", MESSAGE)).toBeLessThan(matchOf(MESSAGE, MESSAGE));
    expect(matchOf(long, long)).toBeGreaterThan(matchOf(long, MESSAGE));
    expect(matchOf("files that are open: many, too", MESSAGE)).toBe(0);
    expect(matchOf("permission denied", MESSAGE)).toBe(0);
  });

  it("is the same one with other numbers", () => {
    expect(matchOf("limit 7000 reached for node", "limit 12 reached for node")).toBe(
      matchOf("limit 12 reached for node", "limit 12 reached for node"),
    );
  });
});
