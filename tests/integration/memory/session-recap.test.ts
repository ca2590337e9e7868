// A question about the session, through the whole application: it quotes the session and claims nothing.

import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { compressSessions } from "../../../functions/jobs/compress-sessions.ts";
import { createHarness, deleteIncidents, type Harness, sql, workerEnv } from "../support/harness.ts";
import { loadFreshRunbooks } from "../support/inventory.ts";
import { lyingServer } from "../support/servers/lying-server.ts";
import { scriptedModel } from "../support/servers/scripted-model.ts";

const HOUR_MS = 3_600_000;
const OOM = { title: "api-gateway docker container exited with code 137", target: "api-gateway", session_id: "s-1" };
const COFFEE = { title: "the coffee machine is out of beans", session_id: "s-1" };
const RECAP = { question: "What did we find?", session_id: "s-1" };

let harness: Harness;
beforeAll(() => loadFreshRunbooks(createHarness().services, workerEnv));
beforeEach(async () => {
  harness = createHarness();
  await deleteIncidents(harness.services);
});

/** Adds the findings that a triage stores: error lines with their places, and a rejected hypothesis. */
async function addFindings(triageId: string): Promise<void> {
  const findings = {
    evidence: [
      {
        text: "The log shows it.",
        quote: "java.lang.OutOfMemoryError: Java heap space",
        citations: [],
        supported: false,
        place: { line: 7, count: 3, time: null },
      },
    ],
    hypotheses: [{ cause: "A failing disk", verdict: "rejected", reason: "Its latency is normal.", citations: [] }],
  };
  await sql`update public.triages set result = jsonb_set(result, '{answer}', result -> 'answer' || ${sql.json(findings)})
    where id = ${triageId}`;
}

