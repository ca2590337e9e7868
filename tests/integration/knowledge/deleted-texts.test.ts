// Deletion of runbooks and documents: their text leaves the results of triages, and no other text does.

import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { sendText } from "../support/api.ts";
import { createHarness, deleteIncidents, emptyStores, type Harness, sql } from "../support/harness.ts";
import { tablesHolding } from "../support/sample-memory.ts";

/** Occurs in the texts that the test deletes, and nowhere else. */
const WORD = "zanzibar";
const RUNBOOK = `# Flux capacitor overheats

## Symptoms

The log says \`flux capacitor overheated\` on the ${WORD} rack.

## Confirm

1. Read the ${WORD} thermometer:

   \`\`\`sh
   fluxctl thermometer ${WORD}
   \`\`\`

## Mitigate

1. Open the ${WORD} valve, then restart the flux capacitor.
`;
const OTHER = RUNBOOK.replaceAll(WORD, "coolant").replace("# Flux", "# Spare flux");
const REPORT = {
  title: "flux capacitor overheats",
  labels: { domain: "docker" },
  logs: "03:00:01 ERROR flux capacitor overheated",
};
const QUOTE = "ERROR flux capacitor overheated";

let harness: Harness;
beforeAll(() => emptyStores(createHarness().services));
beforeEach(async () => {
  harness = createHarness();
  await deleteIncidents(harness.services);
  await sql`delete from public.audit_events`;
});

async function put(path: string, text: string): Promise<void> {
  const response = await sendText(harness, path, text);
  expect([200, 201], await response.clone().text()).toContain(response.status);
}

async function remove(path: string): Promise<void> {
  expect((await harness.request(path, { method: "DELETE" })).status).toBe(200);
}

async function storedTriage(incidentId: string) {
  const response = await harness.request(`/v1/incidents/${incidentId}`);
  expect(response.status).toBe(200);
  return z.looseObject({ triage: z.looseObject({ answer: z.unknown() }) }).parse(await response.json());
}

describe("the deletion of a runbook", () => {
  it("removes its text from stored triages, which stay readable", async () => {
    await put("/v1/runbooks/docker/flux.md", RUNBOOK);
    const result = await harness.triage(REPORT);
    expect(result.outcome).toBe("cause");
    expect(JSON.stringify(result.answer)).toContain(WORD);
    await remove("/v1/runbooks/docker/flux.md");
    expect(await tablesHolding(WORD)).toEqual([]);
    expect(await storedTriage(result.incident_id)).toMatchObject({
      triage_unreadable: false,
      triage: {
        triage_id: result.triage_id,
        sources: [],
        recalled: { runbooks: [] },
        answer: { summary: { text: expect.stringMatching(/^Removed with its source/), citations: [] }, mitigate: [] },
      },
    });
    expect(JSON.stringify(await storedTriage(result.incident_id))).toContain(QUOTE);
  });

  it("keeps the text of other runbooks in the same triage", async () => {
    await put("/v1/runbooks/docker/flux.md", RUNBOOK);
    await put("/v1/runbooks/docker/spare.md", OTHER);
    const result = await harness.triage(REPORT);
    expect(result.recalled.runbooks.map(({ source }) => source)).toContain("docker/spare.md");
    await remove("/v1/runbooks/docker/flux.md");
    expect(await tablesHolding(WORD)).toEqual([]);
    expect(JSON.stringify(await storedTriage(result.incident_id))).toContain("coolant");
    await remove("/v1/runbooks/docker/spare.md");
    expect(await tablesHolding("coolant")).toEqual([]);
  });

  it("leaves an audit event with its caller, once, and cleans no other triage", async () => {
    await put("/v1/runbooks/docker/flux.md", RUNBOOK);
    const result = await harness.triage({ title: "unrelated printer is out of paper", labels: { domain: "docker" } });
    const before = await storedTriage(result.incident_id);
    await sql`delete from public.audit_events`;
    await remove("/v1/runbooks/docker/flux.md");
    const events = await sql`select action, kind, actor from public.audit_events`;
    expect(events).toEqual([{ action: "deleted", kind: "runbook", actor: "service" }]);
    expect(await sql`select 1 from public.text_removals`).toHaveLength(0);
    expect(await storedTriage(result.incident_id)).toEqual({
      ...before,
      triage: expect.objectContaining({ answer: before.triage.answer }),
    });
  });

  it("also removes sections that an earlier version of the text had", async () => {
    await put("/v1/runbooks/docker/flux.md", RUNBOOK);
    await harness.triage(REPORT);
    await put("/v1/runbooks/docker/flux.md", "# Flux capacitor\n\nReplaced.");
    await remove("/v1/runbooks/docker/flux.md");
    expect(await tablesHolding(WORD)).toEqual([]);
  });
});

describe("the deletion of a domain with its texts", () => {
  it("removes their text from stored triages", async () => {
    const definition = { description: "The flux team.", labels: [{ match: { team: ["flux"] } }] };
    const init = { method: "PUT", body: JSON.stringify(definition), headers: { "content-type": "application/json" } };
    expect((await harness.request("/v1/domains/flux", init)).status).toBe(201);
    await put("/v1/runbooks/flux/flux.md", RUNBOOK);
    const result = await harness.triage({ ...REPORT, labels: { domain: "flux" } });
    expect(JSON.stringify(result)).toContain(WORD);
    await remove("/v1/domains/flux?force=true");
    expect(await tablesHolding(WORD)).toEqual([]);
  });
});

describe("the deletion of a postmortem", () => {
  it("removes its text from stored triages", async () => {
    const document = { source: "postmortems/flux", doc_type: "postmortem", domain: "docker", text: RUNBOOK };
    const created = await harness.post("/v1/documents", document);
    expect([200, 201], await created.clone().text()).toContain(created.status);
    const { id } = z.object({ id: z.string() }).parse(await created.json());
    const result = await harness.triage(REPORT);
    expect(JSON.stringify(result)).toContain(WORD);
    await remove(`/v1/documents/${id}`);
    expect(await tablesHolding(WORD)).toEqual([]);
  });
});

describe("the deletion of a past incident", () => {
  it("removes its title from candidates and summaries of other triages", async () => {
    const first = await harness.triage({
      title: `The ${WORD} rack overheats`,
      target: "rack-1",
      labels: { domain: "docker" },
      logs: "03:00:01 ERROR flux capacitor overheated",
    });
    await harness.post(`/v1/incidents/${first.incident_id}/resolve`, { resolution: "Opened the valve." });
    harness.clock.advance(86_400_000);
    const later = await harness.triage({
      title: "rack overheats",
      target: "rack-2",
      labels: { domain: "docker" },
      logs: "03:00:01 ERROR flux capacitor overheated",
    });
    expect(JSON.stringify(later)).toContain(WORD);
    const response = await harness.request(`/v1/incidents/${first.incident_id}`, { method: "DELETE" });
    expect(response.status).toBe(204);
    expect(await tablesHolding(WORD)).toEqual([]);
  });
});
