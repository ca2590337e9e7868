// Triages with a language model, against a server with the wire formats of Anthropic and OpenAI.

import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { PROMPT_VERSION } from "../../../functions/investigation/prompts/version.ts";
import type { TriageResult } from "../../../functions/schemas/triage-result.ts";
import { createHarness, deleteIncidents, type Harness, sql, workerEnv } from "../support/harness.ts";
import { loadFreshRunbooks } from "../support/inventory.ts";
import { lyingServer } from "../support/servers/lying-server.ts";
import type { Wire } from "../support/servers/model-server.ts";
import { draftOf, json, scriptedModel } from "../support/servers/scripted-model.ts";

const OOM = { title: "api-gateway docker container exited with code 137", target: "api-gateway", severity: "critical" };
const QUESTION = { question: "hey, any idea why my api container keeps dying on me since lunch?" };

function probabilityOfBest({ recalled }: TriageResult): number {
  return recalled.runbooks[0]?.probability ?? 0;
}

beforeAll(() => loadFreshRunbooks(createHarness().services, workerEnv));
beforeEach(() => deleteIncidents(createHarness().services));

describe.each<Wire>(["anthropic", "openai"])("over the %s wire", (wire) => {
  it("answers an alert from the recalled texts in two calls", async () => {
    await using model = await scriptedModel();
    const harness = createHarness(model.env(wire));
    const result = await harness.triage(OOM);
    expect(model.steps).toEqual(["synthesise", "critique"]);
    expect(result).toMatchObject({
      mode: "model",
      outcome: "cause",
      confidence: 0.8,
      warnings: [],
      persisted: true,
      model: { answer: harness.services.models?.answer.model.name, prompt_version: PROMPT_VERSION },
      critique: {
        initial_confidence: 0.8,
        feedback: "The evidence carries the cause.",
        reflected: false,
        changes: null,
      },
      guardrails: { citations_removed: 0, links_removed: 0, statements_removed: 0 },
    });
    const { answer, sources } = result;
    expect(answer.summary.text).toBe("The container was killed because it went over its memory limit.");
    expect(answer.likely_causes).toHaveLength(1);
    expect(answer.evidence[0]).toMatchObject({ quote: "exited with code 137", supported: true });
    expect(answer.hypotheses.map(({ verdict }) => verdict)).toEqual(["kept", "rejected"]);
    expect(answer.confirm[0]).toMatchObject({ effect: "read_only", supported: true });
    expect(answer.mitigate[0]).toMatchObject({ effect: "changes_state", undo: "Set the former limit again." });
    expect(answer.prevention).toHaveLength(1);
    expect(sources.every(({ kind }) => kind === "runbook")).toBe(true);
    expect(sources.length).toBe(2);
  });

  it("classifies and rewrites a question in one call, and searches for the rewritten query", async () => {
    await using model = await scriptedModel();
    const result = await createHarness(model.env(wire)).triage(QUESTION);
    expect(model.steps).toEqual(["classify", "synthesise", "critique"]);
    expect(result).toMatchObject({
      search_query: "container killed memory limit",
      incident_type: { name: "oom_killed", rule: expect.stringMatching(/^model /) },
      domain: { name: "docker", rule: expect.stringMatching(/^model /) },
    });
    expect(result.recalled.runbooks[0]?.source).toBe("docker/exit-137-out-of-memory.md");
    const [row] = await sql`select incident_type, domain_rule from public.incidents where id = ${result.incident_id}`;
    expect(row).toEqual({ incident_type: "oom_killed", domain_rule: result.domain.rule });
  });

  it("records token usage with the triage", async () => {
    await using model = await scriptedModel({
      synthesise: { kind: "json", value: draftOf(), usage: { input: 3_000, cachedInput: 1_000, output: 500 } },
      critique: { kind: "json", value: { feedback: "Fine.", score: 0.9 }, usage: { input: 2_000, output: 50 } },
    });
    const harness = createHarness({ ...model.env(wire), MODEL_PRICE: "2/0.5/10" });
    const result = await harness.triage(OOM);
    const usage = { calls: 2, input_tokens: 5_000, cached_input_tokens: 1_000, output_tokens: 550 };
    const cost = (4_000 * 2 + 1_000 * 0.5 + 550 * 10) / 1_000_000;
    expect(result.usage).toMatchObject(usage);
    expect(result.usage.cost_usd).toBeCloseTo(cost, 10);
    const [booked] = await sql`select u.*, e.run_id as run from public.model_usage u
      join public.runs e using (run_id) where u.incident_id = ${result.incident_id}`;
    expect(booked).toMatchObject({ calls: 2, input_tokens: "5000", cached_input_tokens: "1000", output_tokens: "550" });
    const [triage] = await sql`select mode from public.triages where id = ${result.triage_id}`;
    expect(triage).toEqual({ mode: "model" });
  });
});

