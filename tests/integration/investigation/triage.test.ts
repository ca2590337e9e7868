import { Readable } from "node:stream";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { readInput } from "../../../cli/input/read-input.ts";
import { triageResultSchema } from "../../../functions/schemas/triage-result.ts";
import { createHarness, deleteIncidents, sql, workerEnv } from "../support/harness.ts";
import { loadFreshRunbooks } from "../support/inventory.ts";
import { embedderAt } from "../support/servers/embedding-server.ts";
import { lyingServer } from "../support/servers/lying-server.ts";

const OOM = { title: "api-gateway docker container exited with code 137", target: "api-gateway", severity: "critical" };

const SUPABASE_URL = workerEnv.SUPABASE_URL ?? "";

let harness = createHarness();

const triage = (body: unknown, headers?: Record<string, string>) => harness.triage(body, headers);

beforeAll(() => loadFreshRunbooks(harness.services, workerEnv));
beforeEach(async () => {
  harness = createHarness();
  await deleteIncidents(harness.services);
});

describe("a triage", () => {
  it("answers from the fitting runbook with causes, confirming commands and mitigations", async () => {
    const result = await triage(OOM);
    expect(result).toMatchObject({
      mode: "extractive",
      outcome: "cause",
      persisted: true,
      warnings: [],
      domain: { name: "docker", rule: 'words "docker", "container"' },
      incident_type: { name: "oom_killed", rule: 'words "exited with code 137"' },
    });
    expect(result.confidence).toBeGreaterThan(0.5);
    expect(result.recalled.runbooks[0]).toMatchObject({ source: "docker/exit-137-out-of-memory.md", relevant: true });
    expect(result.answer.likely_causes.length).toBeGreaterThan(0);
    expect(result.answer.confirm.some(({ command }) => command?.includes("OOMKilled"))).toBe(true);
    expect(result.answer.mitigate.some(({ effect, undo }) => effect === "changes_state" && undo !== null)).toBe(true);
  });

  it("cites in every statement a stored chunk or incident that its sources list", async () => {
    await triage(OOM);
    const result = await triage(OOM);
    const { summary, likely_causes, confirm, mitigate, worked_before, prevention } = result.answer;
    const cited = [summary, ...likely_causes, ...confirm, ...mitigate, ...worked_before, ...prevention].flatMap(
      ({ citations }) => citations,
    );
    expect(cited.length).toBeGreaterThan(5);
    const rows = await sql`select id from public.documents`;
    const stored = new Set(rows.map(({ id }) => id));
    const sources = new Set(result.sources.map(({ id }) => id));
    for (const id of cited) {
      expect(stored).toContain(id);
      expect(sources).toContain(id);
    }
    expect(sources).toEqual(new Set(cited));
  });

  it("names the report's objects for the placeholders of its commands, and stores the commands without them", async () => {
    const labels = { kubernetes_pod_name: "checkout-7d9f8", namespace: "shop-blue", container: "a; reboot" };
    const report = { title: "A pod keeps restarting and is in CrashLoopBackOff", labels };
    const result = await triage(report);
    expect(result.placeholders).toEqual({ "<pod>": "checkout-7d9f8", "<namespace>": "shop-blue" });
    const commands = JSON.stringify(result.answer.confirm);
    expect(commands).toContain("<pod> -n <namespace>");
    const [stored] = await sql`select result from public.triages where id = ${result.triage_id}`;
    expect(triageResultSchema.parse(stored?.result)).toEqual(result);
    // The next answer to such a failure must not show a name of this one.
    const again = await triage({ title: report.title, labels: { pod: "ledger-1", namespace: "shop-green" } });
    expect(again.placeholders).toMatchObject({ "<pod>": "ledger-1", "<namespace>": "shop-green" });
    // Past incidents and past answers have no source.
    const memory = await sql`select body from public.documents where source is null`;
    expect(memory.length).toBeGreaterThan(0);
    expect(JSON.stringify(memory)).not.toMatch(/kubectl[^"]*(?:checkout-7d9f8|shop-blue|ledger-1|shop-green)/);
    expect(JSON.stringify(again.answer)).not.toMatch(/checkout-7d9f8|shop-blue/);
  });

  it("explains each hit: the shown parts give its score", async () => {
    await triage(OOM);
    const { recalled } = await triage(OOM);
    expect(recalled.runbooks.length).toBe(5);
    expect(recalled.incidents.length).toBe(1);
    for (const { score, features } of recalled.runbooks) {
      const sum = Object.values(features).reduce((total, feature) => total + (feature?.value ?? 0), 0);
      expect(score).toBeCloseTo(sum, 9);
    }
    for (const { score, probability, ranking } of recalled.incidents) {
      const { quality = 0, adjust = 0, decay = 0 } = ranking ?? {};
      expect(score).toBeCloseTo(probability * (0.7 + 0.3 * quality) * adjust * decay, 9);
    }
    for (const { score, ranking } of recalled.past_answers) {
      expect(score).toBeCloseTo((ranking.cosine + ranking.rating + ranking.session) * ranking.decay, 9);
    }
  });

  it("has outcome unknown and quotes no runbook if nothing recalled is relevant", async () => {
    const result = await triage({ title: "The coffee machine on floor 3 is broken" });
    expect(result).toMatchObject({ outcome: "unknown", sources: [] });
    expect(result.answer).toMatchObject({ likely_causes: [], confirm: [], mitigate: [], worked_before: [] });
    expect(result.answer.summary.text).toMatch(/^Unknown: no recalled runbook covers this/);
    expect(result.recalled.runbooks.every(({ relevant }) => !relevant)).toBe(true);
  });

  it("accepts a question instead of a title, and a type from the caller", async () => {
    const result = await triage({ question: "why was my container killed with exit code 137?" });
    expect(result).toMatchObject({ title: "why was my container killed with exit code 137?", outcome: "cause" });
    const typed = await triage({ title: "api-gateway is gone", incident_type: "oom_killed" });
    expect(typed.incident_type).toEqual({ name: "oom_killed", rule: "given by the caller" });
  });

  it("uses the logs if the title is vague", async () => {
    const logs = `${"2026-03-01T02:59:00Z INFO serving\n".repeat(500)}2026-03-01T03:00:00Z FATAL: sorry, too many clients already`;
    const result = await triage({ title: "checkout is down", labels: { source_type: "database" }, logs });
    expect(result).toMatchObject({ outcome: "cause", incident_type: { name: "connection_exhaustion" } });
    expect(result.recalled.runbooks[0]?.source).toBe("postgres/connection-slots-exhausted-53300.md");
  });
});

describe("memory", () => {
  it("shows the first triage of an incident as a past incident in the second, and its fix once there is one", async () => {
    const first = await triage(OOM);
    expect(first.recalled.incidents).toEqual([]);

    harness.clock.advance(60_000);
    const second = await triage(OOM);
    expect(second.recalled.incidents).toMatchObject([{ id: first.incident_id, relevant: true, resolution: null }]);
    expect(second.recalled.incidents[0]?.features).toMatchObject({ dense: { rank: 1 }, bm25: { rank: 1 } });
    expect(second.answer.worked_before[0]).toMatchObject({
      citations: [first.incident_id],
      text: expect.stringContaining("No fix recorded."),
    });

    const resolution = "Raised the memory limit to 1 GiB; the cache had no bound.";
    const resolved = await harness.post(`/v1/incidents/${first.incident_id}/resolve`, {
      resolution,
      resolved_by: "dana",
    });
    expect(resolved.status).toBe(200);
    expect(await resolved.json()).toMatchObject({ status: "resolved", resolution, resolved_by: "dana" });

    const third = await triage(OOM);
    const past = third.recalled.incidents.find(({ id }) => id === first.incident_id);
    expect(past).toMatchObject({ resolution, resolved_by: "dana", relevant: true });
    expect(third.answer.worked_before.map(({ text }) => text).join()).toContain(
      `Fixed by: ${resolution} (dana, 2026-03-01)`,
    );
    // The index has the fix too, for when Postgres is unavailable.
    const [record] = await harness.services.vectors.find("incidents", {
      limit: 9,
      containing: "cache had no bound",
    });
    expect(record).toMatchObject({ id: first.incident_id, metadata: { resolution } });
  });

  it("shows the fix although the same alert came back unresolved", async () => {
    const first = await triage(OOM);
    const resolution = `Raised the limit. ${"Long words about why the cache had no bound and who noticed it. ".repeat(3)}`;
    await harness.post(`/v1/incidents/${first.incident_id}/resolve`, { resolution });
    for (let i = 0; i < 8; i++) {
      harness.clock.advance(60_000);
      await triage(OOM);
    }
    const last = await triage(OOM);
    expect(last.recalled.incidents[0]).toMatchObject({ id: first.incident_id, relevant: true });
    expect(last.answer.worked_before[0]?.text).toContain("Fixed by: Raised the limit.");
  });

  it("keeps a resolution that arrives during the triage", async () => {
    let incidentId = "";
    await using racing = await lyingServer({
      forwardTo: SUPABASE_URL,
      before: async (path) => {
        if (!path.endsWith("/finish_run")) return undefined;
        const [row] = await sql`select id from public.incidents`;
        incidentId = row?.id;
        await harness.post(`/v1/incidents/${incidentId}/resolve`, { resolution: "resolved itself" });
        return undefined;
      },
    });
    expect((await createHarness({ SUPABASE_URL: racing.url }).post("/v1/triage", OOM)).status).toBe(200);
    const [row] = await sql`select body from public.documents where id = ${incidentId}`;
    expect(row?.body).toContain("Resolution: resolved itself");
    const [incident] = await sql`select status from public.incidents where id = ${incidentId}`;
    expect(incident?.status).toBe("resolved");
  });

  it("keeps one record for an incident, with its metadata", async () => {
    const { incident_id } = await triage(OOM);
    await harness.post(`/v1/incidents/${incident_id}/resolve`, { resolution: "one" });
    await harness.post(`/v1/incidents/${incident_id}/resolve`, { resolution: "two" });
    const records = await harness.services.vectors.find("incidents", { limit: 9 });
    expect(records).toHaveLength(1);
    expect(records[0]).toMatchObject({
      id: incident_id,
      metadata: {
        incident_id,
        title: OOM.title,
        target: "api-gateway",
        severity: "critical",
        incident_type: "oom_killed",
        tools_used: "runbooks,incidents,past_answers,procedures",
        stored_at: harness.clock.now().toISOString(),
      },
    });
    expect(records[0]?.text).toContain("Resolution: two");
    const outbox = await sql`select attempts, done_at is not null as done, last_error from public.outbox order by id`;
    expect(outbox.map((row) => ({ ...row }))).toEqual(Array(6).fill({ attempts: 1, done: true, last_error: null }));
  });

  it("gives an old incident less weight than a recent one", async () => {
    const old = await triage({ ...OOM, target: "checkout" });
    harness.clock.advance(365 * 86_400_000);
    const young = await triage({ ...OOM, target: "payments" });
    const { recalled } = await triage(OOM);
    expect(recalled.incidents.map(({ id }) => id)).toEqual([young.incident_id, old.incident_id]);
    const [first, second] = recalled.incidents;
    expect(second?.score).toBeLessThan((first?.score ?? 0) * 0.55);
  });

  it("writes the run in two phases, with the hit counts and the confidence", async () => {
    const result = await triage({ ...OOM, session_id: "slack:C1:42" });
    const runs = await sql`select * from public.runs`;
    expect(runs).toHaveLength(1);
    expect(runs[0]).toMatchObject({
      session_id: "slack:C1:42",
      query: OOM.title,
      injection_blocked: false,
      memory_hit_count: 0,
      reflected: false,
      initial_confidence: result.confidence,
      final_confidence: result.confidence,
    });
    expect(runs[0]?.finished_at).not.toBeNull();
    expect(runs[0]?.retrieval_hit_count).toBeGreaterThan(4);
  });
});

describe("an Idempotency-Key", () => {
  const key = { "idempotency-key": "alert-7f3a" };

  it("returns the first result for a repeated request", async () => {
    const first = await harness.post("/v1/triage", OOM, key);
    harness.clock.advance(5_000);
    const again = await harness.post(
      "/v1/triage",
      { severity: OOM.severity, target: OOM.target, title: OOM.title },
      key,
    );
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(await again.json()).toEqual(await first.json());
    expect(await sql`select 1 from public.incidents`).toHaveLength(1);
    expect(await sql`select 1 from public.runs`).toHaveLength(1);
  });

  it("rejects another body with the same key", async () => {
    await triage(OOM, key);
    const other = await harness.post("/v1/triage", { title: "something else" }, key);
    expect(other.status).toBe(422);
    expect(await other.json()).toMatchObject({ type: "urn:dejavu:problem:idempotency-key-reused" });
    expect(await sql`select 1 from public.incidents`).toHaveLength(1);
  });

  it("triages once for two simultaneous requests", async () => {
    const responses = await Promise.all([1, 2, 3].map(() => harness.post("/v1/triage", OOM, key)));
    const statuses = responses.map(({ status }) => status).sort();
    expect(statuses[0]).toBe(200);
    expect(statuses.every((status) => status === 200 || status === 409)).toBe(true);
    expect(await sql`select 1 from public.incidents`).toHaveLength(1);
  });

  it("works although the call that starts the run was cut", async () => {
    let calls = 0;
    await using flaky = await lyingServer({
      forwardTo: SUPABASE_URL,
      before: () => (++calls === 1 ? "cut" : undefined),
    });
    const first = await createHarness({ SUPABASE_URL: flaky.url }).post("/v1/triage", OOM, key);
    expect(await first.json()).toMatchObject({ persisted: true, warnings: [] });
    const again = await harness.post("/v1/triage", OOM, key);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
  });

  it("lets a repeated request take over after the first one died", async () => {
    await sql`insert into public.idempotency_keys (key, request_hash, started_at, incident_id)
      select 'dead', 'x', ${harness.clock.now()}, gen_random_uuid()`;
    const hashOfFirst = await harness.post("/v1/triage", OOM, { "idempotency-key": "probe" });
    expect(hashOfFirst.status).toBe(200);
    await sql`update public.idempotency_keys set request_hash = (select request_hash from public.idempotency_keys where key = 'probe') where key = 'dead'`;
    const early = await harness.post("/v1/triage", OOM, { "idempotency-key": "dead" });
    expect(early.status).toBe(409);
    expect(early.headers.get("retry-after")).not.toBeNull();
    harness.clock.advance(11_000);
    expect((await harness.post("/v1/triage", OOM, { "idempotency-key": "dead" })).status).toBe(200);
  });
});

describe("a pasted stack trace", () => {
  const ERROR = "org.postgresql.util.PSQLException: FATAL: sorry, too many clients already";
  const frames = (count: number) =>
    Array.from({ length: count }, (_, i) => `\tat com.shop.orders.Chain$Link${i % 90}.handle(Chain.java:${i})\n`).join(
      "",
    );

  async function triageOf(text: string) {
    const { requests, notes } = await readInput({ words: [], files: [], stdin: Readable.from([text]), say: () => {} });
    return { notes, result: await triage(requests[0]) };
  }

  it("of 600 kB is answered as its message alone", async () => {
    const trace = `com.shop.OrderException: could not place order 4711\n${frames(40)}Caused by: ${ERROR}\n${frames(12_000)}`;
    expect(trace.length).toBeGreaterThan(600_000);
    const short = await triageOf(ERROR);
    const long = await triageOf(trace);
    expect(long.notes).toEqual([expect.stringContaining("were kept: its start, its end and the error lines")]);
    expect(long.result.title).toBe(`com.shop.OrderException: could not place order 4711; caused by ${ERROR}`);
    const answerOf = ({ outcome, domain, sources }: typeof long.result) => [outcome, domain.name, sources[0]?.source];
    expect(answerOf(short.result)).toEqual(["cause", "postgres", "postgres/connection-slots-exhausted-53300.md"]);
    expect(answerOf(long.result)).toEqual(answerOf(short.result));
  });

  it("is refused as a title, with a sentence that says where it belongs", async () => {
    const response = await harness.post("/v1/triage", { title: frames(20) });
    expect(response.status).toBe(422);
    expect(await response.text()).toContain(
      "must have at most 1,000 characters. Put a stack trace, a log or another long text into logs",
    );
  });
});

describe("a triage that could not be stored", () => {
  it("has a warning, and is stored after the response when the database is available again", async () => {
    let finishes = 0;
    // The call and its one retry are cut; the background retry succeeds.
    await using flaky = await lyingServer({
      forwardTo: SUPABASE_URL,
      before: (path) => (path.endsWith("/finish_run") && ++finishes <= 2 ? "cut" : undefined),
    });
    const response = await createHarness({ SUPABASE_URL: flaky.url }).post("/v1/triage", OOM);
    const result = triageResultSchema.parse(await response.json());
    expect(result).toMatchObject({
      persisted: false,
      warnings: [{ dependency: "database", message: expect.stringContaining("could not be confirmed as stored") }],
    });
    const stored = await harness.request(`/v1/incidents/${result.incident_id}`);
    expect(await stored.json()).toMatchObject({ status: "triaged" });
    const [run] = await sql`select finished_at from public.runs`;
    expect(run?.finished_at).not.toBeNull();
    expect(await harness.services.vectors.find("incidents", { limit: 9 })).toHaveLength(1);
  });
});

describe("a failed triage", () => {
  it("is closed with confidence 0, and its key can be used again", async () => {
    // Starting and closing the run succeed; the keyword search, Chroma and the embedder fail.
    await using begins = await lyingServer({
      forwardTo: SUPABASE_URL,
      before: (path) => (path.endsWith("/search_collections") ? "cut" : undefined),
    });
    const nobody = "http://127.0.0.1:9";
    const broken = createHarness({ ...embedderAt(nobody), SUPABASE_URL: begins.url, CHROMA_URL: nobody });
    const key = { "idempotency-key": "k" };
    const response = await broken.post("/v1/triage", OOM, key);
    expect(response.status).toBe(503);
    const [run] = await sql`select finished_at, final_confidence from public.runs`;
    expect(run).toMatchObject({ finished_at: broken.clock.now(), final_confidence: 0 });
    const [incident] = await sql`select status from public.incidents`;
    expect(incident?.status).toBe("failed");
    expect((await harness.post("/v1/triage", OOM, key)).status).toBe(200);
  });
});
