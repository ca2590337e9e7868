// `text` of a report: an error, a question or a log as somebody pasted it.

import { beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { createHarness, deleteIncidents } from "../support/harness.ts";
import { problemOf } from "../support/tokens.ts";

const harness = createHarness();
beforeAll(() => deleteIncidents(harness.services));

const LOG = `2026-03-01T02:59:58Z INFO request served in 12 ms
2026-03-01T02:59:59Z ERROR connection to ledger-db:5432 refused
2026-03-01T03:00:00Z INFO request served in 11 ms`;

it.each([
  ["disk full on node-7", { title: "disk full on node-7", question: null, logs: null }],
  ["Why is the ledger late?", { question: "Why is the ledger late?", logs: null }],
  [`The checkout is slow since 3 a.m.\n${LOG}`, { title: "The checkout is slow since 3 a.m.", logs: `\n${LOG}` }],
  [LOG, { title: expect.stringContaining("connection to ledger-db:5432 refused"), question: null, logs: LOG }],
])("reads %j", async (text, expected) => {
  const { incident_id } = await harness.triage({ text, target: "ledger" });
  const stored = await harness.request(`/v1/incidents/${incident_id}`);
  expect(await stored.json()).toMatchObject({ ...expected, target: "ledger" });
});

it("takes the same in a report", async () => {
  const response = await harness.post("/v1/incidents", { text: LOG });
  expect(response.status).toBe(202);
  const { incident_id } = z.object({ incident_id: z.string() }).parse(await response.json());
  expect(await (await harness.request(`/v1/incidents/${incident_id}`)).json()).toMatchObject({ logs: LOG });
});

it.each([{ title: "a" }, { question: "a" }, { logs: "a" }])("refuses %j beside it", async (other) => {
  const response = await harness.post("/v1/triage", { text: "disk full", ...other });
  const { errors } = await problemOf(response, 422, "invalid-request");
  expect(errors).toEqual([
    { field: "text", message: "stands for title, question and logs. Send either text or those" },
  ]);
});