describe("classification", () => {
  it("is skipped if labels and cues decide", async () => {
    await using model = await scriptedModel();
    await createHarness(model.env()).triage({ ...OOM, labels: { container_runtime: "docker" } });
    expect(model.steps).not.toContain("classify");
  });

  it("is requested for an alert without cues, whose own words are searched", async () => {
    await using model = await scriptedModel();
    const result = await createHarness(model.env()).triage({ title: "checkout is broken" });
    expect(model.steps).toEqual(["classify", "synthesise", "critique"]);
    expect(result).toMatchObject({ search_query: null, incident_type: { name: "oom_killed" } });
  });

  it("overrules no label and accepts only listed types", async () => {
    await using model = await scriptedModel({
      classify: json({ domain: "kubernetes", incident_type: "gremlins", search_query: "database errors" }),
    });
    const result = await createHarness(model.env()).triage({ ...QUESTION, labels: { source_type: "database" } });
    expect(result).toMatchObject({
      domain: { name: "postgres", rule: "label source_type=database" },
      incident_type: { name: "unknown" },
      search_query: "database errors",
    });
  });

  it.each([
    ["hangs", { kind: "hang" } as const],
    ["fails", { kind: "status", status: 500 } as const],
    ["answers nonsense", { kind: "text", text: "It is the database, I think." } as const],
  ])("is skipped when its model %s: the question is searched as it was asked", async (_how, classify) => {
    await using model = await scriptedModel({ classify });
    const harness = createHarness(model.env());
    harness.expireHung(model, "language_model");
    const result = await harness.triage(QUESTION);
    expect(result).toMatchObject({ mode: "model", search_query: null });
    expect(result.warnings).toMatchObject([
      { dependency: "language_model", message: expect.stringContaining("as it was asked") },
    ]);
  });

  it("uses the small model, as does the critique", async () => {
    await using model = await scriptedModel();
    const harness = createHarness({
      ...model.env(),
      MODEL: "anthropic:claude-sonnet-4-5",
      SMALL_MODEL: "anthropic:claude-haiku-4-5",
    });
    const result = await harness.triage(QUESTION);
    expect(model.calls.map(({ model: name }) => name)).toEqual([
      "claude-haiku-4-5",
      "claude-sonnet-4-5",
      "claude-haiku-4-5",
    ]);
    expect(result.model).toMatchObject({ answer: "anthropic:claude-sonnet-4-5", small: "anthropic:claude-haiku-4-5" });
    expect(result.usage.cost_usd).toBeNull();
  });
});

describe("evidence", () => {
  it("is quoted from a coloured log without its colours", async () => {
    const evidence = [{ quote: "ERROR disk full", citations: ["R1"], text: "The disk is full." }];
    await using model = await scriptedModel({ synthesise: json(draftOf({ evidence })) });
    const logs = "10:00 start\n10:01 \u001b[31mERROR\u001b[0m disk full\n";
    const result = await createHarness(model.env()).triage({ ...OOM, logs });
    expect(model.prompts("synthesise")[0]).toContain("10:01 ERROR disk full");
    expect(result).toMatchObject({
      outcome: "cause",
      answer: { evidence: [{ quote: "ERROR disk full", supported: true }] },
    });
  });
});

