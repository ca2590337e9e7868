import { beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { expectProblem } from "../support/api.ts";
import { createHarness, emptyStores, sql, workerEnv } from "../support/harness.ts";
import { loadFreshRunbooks } from "../support/inventory.ts";
import { INGRESS, RUNBOOK_PATH } from "../support/sources.ts";
import { bearer, makeToken } from "../support/tokens.ts";

const harness = createHarness();
beforeEach(() => emptyStores(harness.services));

const put = (text: string, headers: Readonly<Record<string, string>> = {}, path = RUNBOOK_PATH) =>
  harness.request(path, { method: "PUT", body: text, headers: { "content-type": "text/markdown", ...headers } });
const get = async (path: string) => (await harness.request(path)).json();
const etagOf = (response: Response) => z.string().parse(response.headers.get("etag"));
const texts = z.object({ versions: z.array(z.object({ number: z.number() })), next_cursor: z.string().nullable() });

describe("the versions of a runbook", () => {
  it("are its texts, redacted, with the token that stored them; the same text adds none", async () => {
    const { token } = await makeToken(harness, ["ingest"], { name: "ci" });
    await put(INGRESS);
    await put(INGRESS);
    await put(`${INGRESS}\nAsk ops@shop.example.\n`, bearer(token));
    expect(await get(`${RUNBOOK_PATH}/versions`)).toMatchObject({
      versions: [
        { number: 2, title: "Ingress answers 502", stored_by: "ci" },
        { number: 1, stored_by: "operator", bytes: INGRESS.length },
      ],
      next_cursor: null,
    });
    expect(await get(`${RUNBOOK_PATH}/versions/1`)).toMatchObject({ number: 1, text: INGRESS });
    const { text } = z.object({ text: z.string() }).parse(await get(`${RUNBOOK_PATH}/versions/2`));
    expect(text).toContain("Ask [REDACTED_EMAIL].");
    expect(await get(RUNBOOK_PATH)).toMatchObject({ updated_by: "ci" });
  });

  it("are paged, and the newest 50 are kept", async () => {
    await put(INGRESS);
    await sql`update public.runbook_versions set number = 60`;
    await sql`insert into public.runbook_versions (source, number, etag, title, bytes, text, stored_at)
      select v.source, n, v.etag, v.title, v.bytes, v.text, v.stored_at from public.runbook_versions v, generate_series(1, 59) n`;
    await put(`${INGRESS}\nMore.\n`);
    const first = texts.parse(await get(`${RUNBOOK_PATH}/versions?limit=49`));
    expect(first.versions.at(0)?.number).toBe(61);
    const second = texts.parse(await get(`${RUNBOOK_PATH}/versions?limit=49&cursor=${first.next_cursor}`));
    expect(second).toMatchObject({ versions: [{ number: 12 }], next_cursor: null });
  });

  it("go with the runbook", async () => {
    await put(INGRESS);
    await harness.request(RUNBOOK_PATH, { method: "DELETE" });
    expect(await sql`select 1 from public.runbook_versions`).toEqual([]);
    await expectProblem(await harness.request(`${RUNBOOK_PATH}/versions`), 404, "not-found");
    await expectProblem(await harness.request(`${RUNBOOK_PATH}/uses`), 404, "not-found");
    await expectProblem(await harness.request(`${RUNBOOK_PATH}/versions/1`), 404, "not-found");
  });

  it("are not mistaken for a runbook of such a name, whose slashes are escaped", async () => {
    await put(INGRESS, {}, "/v1/runbooks/kubernetes/team%2Fversions");
    expect(await get("/v1/runbooks/kubernetes/team%2Fversions")).toMatchObject({ source: "kubernetes/team/versions" });
    await expectProblem(await harness.request("/v1/runbooks/kubernetes/team/versions"), 404, "not-found");
    expect(await get("/v1/runbooks/kubernetes/team%2Fversions/versions")).toMatchObject({ versions: [{ number: 1 }] });
  });
});

describe("a conditional PUT", () => {
  it("stores nothing if somebody else changed the text meanwhile", async () => {
    const read = etagOf(await put(INGRESS));
    const changed = await put(`${INGRESS}\nTheirs.\n`, { "if-match": read });
    expect(changed.status).toBe(200);
    const { detail } = await expectProblem(
      await put(`${INGRESS}\nOurs.\n`, { "if-match": read }),
      412,
      "changed-meanwhile",
    );
    expect(detail).toContain("Read it again");
    const stored = await harness.request(RUNBOOK_PATH);
    expect(etagOf(stored)).toBe(etagOf(changed));
    expect(await stored.json()).toMatchObject({ text: `${INGRESS}\nTheirs.\n` });
    // A repeated request whose response was lost.
    expect((await put(`${INGRESS}\nTheirs.\n`, { "if-match": read })).status).toBe(200);
  });

  it("stores nothing if the runbook was deleted meanwhile", async () => {
    const read = etagOf(await put(INGRESS));
    await harness.request(RUNBOOK_PATH, { method: "DELETE" });
    await expectProblem(await put(INGRESS, { "if-match": read }), 412, "changed-meanwhile");
    expect(await sql`select 1 from public.sources`).toEqual([]);
  });

  it("creates, and replaces none, with If-None-Match", async () => {
    expect((await put(INGRESS, { "if-none-match": "*" })).status).toBe(201);
    await expectProblem(await put("# Other\n\nText.", { "if-none-match": "*" }), 412, "changed-meanwhile");
    expect(await get(RUNBOOK_PATH)).toMatchObject({ text: INGRESS });
  });

  it("needs an ETag of this service", async () => {
    await expectProblem(await put(INGRESS, { "if-match": "abc" }), 422, "invalid-request");
  });
});

describe("a runbook from a folder", () => {
  it("can be read as Markdown, edited and stored", async () => {
    await loadFreshRunbooks(harness.services, workerEnv);
    const [row] = z
      .array(z.object({ source: z.string() }))
      .parse(
        await sql`select source from public.sources where domain = 'docker' and tags <> '{}' order by source limit 1`,
      );
    const path = `/v1/runbooks/${row?.source ?? ""}`;
    const response = await harness.request(path);
    const detail = z
      .object({ text: z.null(), markdown: z.string(), incident_type: z.string(), tags: z.array(z.string()) })
      .parse(await response.json());
    expect(detail.markdown).toMatch(/^---\nincident_type: .*\ntags: \[.*\]\n---\n\n# /);
    const stored = await put(detail.markdown, { "if-match": etagOf(response) }, path);
    expect(await stored.json()).toMatchObject({ origin: "api", tags: detail.tags, problems: [] });
    expect(await get(path)).toMatchObject({ incident_type: detail.incident_type });
    expect(await get(`${path}/versions`)).toMatchObject({ versions: [{ number: 1 }] });
  });
});

describe("the uses of a runbook", () => {
  const REPORT = { title: "Ingress answers 502, the controller finds no endpoint" };

  it("are the incidents whose answers cite it, with how often it helped", async () => {
    await put(INGRESS);
    const helped = await harness.triage({ ...REPORT, target: "edge-1" });
    harness.clock.advance(1_000);
    const failed = await harness.triage({ ...REPORT, target: "edge-2" });
    harness.clock.advance(1_000);
    await harness.triage({ ...REPORT, target: "edge-3" });
    expect(helped.sources).toMatchObject([{ kind: "runbook" }, {}, {}]);
    await harness.post(`/v1/triages/${helped.triage_id}/feedback`, { rating: "up" });
    await harness.post(`/v1/incidents/${failed.incident_id}/resolve`, {
      resolution: "Replaced the certificate of the controller.",
      worked: false,
    });
    const uses = await get(`${RUNBOOK_PATH}/uses?limit=2`);
    expect(uses).toMatchObject({
      totals: { answered: 3, helped: 1, did_not_help: 1 },
      uses: [
        { target: "edge-3", worked: null },
        { target: "edge-2", status: "resolved", worked: false },
      ],
    });
    const counted = { uses: { answered: 3, helped: 1, did_not_help: 1 } };
    expect(await get("/v1/runbooks?text=ingress")).toMatchObject({ runbooks: [counted] });
    expect(await get(RUNBOOK_PATH)).toMatchObject(counted);
    const { next_cursor: cursor } = z.object({ next_cursor: z.string() }).parse(uses);
    expect(await get(`${RUNBOOK_PATH}/uses?limit=2&cursor=${cursor}`)).toMatchObject({
      uses: [{ incident_id: helped.incident_id, triage_id: helped.triage_id, rating_up: 1, rating_down: 0 }],
      next_cursor: null,
    });
  });

  it("are counted for each of its topics, whose name also closes a gap", async () => {
    // Its domain decides for the first alert.
    await put(INGRESS);
    const failure = (name: string, line: string, fix: string) =>
      `## ${name}\n\n### Symptoms\n\nThe log says \`${line}\`.\n\n### Causes\n\n- ${fix} was not done.\n\n### Mitigation\n\n1. ${fix}.\n\n`;
    const path = "/v1/runbooks/kubernetes/team/edge.md";
    const text = `# Edge alerts\n\n${failure("EdgeQuotaSpent", "quota of tenant blue is spent", "Raise the quota")}${failure("EdgeDriftDetected", "drift of the ledger detected", "Replay the ledger")}`;
    const alert = {
      title: "EdgeQuotaSpent",
      labels: { alertname: "EdgeQuotaSpent", domain: "kubernetes" },
      logs: "quota of tenant blue is spent",
    };
    await harness.triage({ ...alert, target: "edge-0" });
    await put(text, {}, path);
    const gaps = z.object({ gaps: z.array(z.object({ runbook: z.string().nullable() })) });
    expect(gaps.parse(await get("/v1/quality/gaps")).gaps).toMatchObject([{ runbook: "kubernetes/team/edge.md" }]);
    harness.clock.advance(1_000);
    const { triage_id } = await harness.triage({ ...alert, target: "edge-1" });
    await harness.post(`/v1/triages/${triage_id}/feedback`, { rating: "up" });
    expect(await get(`${path}/uses`)).toMatchObject({
      totals: { answered: 1, helped: 1 },
      topics: [
        { anchor: "edgequotaspent", title: "EdgeQuotaSpent", answered: 1, helped: 1, did_not_help: 0 },
        { anchor: "edgedriftdetected", answered: 0, helped: 0 },
      ],
      uses: [{ topics: ["edgequotaspent"] }],
    });
  });

  it("go with their incident, and with the runbook", async () => {
    await put(INGRESS);
    const first = await harness.triage({ ...REPORT, target: "edge-1" });
    await harness.triage({ ...REPORT, target: "edge-2" });
    await harness.request(`/v1/incidents/${first.incident_id}`, { method: "DELETE" });
    expect(await get(`${RUNBOOK_PATH}/uses`)).toMatchObject({ totals: { answered: 1 } });
    await harness.request(RUNBOOK_PATH, { method: "DELETE" });
    await put(INGRESS);
    expect(await get(`${RUNBOOK_PATH}/uses`)).toMatchObject({
      totals: { answered: 0, helped: 0, did_not_help: 0, since: null },
      uses: [],
    });
    expect(await sql`select 1 from public.runbook_uses`).toEqual([]);
  });
});

describe("the list of runbooks", () => {
  it("is filtered by a text of the name or the title", async () => {
    await put(INGRESS);
    await put("# Pods restart\n\nText.", {}, "/v1/runbooks/kubernetes/pods.md");
    const named = (text: string) => get(`/v1/runbooks?text=${encodeURIComponent(text)}`);
    expect(await named("answers 502")).toMatchObject({ runbooks: [{ source: "kubernetes/team/ingress.md" }] });
    expect(await named("PODS.md")).toMatchObject({ runbooks: [{ source: "kubernetes/pods.md" }] });
    expect(await named("100%")).toMatchObject({ runbooks: [] });
  });
});

describe("a section that most files of a folder have", () => {
  it("is no part of an answer", async () => {
    const failures = {
      quota: "quota of tenant blue is spent",
      drift: "drift of the ledger detected",
      seal: "seal of the vault broke",
    };
    for (const [name, line] of Object.entries(failures)) {
      const text = `# Edge ${name}\n\n## Symptoms\n\nThe log says \`${line}\`.\n\n## Causes\n\n- The ${name} job did not run.\n\n## Mitigation\n\n1. Run the ${name} job.\n\n## Diagnosis\n\n1. Read the dashboard of the edge team.\n`;
      await put(text, {}, `/v1/runbooks/kubernetes/edge/${name}.md`);
    }
    const report = { title: "Edge quota", logs: failures.quota };
    const { answer } = await harness.triage(report);
    expect(JSON.stringify(answer)).toContain("Run the quota job.");
    expect(JSON.stringify(answer)).not.toContain("the dashboard of the edge team");
    await harness.request("/v1/runbooks/kubernetes/edge/seal.md", { method: "DELETE" });
    // Two files may have a check in common.
    expect(JSON.stringify((await harness.triage({ ...report, target: "edge-2" })).answer)).toContain(
      "the dashboard of the edge team",
    );
  });
});
