// Lists of jobs, webhooks and scopes on the pages, compared with the code.

import { describe, expect, it } from "vitest";
import { SCOPES } from "../../../functions/access/caller.ts";
import { ALERT_SOURCES } from "../../../functions/incidents/webhooks/index.ts";
import { JOB_NAMES } from "../../../functions/jobs/schedule.ts";
import { readPage } from "../../support/markdown-pages.ts";

describe("the guides", () => {
  it("list each job", () => {
    expect(firstCells("docs/guides/memory.md", "## Jobs")).toEqual(JOB_NAMES);
  });

  it("list each scope of a token", () => {
    expect(firstCells("docs/guides/tokens.md", "| scope |").toSorted()).toEqual(SCOPES.toSorted());
  });

  it.each(ALERT_SOURCES)("describe the webhook of %s", (source) => {
    expect(readPage("docs/guides/alerts.md").text).toContain(`| \`POST /v1/alerts/${source}\` |`);
  });
});

/** The first cells of the table that follows a text, without backticks. */
function firstCells(path: string, before: string): string[] {
  const { text } = readPage(path);
  const [table = ""] = text.slice(text.indexOf(before)).match(/(?:^\| `.*\n)+/m) ?? [];
  return [...table.matchAll(/^\| `([^`]+)` \|/gm)].map(([, cell = ""]) => cell);
}
