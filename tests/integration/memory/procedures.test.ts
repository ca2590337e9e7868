// Procedural memory through the whole application: when a procedure is stored, merged and shown.

import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createHarness, deleteIncidents, sql, workerEnv } from "../support/harness.ts";
import { loadFreshRunbooks } from "../support/inventory.ts";
import { draftOf, json, scriptedModel } from "../support/servers/scripted-model.ts";

const OOM = { title: "api-gateway docker container exited with code 137", target: "api-gateway" };
const critiqueOf = (score: number) => json({ feedback: "As it is.", score });

beforeAll(() => loadFreshRunbooks(createHarness().services, workerEnv));
beforeEach(() => deleteIncidents(createHarness().services));

const procedures = () => sql`select * from public.procedures order by created_at`;

describe("a procedure", () => {
  it("is stored from a score of 0.7", async () => {
    await using model = await scriptedModel({ critique: [critiqueOf(0.69), critiqueOf(0.7)] });
    const harness = createHarness(model.env());
    await harness.triage({ ...OOM, target: "checkout" });
    expect(await procedures()).toHaveLength(0);
    await deleteIncidents(harness.services);
    const { triage_id } = await harness.triage(OOM);
    const [row] = await procedures();
    expect(row).toMatchObject({ triage_id, domain: "docker", use_count: 1, confidence: 0.7, archived_at: null });
    expect(row?.query).toContain(OOM.title);
    expect(row?.strategy).toMatch(/^retrieval_hits=\d+, memory_hits=0, reflected=false$/);
    expect(row?.answer).toContain("The container was killed because it went over its memory limit.");
  });

  it("is not stored for an answer without a critique or with outcome unknown", async () => {
    await createHarness().triage(OOM);
    await using model = await scriptedModel({
      synthesise: json(draftOf({ outcome: "unknown" })),
      critique: critiqueOf(0.9),
    });
    await createHarness(model.env()).triage(OOM);
    expect(await procedures()).toHaveLength(0);
  });

  it("is counted again for the same query and keeps the better answer", async () => {
    await using model = await scriptedModel({ critique: [critiqueOf(0.8), critiqueOf(0.75), critiqueOf(0.9)] });
    const harness = createHarness(model.env());
    await harness.triage(OOM);
    harness.clock.advance(60_000);
    await harness.triage({ ...OOM, title: OOM.title.toUpperCase() });
    const third = await harness.triage(OOM);
    expect(await procedures()).toMatchObject([{ use_count: 3, confidence: 0.9, triage_id: third.triage_id }]);
    expect(await harness.services.vectors.find("procedures", { limit: 9 })).toHaveLength(1);
  });

  it("is counted again for a similar query and not for a different one", async () => {
    await using model = await scriptedModel();
    const harness = createHarness(model.env());
    await harness.triage(OOM);
    const near = await harness.triage({ ...OOM, title: "api-gateway container has exited with code 137" });
    expect(near.recalled.procedure?.cosine).toBeGreaterThanOrEqual(0.85);
    expect(await procedures()).toMatchObject([{ use_count: 2 }]);
    await harness.triage({ title: "nightly backup of the registry mirror stopped", logs: "it exited with code 137" });
    expect(await procedures()).toHaveLength(2);
  });

  it("is one row with the correct count after concurrent runs", async () => {
    await using model = await scriptedModel();
    const harness = createHarness(model.env());
    await Promise.all(Array.from({ length: 4 }, () => harness.triage(OOM)));
    expect(await procedures()).toMatchObject([{ use_count: 4 }]);
    expect(await harness.services.vectors.find("procedures", { limit: 99 })).toHaveLength(1);
    const pending = await sql`select 1 from public.outbox where collection = 'procedures'`;
    expect(pending).toHaveLength(1);
  });

  it("is shown to the model as a hint with its confidence and use count, and never cited", async () => {
    await using model = await scriptedModel();
    const harness = createHarness(model.env());
    await harness.triage(OOM);
    const { recalled, sources } = await harness.triage(OOM);
    expect(recalled.procedure).toMatchObject({ use_count: 1, confidence: 0.8 });
    expect(recalled.procedure?.cosine).toBeCloseTo(1, 5);
    expect(sources.map(({ id }) => id)).not.toContain(recalled.procedure?.id);
    expect(model.prompts("synthesise")[1]).toMatch(
      /<past_procedure confidence="0.80" used="1 times">\nFor: [^\n]*exited with code 137\nHow: retrieval_hits=/,
    );
  });

  it("is restored from the archive when it is used again", async () => {
    await using model = await scriptedModel();
    const harness = createHarness(model.env());
    await harness.triage(OOM);
    await sql`update public.procedures set archived_at = now(), use_count = 0.4`;
    const { recalled } = await harness.triage(OOM);
    expect(recalled.procedure).toBeNull();
    expect(await procedures()).toMatchObject([{ use_count: 1, archived_at: null }]);
  });
});