describe("critique and reflection", () => {
  const weak = json({ feedback: "The cause is not shown.", score: 0.3 });
  const better = draftOf({ summary: { citations: ["R1"], text: "A better summary." } });

  it("improve a weak answer once and return the better one", async () => {
    await using model = await scriptedModel({
      critique: [weak, json({ feedback: "Now it is shown.", score: 0.7 })],
      reflect: json({ ...better, changes: "The evidence was added." }),
    });
    const result = await createHarness(model.env()).triage(OOM);
    expect(model.steps).toEqual(["synthesise", "critique", "reflect", "critique"]);
    expect(model.prompts("reflect")[0]).toContain("The cause is not shown.");
    expect(result).toMatchObject({
      confidence: 0.7,
      answer: { summary: { text: "A better summary." } },
      critique: {
        initial_confidence: 0.3,
        reflected: true,
        changes: "The evidence was added.",
        feedback: "Now it is shown.",
      },
    });
    const [run] = await sql`select initial_confidence, final_confidence, reflected from public.runs`;
    expect(run).toEqual({ initial_confidence: 0.3, final_confidence: 0.7, reflected: true });
  });

  it("drop a reflection with a lower score", async () => {
    await using model = await scriptedModel({
      critique: [weak, json({ feedback: "Worse.", score: 0.1 })],
      reflect: json({ ...better, changes: "Much." }),
    });
    const result = await createHarness(model.env()).triage(OOM);
    expect(result).toMatchObject({ confidence: 0.3, critique: { reflected: true, changes: null } });
    expect(result.answer.summary.text).not.toBe("A better summary.");
  });

  it("keep the first score if the second critique fails", async () => {
    await using model = await scriptedModel({
      critique: [weak, { kind: "status", status: 400 }],
      reflect: json({ ...better, changes: "Something." }),
    });
    const result = await createHarness(model.env()).triage(OOM);
    expect(result).toMatchObject({
      confidence: 0.3,
      answer: { summary: { text: "A better summary." } },
      critique: { reflected: true },
    });
    expect(result.warnings).toMatchObject([{ code: "dependency_refused", dependency: "language_model" }]);
  });

  it("keep the first answer if the reflection fails", async () => {
    await using model = await scriptedModel({ critique: weak, reflect: { kind: "status", status: 400 } });
    const result = await createHarness(model.env()).triage(OOM);
    expect(result).toMatchObject({ mode: "model", confidence: 0.3, critique: { reflected: false } });
    expect(result.warnings).toMatchObject([{ dependency: "language_model" }]);
  });

  it("ask again for an empty critique, with the error", async () => {
    await using model = await scriptedModel({
      critique: [
        json({ feedback: " ", score: 0.9 }),
        { kind: "text", text: "looks good!" },
        json({ feedback: "Good.", score: 1.7 }),
      ],
    });
    const result = await createHarness(model.env()).triage(OOM);
    expect(result).toMatchObject({ mode: "model", critique: { initial_confidence: 1 } });
    expect(result.confidence).toBe(Math.min(1, Number((probabilityOfBest(result) + 0.15).toFixed(2))));
    const [, second = "", third = ""] = model.prompts("critique");
    expect(second).toContain('"feedback" is empty.');
    expect(third).toContain("looks good!");
    expect(third).toContain("not one complete JSON object");
  });

  it("give up after AGENT_RETRIES with an extractive answer", async () => {
    await using model = await scriptedModel({ critique: json({ feedback: "", score: 0.9 }) });
    const result = await createHarness({ ...model.env(), AGENT_RETRIES: "2" }).triage(OOM);
    expect(model.prompts("critique")).toHaveLength(3);
    expect(result).toMatchObject({ mode: "extractive", outcome: "cause", model: null, critique: null });
    expect(result.warnings).toMatchObject([{ code: "dependency_invalid_response", dependency: "language_model" }]);
    expect(result.usage.calls).toBe(4);
  });
});

describe("outcomes", () => {
  it("include benign for a watchdog without a model call", async () => {
    await using model = await scriptedModel();
    const result = await createHarness(model.env()).triage({ title: "Watchdog", labels: { alertname: "Watchdog" } });
    expect(result).toMatchObject({ mode: "extractive", outcome: "benign", confidence: 0.99 });
    expect(model.calls).toHaveLength(0);
  });

  it("include unknown with what to look at next", async () => {
    const unknown = draftOf({
      outcome: "unknown",
      hypotheses: [],
      summary: { citations: [], text: "It is certainly the network." },
      mitigate: draftOf().mitigate,
      look_next: [{ citations: [], text: "Read the log.", command: "docker logs api-gateway" }],
    });
    await using model = await scriptedModel({ synthesise: json(unknown) });
    const result = await createHarness(model.env()).triage(OOM);
    expect(result).toMatchObject({ outcome: "unknown", answer: { mitigate: [], likely_causes: [] } });
    expect(result.answer.summary).toEqual({ text: "Unknown: the recalled texts do not explain this.", citations: [] });
    // Those of the domain: the model's has no source.
    expect(result.answer.look_next.length).toBeGreaterThan(0);
    for (const look of result.answer.look_next) expect(look.text).not.toBe("Read the log.");
    expect(result.answer.prevention).toEqual([]);
  });

  it("name candidates without a quote from the report, and claim no cause", async () => {
    const guess = draftOf({ evidence: [{ quote: "kernel panic", citations: ["R1"], text: "The host panicked." }] });
    await using model = await scriptedModel({ synthesise: json(guess) });
    const result = await createHarness(model.env()).triage(OOM);
    expect(result).toMatchObject({ outcome: "possible", guardrails: { citations_removed: 1 } });
    expect(result.answer).toMatchObject({ likely_causes: [], mitigate: [], worked_before: [], confirm: [] });
    expect(result.answer.possible_causes).toMatchObject([
      {
        text: "The container went over its memory limit.",
        title: result.recalled.runbooks[0]?.title,
        probability: probabilityOfBest(result),
        confirm: [{ text: "Ask Docker whether the kernel killed it." }],
      },
    ]);
    expect(result.answer.evidence[0]).toMatchObject({ quote: null, supported: false });
  });
});

