import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { verdictOf } from "../../../functions/answer-view/verdict.ts";
import { createHarness, deleteIncidents, workerEnv } from "../support/harness.ts";
import { loadFreshRunbooks } from "../support/inventory.ts";
import { problemOf } from "../support/tokens.ts";

const harness = createHarness();
/** The report is about memory; the attached runbook is about the disk. */
const OOM = { title: "api-gateway docker container exited with code 137", labels: { container_runtime: "docker" } };

const eventsSchema = z.object({ events: z.array(z.object({ kind: z.string(), detail: z.unknown() })) });

const listSchema = z.object({
  incidents: z.array(z.object({ id: z.string(), latest_triage: z.object({ corrected: z.boolean() }) })),
});

beforeAll(() => loadFreshRunbooks(harness.services, workerEnv));
beforeEach(() => deleteIncidents(harness.services));

async function recalledWith(runbook_url?: string) {
  const { recalled, answer } = await harness.triage({ ...OOM, runbook_url });
  return { first: recalled.runbooks[0], all: recalled.runbooks, answer };
}

describe("an attached runbook", () => {
  it.each([
    "https://runbooks.example.com/docker/host-disk-full",
    "https://github.com/acme/runbooks/blob/main/docker/Host-Disk-Full.md#mitigate",
    "docker/host-disk-full.md",
    "host-disk-full",
  ])("ranks first: %s", async (address) => {
    const { first, answer } = await recalledWith(address);
    expect(first).toMatchObject({
      source: "docker/host-disk-full.md",
      relevant: true,
      features: { attached: { rank: 1, value: 10 } },
    });
    expect(answer.summary.text).toContain(first?.title);
  });

  it("has a score equal to the sum of its features", async () => {
    const { all } = await recalledWith("host-disk-full");
    for (const { score, features } of all) {
      const sum = Object.values(features).reduce((total, feature) => total + (feature?.value ?? 0), 0);
      expect(sum).toBeCloseTo(score, 12);
    }
  });

  it("does not displace the hits of the search", async () => {
    const { all } = await recalledWith("host-disk-full");
    expect(all.map(({ source }) => source)).toContain("docker/exit-137-out-of-memory.md");
  });

  it.each(["https://wiki.example.com/unheard-of", "https://example.com/", "%E0%A4%A"])(
    "is ignored if it is not stored: %s",
    async (address) => {
      const { first } = await recalledWith(address);
      expect(first?.source).toBe((await recalledWith()).first?.source);
      expect(first?.features.attached).toBeUndefined();
    },
  );

  it("ranks first although its domain is not the one of the alert's label", async () => {
    const { first } = await recalledWith("postgres/deadlock-detected-40p01");
    expect(first).toMatchObject({ source: "postgres/deadlock-detected-40p01.md", relevant: true });
  });

  it("is stored with the incident", async () => {
    const { incident_id } = await harness.triage({ ...OOM, runbook_url: "host-disk-full" });
    const incident = await (await harness.request(`/v1/incidents/${incident_id}`)).json();
    expect(incident).toMatchObject({ runbook: "host-disk-full" });
  });
});

describe("a runbook that a person chose instead of that of an answer", () => {
  const correct = async (triageId: string, corrections: readonly object[]) =>
    harness.post(`/v1/triages/${triageId}/feedback`, { rating: "down", corrections });

  it("ranks first for the next report of the failure, until a person says that the answer helped", async () => {
    const right = "docker/host-disk-full.md";
    const { triage_id, incident_id } = await harness.triage(OOM);
    // Twice: the same correction is one event.
    for (let i = 0; i < 2; i++) expect((await correct(triage_id, [{ part: "runbook", right }])).status).toBe(200);
    const { events } = eventsSchema.parse(await (await harness.request(`/v1/incidents/${incident_id}`)).json());
    expect(events.filter(({ kind }) => kind === "corrected").map(({ detail }) => detail)).toEqual([
      { part: "runbook", right, by: "operator" },
    ]);
    const { first } = await recalledWith();
    const attached = { rank: 1, chosen: { by: "operator", at: expect.any(String) } };
    expect(first).toMatchObject({ source: right, relevant: true, features: { attached } });
    expect(verdictOf(await harness.triage(OOM))).toMatchObject({
      figure: null,
      meaning: "operator chose this runbook for the failure",
      explanation: [expect.stringMatching(/^operator chose “.+” for this failure, on 20/), expect.any(String)],
    });
    const other = await harness.triage({ title: "redis: OOM command not allowed when used memory > 'maxmemory'" });
    expect(other.recalled.runbooks[0]?.source).not.toBe(right);
    await harness.post(`/v1/triages/${triage_id}/feedback`, { rating: "up" });
    expect((await recalledWith()).first?.source).not.toBe(right);
    const later = eventsSchema.parse(await (await harness.request(`/v1/incidents/${incident_id}`)).json());
    expect(later.events.map(({ kind }) => kind)).not.toContain("corrected");
  });

  it("follows the failure to a report with another title, with its cause and the probability", async () => {
    const line = "another operation (install/upgrade/rollback) is in progress for release ledger-api";
    const corrected = await harness.triage({ title: "helm deploy of ledger-api fails", logs: `Error: ${line}` });
    const right = "docker/host-disk-full.md";
    const corrections = [
      { part: "runbook", right },
      { part: "cause", right: "A cancelled pipeline left the release locked" },
    ];
    await correct(corrected.triage_id, corrections);
    const later = { title: "the nightly pipeline is red", logs: `outputs: ERROR ${line}` };
    const result = await harness.triage(later);
    const { probability } = result.recalled.incidents[0] ?? { probability: 0 };
    expect(probability).toBeGreaterThan(0.75);
    const attached = { chosen: { by: "operator", at: expect.any(String), probability } };
    expect(result.recalled.runbooks[0]).toMatchObject({ source: right, probability, features: { attached } });
    expect(verdictOf(result)).toMatchObject({
      figure: probability,
      meaning: expect.stringContaining("probably this one"),
    });
    expect(result.answer.likely_causes[0]).toEqual({
      text: "A cancelled pipeline left the release locked, as operator corrected it",
      citations: [corrected.incident_id],
      supported: true,
    });
    const isCorrected = async () => {
      const { incidents } = listSchema.parse(await (await harness.request("/v1/incidents")).json());
      return incidents.find(({ id }) => id === corrected.incident_id)?.latest_triage.corrected;
    };
    expect(await isCorrected()).toBe(true);
    await harness.post(`/v1/triages/${corrected.triage_id}/feedback`, { rating: "up" });
    expect(await isCorrected()).toBe(false);
    expect((await harness.triage(later)).recalled.runbooks[0]?.source).not.toBe(right);
  });

  it("must be stored, and each part is named once", async () => {
    const { triage_id } = await harness.triage(OOM);
    const unheardOf = await problemOf(
      await correct(triage_id, [{ part: "runbook", right: "unheard-of.md" }]),
      422,
      "invalid-request",
    );
    expect(unheardOf.detail).toContain("`unheard-of.md`");
    await problemOf(await correct(triage_id, [{ part: "step" }, { part: "step" }]), 422, "invalid-request");
  });
});
