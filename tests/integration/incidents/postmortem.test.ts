// The draft of a postmortem with a language model: its sentences are held to the stored facts.

import { beforeAll, beforeEach, expect, it } from "vitest";
import { z } from "zod";
import { createHarness, deleteIncidents, type Harness, sql, workerEnv } from "../support/harness.ts";
import { loadFreshRunbooks } from "../support/inventory.ts";
import { json, scriptedModel } from "../support/servers/scripted-model.ts";
import { bearer, makeToken } from "../support/tokens.ts";

const OOM = { title: "api-gateway docker container exited with code 137", target: "api-gateway", severity: "critical" };
const TRUE = "dana raised the memory limit to 1 GiB.";
const INVENTED = "dana raised the memory limit after the redis server ran out of connections.";

beforeAll(() => loadFreshRunbooks(createHarness().services, workerEnv));
beforeEach(() => deleteIncidents(createHarness().services));

async function resolvedIncident(): Promise<string> {
  const harness = createHarness();
  const { incident_id } = await harness.triage(OOM);
  harness.clock.advance(60_000);
  const fix = { resolution: "Raised the memory limit to 1 GiB", resolved_by: "dana" };
  await harness.post(`/v1/incidents/${incident_id}/resolve`, fix);
  return incident_id;
}

async function draftOf(harness: Harness, id: string, headers: Record<string, string> = {}): Promise<string> {
  const response = await harness.request(`/v1/incidents/${id}/postmortem`, { headers });
  expect(response.status).toBe(200);
  return z.object({ markdown: z.string() }).parse(await response.json()).markdown;
}

/** The name of the fact that holds the words, as the prompt shows it. */
function factWith(prompt: string, words: string): string {
  const name = new RegExp(`^(F\\d+): .*${words}`, "m").exec(prompt)?.[1];
  if (name === undefined) throw new Error(`No fact has ${words}: ${prompt}`);
  return name;
}

it("has the model's sentence that stands in a fact, without the one that it invented, for one call", async () => {
  const id = await resolvedIncident();
  await using model = await scriptedModel({
    postmortem: ({ messages }) => {
      const citations = [factWith(messages.map(({ text }) => text).join("\n"), "Fix: Raised the memory limit")];
      const sentences = [TRUE, INVENTED].map((text) => ({ citations, text }));
      return json({ summary: sentences, impact: [{ citations, text: INVENTED }], cause: [] });
    },
  });
  const harness = createHarness(model.env());
  const draft = await draftOf(harness, id);
  expect(draft).toContain(`## Summary\n\n${TRUE}\n\n- Incident:`);
  expect(draft).not.toContain("redis");
  expect(draft).toContain("## Impact\n\n- ");
  expect(draft).toContain("made by Dejavu from what is recorded, in sentences of a language model.");
  expect(model.calls).toHaveLength(1);
  expect(await sql`select calls from public.model_usage where incident_id = ${id}`).toMatchObject([{ calls: 1 }]);
});

it.each([
  ["fails", { kind: "status", status: 500, message: "a-secret" }, 1],
  ["hangs", { kind: "hang" }, 1],
  ["answers in another shape", json({ summary: "It was the memory." }), 1],
  ["invents all of it", json({ summary: [{ citations: ["F1"], text: INVENTED }], impact: [], cause: [] }), 0],
] as const)("is made of stored facts alone when the model %s", async (_, reply, warnings) => {
  const id = await resolvedIncident();
  const plain = await draftOf(createHarness(), id);
  await using model = await scriptedModel({ postmortem: reply });
  const harness = createHarness(model.env());
  harness.expireHung(model, "language_model");
  expect(await draftOf(harness, id)).toBe(plain);
  expect(model.calls.length).toBeGreaterThan(0);
  expect(harness.log.filter(({ event }) => event === "postmortem.prose_failed")).toHaveLength(warnings);
  expect(JSON.stringify(harness.log)).not.toMatch(/a-secret|memory limit/);
});

it("asks no model for a token that may only read", async () => {
  const id = await resolvedIncident();
  await using model = await scriptedModel();
  const harness = createHarness(model.env());
  const reader = bearer((await makeToken(harness, ["read"])).token);
  expect(await draftOf(harness, id, reader)).toContain("# Postmortem: ");
  expect(model.calls).toEqual([]);
});
