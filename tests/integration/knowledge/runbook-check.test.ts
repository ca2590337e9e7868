import { beforeEach, describe, expect, it } from "vitest";
import { expectProblem } from "../support/api.ts";
import { createHarness, emptyStores, sql } from "../support/harness.ts";
import { bearer, makeToken } from "../support/tokens.ts";

const harness = createHarness();
beforeEach(() => emptyStores(harness.services));

const check = (body: string, headers: Readonly<Record<string, string>> = {}, query = "") =>
  harness.request(`/v1/runbooks/check${query}`, {
    method: "POST",
    body,
    headers: { "content-type": "text/markdown", ...headers },
  });

const RUNBOOK = `---
incident_type: Not OK
tags: [edge]
---
# Ingress answers 502

## Symptoms

Ask ops@shop.example first.

## Confirm

1. Look at the rate.

   \`\`\`promql {check=rate}
   sum(rate(http_requests_total{code="502"}[5m]))
   \`\`\`
   - confirms: any > 1: errors are served
2. Clear it: \`redis-cli flushall\`

## Mitigate

## Notes

None.
`;

describe("a check of a runbook's text", () => {
  it("reports what Dejavu reads in it, and stores nothing", async () => {
    const response = await check(RUNBOOK);
    expect(response.status).toBe(200);
    const body = await response.json();
    expect(body).toMatchObject({
      title: "Ingress answers 502",
      incident_type: null,
      tags: ["edge"],
      sections: [
        { line: 7, heading: "Symptoms", role: "symptoms" },
        { line: 11, heading: "Confirm", role: "confirm" },
        { line: 21, heading: "Mitigate", role: "mitigate" },
        { line: 23, heading: "Notes", role: null },
      ],
      topics: [
        {
          heading_path: [],
          anchor: null,
          line: 5,
          roles: ["symptoms", "confirm"],
          missing: ["causes", "mitigate"],
        },
      ],
      overview: [],
      missing: ["causes", "mitigate"],
      checks: [{ line: 15, name: "rate", language: "promql" }],
      problems: [
        { line: 2, message: expect.stringContaining("incident_type") },
        { line: 19, message: expect.stringContaining('"redis-cli flushall" changes state') },
        { line: 21, message: expect.stringContaining('"Mitigate" is empty') },
      ],
      redactions: [{ line: 9, kinds: ["EMAIL"] }],
    });
    expect(JSON.stringify(body)).not.toContain("ops@shop.example");
    expect(await sql`select 1 from public.sources`).toEqual([]);
    expect(await sql`select 1 from public.audit_events`).toEqual([]);
  });

  it("reports each of several failures, and what is only their overview", async () => {
    const text =
      "# Edge\n\nContents.\n\n## Disk full\n\n### Fix\n\n1. Extend it.\n\n## Port in use\n\n### Fix\n\n1. Stop it.\n";
    expect(await (await check(text)).json()).toMatchObject({
      topics: [
        { heading_path: ["Disk full"], anchor: "disk-full", line: 5, roles: ["mitigate"] },
        { heading_path: ["Port in use"], anchor: "port-in-use", line: 11, missing: ["symptoms", "causes", "confirm"] },
      ],
      overview: [{ line: 1, heading: "" }],
    });
  });

  it("names a text without a title after its source", async () => {
    const response = await check("Only words.", {}, "?source=team%2Fingress.md");
    expect(await response.json()).toMatchObject({
      title: "ingress",
      chunks: 1,
      problems: [{ line: 1, message: expect.stringContaining("has no title") }],
    });
  });

  it("accepts an empty text: an editor begins with one", async () => {
    expect(await (await check("")).json()).toMatchObject({ chunks: 0, problems: [{ message: "is empty." }] });
  });

  it("needs the scope ingest, and Markdown", async () => {
    const { token } = await makeToken(harness, ["read"]);
    await expectProblem(await check("# A", bearer(token)), 403, "insufficient-scope");
    await expectProblem(await check("{}", { "content-type": "application/json" }), 415, "unsupported-media-type");
    await expectProblem(await check("# A\0"), 415, "unsupported-media-type");
  });
});