describe("budgets", () => {
  it("record no usage for requests that were not served", async () => {
    await using model = await scriptedModel({ synthesise: { kind: "status", status: 401 } });
    const result = await createHarness(model.env()).triage(OOM);
    expect(result.usage).toMatchObject({ calls: 1, input_tokens: 0, output_tokens: 0, cost_usd: 0 });
  });

  it("record an estimate for an interrupted answer", async () => {
    await using model = await scriptedModel({
      synthesise: { kind: "cut", text: JSON.stringify(draftOf()), afterPieces: 20 },
    });
    const result = await createHarness(model.env()).triage(OOM);
    expect(result.usage.calls).toBe(2);
    expect(result.usage.input_tokens).toBeGreaterThan(2_000);
  });

  it("limit a triage in time even if every store hangs", async () => {
    await using postgres = await lyingServer({ hang: true });
    await using chroma = await lyingServer({ hang: true });
    const harness = createHarness({ SUPABASE_URL: postgres.url, CHROMA_URL: chroma.url, TRIAGE_BUDGET_MS: "1000" });
    expect(harness.services.config.DEPENDENCY_TIMEOUT_MS).toBeGreaterThan(1_000);
    harness.expireHung(postgres, "database");
    harness.expireHung(chroma, "vector_store");
    const startedAt = harness.clock.now().getTime();
    const { response, context } = await harness.open("/v1/triage", {
      method: "POST",
      body: JSON.stringify(OOM),
      headers: { "content-type": "application/json" },
    });
    expect(response.status).toBe(503);
    // The clock moves only to the end of each call.
    expect(harness.clock.now().getTime() - startedAt).toBeLessThanOrEqual(1_000);
    await context.settled();
  });

  it("make answers extractive, with a warning, after the daily tokens", async () => {
    await using model = await scriptedModel();
    const harness = createHarness({ ...model.env(), DAILY_TOKEN_BUDGET: "1000" });
    expect((await harness.triage(OOM)).mode).toBe("model");
    const calls = model.calls.length;
    const spent = await harness.triage(OOM);
    expect(spent).toMatchObject({ mode: "extractive", outcome: "cause", usage: { calls: 0 } });
    expect(spent.warnings).toMatchObject([
      { code: "token_budget_spent", message: expect.stringContaining("1000 tokens") },
    ]);
    expect(model.calls).toHaveLength(calls);
    harness.clock.advance(24 * 3_600_000);
    expect((await harness.triage(OOM)).mode).toBe("model");
  });

  it("treat an unreadable token limit as reached", async () => {
    await using model = await scriptedModel();
    const harness = createHarness({
      ...model.env(),
      DAILY_TOKEN_BUDGET: "1000000",
      SUPABASE_URL: "http://127.0.0.1:9",
    });
    const result = await harness.triage(OOM);
    expect(result).toMatchObject({ mode: "extractive", persisted: false });
    expect(result.warnings.map(({ code }) => code)).toContain("token_budget_spent");
  });

  it("end in an extractive answer when the time is exhausted", async () => {
    await using model = await scriptedModel({ synthesise: { kind: "hang" } });
    const harness = createHarness(model.env());
    harness.expireHung(model, "language_model");
    const result = await harness.triage(OOM);
    expect(result).toMatchObject({ mode: "extractive", outcome: "cause" });
    expect(result.warnings).toMatchObject([{ code: "dependency_timeout", dependency: "language_model" }]);
    expect(result.usage).toMatchObject({ calls: 1 });
  });
});

describe("without a model", () => {
  const ready = async (harness: Harness) => (await harness.request("/health/ready")).json();

  it.each([
    [{}, "Neither MODEL nor ANTHROPIC_API_KEY is set."],
    [{ MODEL: "none", ANTHROPIC_API_KEY: "a-key" }, "MODEL is none."],
    [{ MODEL: "anthropic:claude-haiku-4-5" }, "ANTHROPIC_API_KEY is not set, and a model of Anthropic is configured."],
  ])("shows in readiness why answers are extractive: %j", async (environment: Record<string, string>, mode_reason) => {
    const harness = createHarness(environment);
    expect(await ready(harness)).toMatchObject({ mode: "extractive", model: null, mode_reason });
    expect((await harness.triage(OOM)).mode).toBe("extractive");
  });

  it("ignores a small model alone", async () => {
    const harness = createHarness({ MODEL: " none ", SMALL_MODEL: "anthropic:claude-haiku-4-5" });
    expect(await ready(harness)).toMatchObject({ mode: "extractive", mode_reason: "MODEL is none." });
  });

  it("names configured models in readiness", async () => {
    expect(await ready(createHarness({ ANTHROPIC_API_KEY: "a-key" }))).toMatchObject({
      mode: "model",
      model: {
        answer: "anthropic:claude-haiku-4-5",
        small: "anthropic:claude-haiku-4-5",
        prompt_version: PROMPT_VERSION,
      },
    });
  });
});