describe("a question about the session", () => {
  it("is answered by its turns, newest first, with outcome, error lines, what was ruled out and the fix", async () => {
    const first = await harness.triage(OOM);
    await addFindings(first.triage_id);
    await harness.post(`/v1/incidents/${first.incident_id}/resolve`, {
      resolution: "Raised the limit.",
      resolved_by: "dana",
    });
    harness.clock.advance(1_000);
    const second = await harness.triage(COFFEE);
    const { outcome, confidence, answer, recalled, sources, mode } = await harness.triage(RECAP);
    expect({ outcome, confidence, mode }).toEqual({ outcome: "unknown", confidence: 0, mode: "extractive" });
    expect(answer.summary.text).toMatch(
      /^Recap of 2 past answers of this session, newest first:\n\nQ: the coffee machine/,
    );
    expect(answer.summary.text).toContain(`${COFFEE.title}\nOutcome: Unknown\n`);
    expect(answer.summary.text).toContain(
      `Q: ${OOM.title}\nError: java.lang.OutOfMemoryError: Java heap space (line 7, 3 times)\nOutcome: Known failure, ${Math.round(100 * first.confidence)} %`,
    );
    expect(answer.summary.text).toContain(
      "Ruled out: A failing disk (Its latency is normal.)\nFixed by: Raised the limit. (dana)",
    );
    expect(answer.summary.citations).toEqual([second.triage_id, first.triage_id]);
    expect(recalled.past_answers.map(({ id }) => id)).toEqual([second.triage_id, first.triage_id]);
    expect(recalled.runbooks).toEqual([]);
    expect(sources.map(({ kind }) => kind)).toEqual(["past_answer", "past_answer"]);
  });

  it("is answered by the summary of a compressed session, which it quotes", async () => {
    harness = createHarness({ SESSION_COMPRESS_THRESHOLD: "2" });
    for (let i = 1; i <= 3; i++)
      await harness.triage({ ...OOM, logs: `starting worker ${i}\nFATAL: worker ${i} cannot allocate memory` });
    harness.clock.advance(25 * HOUR_MS);
    await compressSessions(harness.services, () => {});
    const [row] = await sql`select id, answer from public.past_answers where is_summary`;
    for (let i = 1; i <= 3; i++)
      expect(row?.answer).toContain(`Error: FATAL: worker ${i} cannot allocate memory (line 2)`);
    const { answer, recalled, outcome } = await harness.triage(RECAP);
    expect(recalled.past_answers).toMatchObject([{ id: row?.id, is_summary: true, answer: row?.answer }]);
    expect(answer.summary.text).toBe(`Recap of 1 summary of this session, newest first:\n\n${row?.answer}`);
    expect(outcome).toBe("unknown");
  });

  it("shows a benign report of the session", async () => {
    await harness.triage({ title: "Watchdog", labels: { alertname: "Watchdog" }, session_id: "s-1" });
    const { answer } = await harness.triage({ ...RECAP, question: "What did we rule out?" });
    expect(answer.summary.text).toContain("Q: Watchdog\nOutcome: No incident\nA: No incident: ");
  });

  it.each([
    ["a session without turns", RECAP],
    ["no session", { question: "Summarise this session" }],
  ])("says in %s that there is nothing to recap", async (_, request) => {
    const { answer, outcome, sources } = await harness.triage(request);
    expect(answer.summary.text).toMatch(/^There is nothing to recap: /);
    expect({ outcome, sources }).toEqual({ outcome: "unknown", sources: [] });
  });

  it("adds nothing to memory, not even a turn of the session", async () => {
    await harness.triage(OOM);
    const counts = () => sql`select (select count(*)::int from public.past_answers) as past_answers,
      (select count(*)::int from public.observations) as observations`;
    const before = await counts();
    const { incident_id } = await harness.triage(RECAP);
    await harness.post(`/v1/incidents/${incident_id}/resolve`, { resolution: "It was the memory." });
    expect(await counts()).toEqual(before);
    const { recalled } = await harness.triage(RECAP);
    expect(recalled.past_answers).toHaveLength(1);
  });

  it("shows no turn of another session", async () => {
    await harness.triage({ ...OOM, session_id: "s-2" });
    const { recalled } = await harness.triage(RECAP);
    expect(recalled.past_answers).toEqual([]);
  });

  it("asks no model", async () => {
    await using model = await scriptedModel();
    const withModel = createHarness(model.env());
    await withModel.triage(OOM);
    const before = model.calls.length;
    const { mode, answer } = await withModel.triage(RECAP);
    expect(model.calls).toHaveLength(before);
    expect(mode).toBe("extractive");
    expect(answer.summary.text).toContain(`Q: ${OOM.title}`);
  });

  it("says that the session cannot be read while the database is unavailable", async () => {
    await using unavailable = await lyingServer({ answer: () => ({ status: 503, body: "{}" }) });
    const cut = createHarness({ SUPABASE_URL: unavailable.url });
    const { answer, warnings } = await cut.triage(RECAP);
    expect(answer.summary.text).toContain("cannot be read");
    expect(warnings.map(({ message }) => message)).toContainEqual(
      expect.stringContaining("past answers of this session"),
    );
  });

  it("with a word about a failure is investigated", async () => {
    await harness.triage(OOM);
    const { recalled } = await harness.triage({
      question: "What did we find about exit code 137 in docker?",
      session_id: "s-1",
    });
    expect(recalled.runbooks.length).toBeGreaterThan(0);
  });
});

describe("the deletion of a quoted record", () => {
  it("removes the quotation from the recap", async () => {
    const { incident_id } = await harness.triage(OOM);
    const recap = await harness.triage(RECAP);
    const response = await harness.request(`/v1/incidents/${incident_id}`, { method: "DELETE" });
    expect(response.status).toBe(204);
    const [row] = await sql`select t.result, (select string_agg(r.final_answer, '') from public.runs r) as final_answers
      from public.triages t where t.id = ${recap.triage_id}`;
    expect(JSON.stringify({ ...row })).not.toContain("exited with code 137");
    expect(row?.result.answer.summary).toEqual({
      text: "A past answer that this recap quoted was deleted or changed.",
      citations: [],
    });
    expect(row?.result.sources).toEqual([]);
  });
});
