// The line numbers that an answer quotes are those of the file that was given, whichever way it came.

import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readInput } from "../../../cli/input/read-input.ts";
import { SERVICE_CALLER } from "../../../functions/access/caller.ts";
import { createIncident, type TriageRequest } from "../../../functions/incidents/create-incident.ts";
import { createGuard } from "../../../functions/incidents/guard-request.ts";
import { reportEvidence } from "../../../functions/investigation/answer/report-evidence.ts";
import { EMPTY_CATALOG } from "../../../functions/knowledge/domains/domain-catalog.ts";
import { triageRequestOf, triageRequestSchema } from "../../../functions/routes/v1/triage-request.ts";
import { fitLog } from "../../../lib/logs/fit-log.ts";
import { redact } from "../../../lib/redaction/redact.ts";

const guard = createGuard(redact);

const FAILURE = "2026-03-01T02:59:00Z ERROR payment failed: connection refused by ledger:5432";
const fill = (n: number) => `2026-03-01T02:59:00Z INFO request ${n} of the shop was served in ${n % 97} ms`;

/** A log with one failure in the given line, below a line that a person wrote. */
function fileOf(lines: number, failure: number): string {
  const log = Array.from({ length: lines }, (_, i) => (i + 1 === failure ? FAILURE : fill(i + 1)));
  return ["Payments fail since the deploy", ...log.slice(1)].join("\n");
}

function quotedLine(body: unknown): number | undefined {
  const request: TriageRequest = triageRequestOf(triageRequestSchema.parse(body), SERVICE_CALLER, () => "id");
  const options = { catalog: EMPTY_CATALOG, now: new Date(), newId: () => "id" };
  const [quoted] = reportEvidence(createIncident(guard.request(request).request, options));
  expect(quoted?.quote).toContain("connection refused");
  return quoted?.place?.line;
}

describe.each([
  [300, 41],
  [30_000, 14_321],
  [30_000, 29_990],
])("of a file with %d lines, the failure in line %d", (lines, failure) => {
  it("is quoted with its number when the command line reads the file", async () => {
    const path = join(await mkdtemp(join(tmpdir(), "quoted-lines-")), "app.log");
    await writeFile(path, fileOf(lines, failure));
    const { requests } = await readInput({ words: [], files: [path], stdin: null, say: () => {} });
    expect(quotedLine(requests[0])).toBe(failure);
  });

  it("is quoted with its number when the console sends the text", () => {
    expect(quotedLine({ text: fitLog(fileOf(lines, failure)).text })).toBe(failure);
  });
});
