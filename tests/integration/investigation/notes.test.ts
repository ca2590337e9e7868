import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { createHarness, deleteIncidents, type Harness, workerEnv } from "../support/harness.ts";
import { loadFreshRunbooks } from "../support/inventory.ts";

const DAY_MS = 86_400_000;
const OOM = { title: "api-gateway docker container exited with code 137", labels: { container_runtime: "docker" } };
const KAFKA = {
  title: "kafka-mirror rebalance storm after partition reassignment",
  labels: { container_runtime: "docker" },
};
const POSTMORTEM = [
  "# Kafka mirror rebalance storm",
  "The kafka-mirror container went through a rebalance storm after a partition reassignment.",
  "## Root cause",
  "- The session timeout of kafka-mirror was shorter than a partition reassignment takes.",
  "## What we did",
  "- Raised session.timeout.ms to 45 s.",
].join("\n\n");

let harness: Harness;
beforeAll(() => loadFreshRunbooks(createHarness().services, workerEnv));
beforeEach(() => {
  // Shows every section, not only the best five.
  harness = createHarness({ RUNBOOK_RECALL_LIMIT: "20" });
});
afterEach(async () => {
  const listed = listSchema.parse(await (await harness.request("/v1/documents?limit=100")).json());
  for (const { id } of listed.documents) await harness.request(`/v1/documents/${id}`, { method: "DELETE" });
  await deleteIncidents(harness.services);
});

const listSchema = z.object({ documents: z.array(z.object({ id: z.string() })) });

async function send(text: string, doc_type: string, source = `${doc_type}/1`) {
  const response = await harness.post("/v1/documents", { text, source, doc_type, domain: "docker" });
  expect(await response.json()).toMatchObject({ indexed: true });
}

describe("notes and logs", () => {
  it("answer a triage that no runbook covers, and are cited by kind", async () => {
    await send(POSTMORTEM, "postmortem");
    const result = await harness.triage(KAFKA);
    expect(result).toMatchObject({
      outcome: "cause",
      answer: {
        summary: { text: expect.stringContaining("Kafka mirror rebalance storm. The kafka-mirror container") },
        likely_causes: [{ text: expect.stringContaining("session timeout") }],
      },
    });
    expect(new Set(result.sources.map(({ kind }) => kind))).toEqual(new Set(["postmortem"]));
    expect(result.recalled.runbooks[0]).toMatchObject({ kind: "postmortem", source: "postmortem/1" });
  });

  it("are quoted in short if they have none of the usual sections", async () => {
    const note = `kafka-mirror rebalance storm after partition reassignment: ${"the brokers had to wait. ".repeat(60)}`;
    await send(note, "note");
    const { answer, outcome, sources } = await harness.triage(KAFKA);
    expect(outcome).toBe("cause");
    // Its one paragraph is the cause. The summary does not repeat it.
    expect(answer.summary.text).toBe('This matches the note "1".');
    expect(answer.likely_causes.map(({ text }) => text)).toEqual([
      expect.stringContaining("kafka-mirror rebalance storm after partition reassignment"),
    ]);
    expect(answer.likely_causes.every(({ text }) => text.length <= 600)).toBe(true);
    expect(sources).toMatchObject([{ kind: "note" }]);
  });

  it("are shown as evidence, not as a cause, if they are logs", async () => {
    await send(
      "2026-02-28T03:00:00Z kafka-mirror rebalance started\n2026-02-28T03:00:09Z kafka-mirror ERROR rebalance storm after partition reassignment",
      "log",
      "ci/run-42.log",
    );
    const result = await harness.triage(KAFKA);
    expect(result).toMatchObject({
      outcome: "unknown",
      answer: {
        evidence: [{ text: expect.stringMatching(/The log "ci\/run-42\.log" \(2026-02-28.*rebalance storm/) }],
      },
      sources: [{ kind: "log", source: "ci/run-42.log" }],
    });
  });

  it("never displace a fitting runbook in any quantity", async () => {
    const usual = createHarness();
    const before = await usual.triage(OOM);
    const lines = Array.from(
      { length: 30 },
      (_, i) =>
        `ERROR api-gateway docker container exited with code 137 (oom killed) in ${"abcdefghij"[i % 10]}${"xyz".repeat(i % 7)} zone`,
    );
    await send(lines.join("\n\nINFO api-gateway container exited, code 137\n"), "log");
    for (let i = 0; i < 6; i++)
      await send(`api-gateway docker container exited with code 137 once more, day ${i}`, "note", `note/${i}`);
    const after = await usual.triage(OOM);
    expect(after.answer.summary).toEqual(before.answer.summary);
    expect(after.answer.mitigate).toEqual(before.answer.mitigate);
    const kinds = after.recalled.runbooks.map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === "runbook").length).toBeGreaterThanOrEqual(3);
    expect(kinds).toHaveLength(5);
  });

  it("have half the score after a half-life; runbooks do not age", async () => {
    await send("api-gateway docker container exited with code 137 as the cache grew", "note");
    const scores = async () => {
      const { recalled } = await harness.triage({ ...OOM, target: `t${harness.clock.now().getTime()}` });
      for (const { score, features } of recalled.runbooks) {
        const parts = Object.values(features).reduce((sum, feature) => sum + (feature?.value ?? 0), 0);
        expect(parts).toBeCloseTo(score, 9);
      }
      const best = (kind: string) => recalled.runbooks.find((hit) => hit.kind === kind)?.score ?? Number.NaN;
      return { note: best("note"), runbook: best("runbook") };
    };
    const young = await scores();
    harness.clock.advance(365 * DAY_MS);
    const old = await scores();
    expect(old.note / young.note).toBeCloseTo(0.5, 9);
    expect(old.runbook).toBeCloseTo(young.runbook, 9);
  });
});
