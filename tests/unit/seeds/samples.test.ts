import { expect, it } from "vitest";
import { checkRunbookFolder } from "../../../cli/check-runbooks.ts";
import { readDomainFolders } from "../../../cli/runbook-files.ts";
import { SAMPLE_TEXTS } from "../../../cli/seed-samples.ts";
import { redact } from "../../../lib/redaction/redact.ts";

it("the samples pass the check of folders", async () => {
  expect((await checkRunbookFolder(SAMPLE_TEXTS)).problems).toEqual([]);
});

it("the samples have at least three texts of each kind, dated, and nothing to redact", async () => {
  const documents = (await readDomainFolders(SAMPLE_TEXTS)).flatMap((domain) => domain.documents ?? []);
  for (const kind of ["note", "log", "postmortem"])
    expect(documents.filter((each) => each.kind === kind).length, kind).toBeGreaterThanOrEqual(3);
  for (const { source, markdown, date } of documents) {
    expect(date, source).toBeDefined();
    expect(redact(markdown).text, source).toBe(markdown);
  }
});
