import { beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { describeSeed, seedRunbooks } from "../../../cli/seed-runbooks.ts";
import { retryOutbox } from "../../../functions/jobs/retry-outbox.ts";
import { expectProblem, sendText } from "../support/api.ts";
import { createHarness, emptyStores, workerEnv } from "../support/harness.ts";
import { runbookFolder } from "../support/runbooks.ts";
import {
  INGRESS,
  idOf,
  NOTE,
  putRunbook,
  RUNBOOK_PATH,
  RUNBOOK_SOURCE,
  sendDocument,
  storedChunks,
} from "../support/sources.ts";
import { makeToken } from "../support/tokens.ts";

const harness = createHarness();
const UNREACHABLE_URL = "http://127.0.0.1:9";

beforeEach(() => emptyStores(harness.services));

describe("a stored source", () => {
  it("is listed by name, page by page, at the endpoint of its kind", async () => {
    await putRunbook(harness);
    await sendText(harness, "/v1/runbooks/docker/a.md", "# A\n\nText.");
    for (const name of ["b", "a", "c"]) await sendDocument(harness, { ...NOTE, source: name });
    await sendDocument(harness, { ...NOTE, source: "d", doc_type: "postmortem", domain: "docker" });
    const list = async (path: string) => (await harness.request(path)).json();
    expect(await list("/v1/runbooks")).toMatchObject({
      runbooks: [{ source: "docker/a.md" }, { source: "kubernetes/team/ingress.md" }],
      next_cursor: null,
    });
    expect(await list("/v1/runbooks?domain=docker")).toMatchObject({ runbooks: [{ source: "docker/a.md" }] });
    const page = z.looseObject({ next_cursor: z.string() }).parse(await list("/v1/documents?limit=3"));
    expect(page).toMatchObject({ documents: [{ source: "a" }, { source: "b" }, { source: "c" }] });
    expect(await list(`/v1/documents?limit=3&cursor=${page.next_cursor}`)).toMatchObject({
      documents: [{ source: "d" }],
      next_cursor: null,
    });
    expect(await list("/v1/documents?doc_type=postmortem&domain=docker")).toMatchObject({
      documents: [{ source: "d" }],
    });
  });

  it.each(["/v1/runbooks?limit=0", "/v1/runbooks?cursor=x", "/v1/documents?doc_type=runbook", "/v1/documents?x=1"])(
    "is not listed for an invalid query: %s",
    async (path) => {
      await expectProblem(await harness.request(path), 422, "invalid-request");
    },
  );

  it("is returned with its text and sections, and removed from both stores", async () => {
    const { body } = await sendDocument(harness, {
      ...NOTE,
      text: "# Upgrade\n\nWent wrong.\n\n## Follow-up\n\nTest it.",
    });
    const path = `/v1/documents/${idOf(body)}`;
    expect(await (await harness.request(path)).json()).toMatchObject({
      source: NOTE.source,
      text: "# Upgrade\n\nWent wrong.\n\n## Follow-up\n\nTest it.",
      sections: [
        { heading: "", text: "Went wrong." },
        { heading: "Follow-up", text: "Test it." },
      ],
    });
    const removed = await harness.request(path, { method: "DELETE" });
    expect({ status: removed.status, body: await removed.json() }).toEqual({ status: 200, body: { indexed: true } });
    expect(await storedChunks(harness.services, NOTE.source)).toEqual({ rows: [], index: [] });
    await expectProblem(await harness.request(path), 404, "not-found");
    await expectProblem(await harness.request(path, { method: "DELETE" }), 404, "not-found");
  });

  it("is not found at the endpoint of the other kind", async () => {
    const { body: runbook } = await putRunbook(harness);
    await expectProblem(await harness.request(`/v1/documents/${idOf(runbook)}`), 404, "not-found");
    await expectProblem(await harness.request("/v1/runbooks/docker/unknown.md"), 404, "not-found");
    await expectProblem(await harness.request("/v1/runbooks/docker/a/b.md", { method: "DELETE" }), 404, "not-found");
    await expectProblem(await harness.request("/v1/documents/not-an-id"), 422, "invalid-request");
  });

  it("has a name that no source of the other kind may take", async () => {
    await putRunbook(harness);
    const clash = { ...NOTE, source: "kubernetes/team/ingress.md" };
    await expectProblem(await harness.post("/v1/documents", clash), 409, "name-taken");
    await sendDocument(harness, { ...NOTE, source: "docker/mine.md" });
    await expectProblem(await sendText(harness, "/v1/runbooks/docker/mine.md", INGRESS), 409, "name-taken");
  });
});

describe("a seeded folder", () => {
  const seed = (directory: string) => seedRunbooks({ env: workerEnv, directory });

  it("does not change sources of the API", async () => {
    await putRunbook(harness);
    await sendDocument(harness, NOTE);
    await using folder = await runbookFolder({ "kubernetes/seeded.md": "# Seeded\n\nText.\n" });
    expect(await seed(folder.directory)).toEqual({ sources: 1, embedded: 1, moved: 0, unchanged: 0, removed: 0 });
    expect((await storedChunks(harness.services, RUNBOOK_SOURCE)).index).toHaveLength(3);
    expect((await storedChunks(harness.services, NOTE.source)).index).toHaveLength(1);
  });

  it("skips a file when the API has a source of the same name, reports it, and loads the file after the source is deleted", async () => {
    await using folder = await runbookFolder({
      "kubernetes/x.md": "# From the folder\n\nText.\n",
      "docker/y.md": "# Y\n\nText.\n",
    });
    await seed(folder.directory);
    expect((await sendText(harness, "/v1/runbooks/kubernetes/x.md", "# From the API\n\nText.\n")).status).toBe(200);
    const report = await seed(folder.directory);
    expect(report).toMatchObject({ embedded: 0, removed: 0, skipped: [{ source: "kubernetes/x.md", origin: "api" }] });
    expect(describeSeed(report)).toContain("left out kubernetes/x.md: the API holds a text of that name");
    const read = async () => (await harness.request("/v1/runbooks/kubernetes/x.md")).json();
    expect(await read()).toMatchObject({ title: "From the API", origin: "api" });
    await harness.request("/v1/runbooks/kubernetes/x.md", { method: "DELETE" });
    expect(await seed(folder.directory)).toMatchObject({ embedded: 1 });
    expect(await read()).toMatchObject({ title: "From the folder", origin: "folder" });
  });

  it("is built in if a deployment sends it; once more changes nothing, and other texts of the name stay", async () => {
    const text = { path: "x.md", markdown: "# X\n\nText.\n", tags: ["disk"] };
    const load = async (body: object) => {
      const response = await harness.post("/v1/admin/built-in-runbooks", { domain: "docker", ...body });
      return { status: response.status, body: await response.json() };
    };
    const none = { embedded: 0, moved: 0, unchanged: 0, removed: 0, kept: [], definition_kept: false };
    const definition = { labels: [{ match: { engine: ["docker"] }, weight: 3 }] };
    expect(await load({ definition, runbooks: [text] })).toEqual({ status: 200, body: { ...none, embedded: 1 } });
    expect(await load({ definition, runbooks: [text] })).toEqual({ status: 200, body: { ...none, unchanged: 1 } });
    const stored = await (await harness.request("/v1/runbooks/docker/x.md")).json();
    expect(stored).toMatchObject({ origin: "built_in", title: "X", tags: ["disk"] });
    expect((await sendText(harness, "/v1/runbooks/docker/x.md", "# Own\n\nText.\n")).status).toBe(200);
    expect(await load({ runbooks: [text] })).toEqual({ status: 200, body: { ...none, kept: ["docker/x.md"] } });
    expect(await load({ domain: "podman", definition, runbooks: [] })).toMatchObject({ status: 409 });
    const headings = "# a\n\n".repeat(2_100);
    expect(await load({ runbooks: [{ path: "y.md", markdown: headings }] })).toMatchObject({ status: 422 });
    const { token } = await makeToken(harness, ["admin"], { domains: ["docker"] });
    const headers = { authorization: `Bearer ${token}` };
    const restricted = await harness.post(
      "/v1/admin/built-in-runbooks",
      { domain: "docker", runbooks: [text] },
      headers,
    );
    expect(restricted.status).toBe(403);
  });

  it("is listed beside the runbooks of the API, with sections", async () => {
    await putRunbook(harness);
    await using folder = await runbookFolder({
      "docker/y.md": "---\ntags: [disk]\n---\n# Y\n\nText.\n\n## Mitigate\n\n1. Do.\n",
    });
    await seed(folder.directory);
    expect(await (await harness.request("/v1/runbooks")).json()).toMatchObject({
      runbooks: [
        { source: "docker/y.md", origin: "folder", title: "Y", tags: ["disk"], chunks: 2 },
        { source: "kubernetes/team/ingress.md", origin: "api" },
      ],
    });
    expect(await (await harness.request("/v1/runbooks/docker/y.md")).json()).toMatchObject({
      text: null,
      sections: [
        { heading: "", text: "Text." },
        { heading: "Mitigate", text: "1. Do." },
      ],
    });
  });
});

describe("an outdated text in the vector store", () => {
  const INCIDENT = { title: "Ingress answers 502", labels: { container_runtime: "kubernetes" } };
  const triageIngress = async () => {
    const { recalled, sources, answer } = await harness.triage(INCIDENT);
    return {
      recalled: recalled.runbooks,
      cited: sources.filter(({ kind }) => kind === "runbook"),
      steps: answer.mitigate.map(({ text }) => text),
    };
  };

  it("is not cited after the source is deleted", async () => {
    await putRunbook(harness);
    expect(await triageIngress()).toMatchObject({ cited: [{}, {}, {}], steps: ["Roll back."] });
    const withoutIndex = createHarness({ CHROMA_URL: UNREACHABLE_URL });
    const removed = await withoutIndex.request(RUNBOOK_PATH, { method: "DELETE" });
    expect({ status: removed.status, body: await removed.json() }).toEqual({ status: 200, body: { indexed: false } });
    expect((await storedChunks(harness.services, RUNBOOK_SOURCE)).index).toHaveLength(3);
    expect(await triageIngress()).toEqual({ recalled: [], cited: [], steps: [] });
  });

  it("is not cited after the source is replaced", async () => {
    await putRunbook(harness);
    // It shares no keyword with the incident.
    const corrected = "# Volume is read-only\n\nAnother story.\n\n## Causes\n\n- None.\n\n## Mitigate\n\n1. Wait.\n";
    const { body } = await putRunbook(createHarness({ CHROMA_URL: UNREACHABLE_URL }), corrected);
    expect(body).toMatchObject({ indexed: false });
    expect(await triageIngress()).toEqual({ recalled: [], cited: [], steps: [] });
  });
});

describe("when a dependency is unavailable", () => {
  it("a text is stored and found by keywords, and by its vector when the index is back", async () => {
    const broken = createHarness({ CHROMA_URL: UNREACHABLE_URL });
    expect((await putRunbook(broken)).body).toMatchObject({ upserted: 3, indexed: false });
    expect((await putRunbook(broken)).body).toMatchObject({ unchanged: 3, indexed: false });
    const { recalled } = await broken.triage({ title: "Ingress 502", labels: { container_runtime: "kubernetes" } });
    expect(recalled.runbooks[0]).toMatchObject({ source: "kubernetes/team/ingress.md" });
    await retryOutbox({ ...harness.services, now: () => new Date(harness.clock.now().getTime() + 61_000) });
    expect((await storedChunks(harness.services, RUNBOOK_SOURCE)).index).toHaveLength(3);
    expect((await putRunbook(harness)).body).toMatchObject({ unchanged: 3, indexed: true });
  });

  it("nothing is written without the database, and the response has a retry-after header", async () => {
    const broken = createHarness({ SUPABASE_URL: UNREACHABLE_URL });
    for (const response of [
      await sendText(broken, RUNBOOK_PATH, INGRESS),
      await broken.post("/v1/documents", NOTE),
      await broken.request("/v1/runbooks"),
      await broken.request(RUNBOOK_PATH, { method: "DELETE" }),
    ]) {
      expect(response.headers.get("retry-after")).toBe("5");
      await expectProblem(response, 503, "dependency-unavailable");
    }
    expect((await storedChunks(harness.services, RUNBOOK_SOURCE)).index).toEqual([]);
  });

  it("concurrent requests with the same text store it once", async () => {
    const responses = await Promise.all(Array.from({ length: 6 }, () => putRunbook(harness)));
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(1);
    const { rows, index } = await storedChunks(harness.services, RUNBOOK_SOURCE);
    expect([rows.length, index.length]).toEqual([3, 3]);
  });
});
