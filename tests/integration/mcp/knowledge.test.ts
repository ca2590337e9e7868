// vector_search, ingest_debug_document and resources.

import { readFile } from "node:fs/promises";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { sendJson } from "../support/api.ts";
import { createHarness, deleteIncidents, sql, workerEnv } from "../support/harness.ts";
import { loadFreshRunbooks } from "../support/inventory.ts";
import { connectAgent } from "../support/mcp-agent.ts";
import { embedderAt } from "../support/servers/embedding-server.ts";
import { errorOf, OOM, rpc, sender, UNKNOWN_ID, UNREACHABLE } from "./support.ts";

const harness = createHarness();
const send = sender(harness);

beforeAll(() => loadFreshRunbooks(harness.services, workerEnv));
beforeEach(() => deleteIncidents(harness.services));

const replySchema = z.object({ hits: z.array(z.object({ id: z.string(), distance: z.number().nullable() })) });

describe("vector_search", () => {
  const search = async (args: Record<string, unknown>) => {
    await using agent = await connectAgent(harness.open);
    return await agent.call("vector_search", args);
  };

  it("searches by meaning, substring and metadata, and numbers the hits", async () => {
    const filters = { op: "equals", field: "kind", value: "runbook" };
    const answer = await search({ collection: "runbooks", query: OOM, keyword: "137", filters, limit: 2 });
    const { hits } = replySchema.parse(answer.data);
    expect(hits).toHaveLength(2);
    for (const hit of hits) expect(hit).toMatchObject({ distance: expect.any(Number) });
    expect(answer.text).toMatch(/^1\. .+ \(distance 0\.\d+, .+\)\n.+\n\n2\. /s);
  });

  it("takes kind, apiGroup, namespace and cluster as plain fields, beside filters", async () => {
    const objects = [
      ["shop", "Deployment", "apps", "eu-1"],
      ["shop", "Pod", "", "eu-1"],
      ["edge", "Deployment", "apps", "eu-1"],
      ["shop", "Deployment", "apps", "us-1"],
    ] as const;
    for (const [namespace, kind, apiGroup, cluster] of objects) {
      const metadata = { namespace, name: "web", kind, apiVersion: "v1", apiGroup };
      const document = { id: `${namespace}/${apiGroup}/v1/${kind}/web`, text: "Serves the shop.", metadata };
      const { status } = await sendJson(harness, "PUT", "/v1/inventory/instances/documents", {
        cluster,
        documents: [document],
      });
      expect(status).toBe(200);
    }
    const idsOf = async (args: Record<string, unknown>) => {
      const { data } = await search({ collection: "instances", ...args });
      return replySchema
        .parse(data)
        .hits.map(({ id }) => id)
        .sort();
    };
    const eu = "cluster:eu-1/shop/apps/v1/Deployment/web";
    const us = "cluster:us-1/shop/apps/v1/Deployment/web";
    expect(await idsOf({ kind: "Deployment", namespace: "shop" })).toEqual([eu, us]);
    expect(await idsOf({ kind: "Deployment", namespace: "shop", cluster: "us-1" })).toEqual([us]);
    expect(await idsOf({ apiGroup: "", query: "shop" })).toEqual(["cluster:eu-1/shop//v1/Pod/web"]);
    const filters = { op: "in", field: "kind", values: ["Deployment", "Pod"] };
    expect(await idsOf({ kind: "Deployment", namespace: "shop", filters, keyword: "eu-1" })).toEqual([eu]);
    await sendJson(harness, "DELETE", "/v1/inventory/instances/documents", { cluster: "eu-1" });
    await sendJson(harness, "DELETE", "/v1/inventory/instances/documents", { cluster: "us-1" });
    expect(await idsOf({ kind: "Deployment" })).toEqual([]);
  });

  it("needs no embedding without a query, and reports an empty result", async () => {
    await using agent = await connectAgent(createHarness(embedderAt(UNREACHABLE)).open);
    const answer = await agent.call("vector_search", { collection: "runbooks", keyword: "OOMKilled" });
    expect(answer).toMatchObject({ isError: false, text: expect.stringContaining("OOMKilled") });
    expect(await search({ collection: "instances", keyword: "nginx" })).toEqual({
      isError: false,
      text: "Nothing was found.",
      data: { collection: "instances", hits: [] },
      links: [],
    });
  });

  it.each([
    [{}, "collection: "],
    [{ collection: "past_answers", query: OOM }, "collection: "],
    [{ collection: "runbooks" }, "query: is needed"],
    [{ collection: "runbooks", query: OOM, limit: 1_000 }, "limit: "],
    [
      { collection: "instances", kind: "Pod", filters: { op: "equals", field: "kind", value: "Node" } },
      'kind: is "Pod", and filters require another kind: remove one of them',
    ],
    [
      {
        collection: "instances",
        namespace: "shop",
        filters: { op: "and", filters: [{ op: "in", field: "namespace", values: ["edge", "core"] }] },
      },
      "namespace: ",
    ],
    [
      {
        collection: "instances",
        kind: "Pod",
        filters: { op: "and", filters: Array(8).fill({ op: "equals", field: "owner", value: "shop" }) },
      },
      "filters: must have at most 8 conditions",
    ],
    [{ collection: "runbooks", filters: { op: "not", field: "kind" } }, "filters"],
  ])("rejects %j", async (args, fault) => {
    expect(await search(args)).toMatchObject({ isError: true, text: expect.stringContaining(fault) });
  });
});

describe("ingest_debug_document", () => {
  const NOTE = {
    text: "# The flux capacitor\n\nIt drifts when payments-db is slow. Token ghp_a1B2c3D4e5F6g7H8i9J0a1B2c3D4e5F6g7H8.",
    source: "notes/flux-capacitor",
    doc_type: "note",
    tags: ["flux"],
    domain: "docker",
  };

  afterEach(async () => {
    const [row] = await sql`select id from public.sources where source = ${NOTE.source}`;
    if (row) await harness.request(`/v1/documents/${row.id}`, { method: "DELETE" });
  });

  it("stores a redacted note once, and the next search finds it", async () => {
    await using agent = await connectAgent(harness.open);
    const first = await agent.call("ingest_debug_document", NOTE);
    expect(first.data).toMatchObject({
      source: NOTE.source,
      kind: "note",
      domain: "docker",
      upserted: 1,
      indexed: true,
    });
    expect(first.text).toMatch(
      /^Stored the note "The flux capacitor" as notes\/flux-capacitor \(id [0-9a-f]{16}\) under docker \(given by the caller\)\./,
    );
    const answer = await agent.call("vector_search", { collection: "runbooks", keyword: "flux capacitor" });
    expect(answer.text).toContain("It drifts when payments-db is slow. Token [REDACTED_GITHUB]");
    const again = await agent.call("ingest_debug_document", NOTE);
    expect(again.text).toMatch(
      /^Updated the note .+\nChunks: 0 new or changed, 1 unchanged, 0 removed\.\nSearches see it now\.$/s,
    );
  });

  it("rejects a text above 512 KB", async () => {
    await using agent = await connectAgent(harness.open);
    const answer = await agent.call("ingest_debug_document", { ...NOTE, text: `${"é".repeat(262_144)}.` });
    expect(answer).toMatchObject({ isError: true, text: expect.stringContaining("524289 bytes") });
    expect(await sql`select 1 from public.sources where source = ${NOTE.source}`).toHaveLength(0);
  });

  it("does not replace a runbook with the same name", async () => {
    await using agent = await connectAgent(harness.open);
    const source = "docker/exit-137-out-of-memory.md";
    const answer = await agent.call("ingest_debug_document", { ...NOTE, source });
    expect(answer).toMatchObject({ isError: true, text: expect.stringContaining("A runbook has this name") });
  });

  it("reports late indexing without Chroma, and that nothing is stored without Postgres", async () => {
    await using later = await connectAgent(createHarness({ CHROMA_URL: UNREACHABLE }).open);
    const answer = await later.call("ingest_debug_document", NOTE);
    expect(answer).toMatchObject({ isError: false, data: { indexed: false } });
    expect(answer.text).toContain("Searches by meaning see it within minutes");
    await using never = await connectAgent(createHarness({ SUPABASE_URL: UNREACHABLE }).open);
    expect(await never.call("ingest_debug_document", NOTE)).toMatchObject({
      isError: true,
      text: expect.stringContaining("the database did not answer"),
    });
  });

  it.each([
    [{}, "text: "],
    [{ ...NOTE, text: " " }, "text: must not be empty"],
    [{ ...NOTE, doc_type: "runbook" }, "doc_type: "],
    [{ ...NOTE, source: "ann@example.com" }, "source: looks as if"],
    [{ ...NOTE, tags: ["a,b"] }, "tags.0: must not contain a comma"],
    [{ ...NOTE, ttl: 5 }, "ttl: is not a known field"],
  ])("rejects %j", async (args, fault) => {
    await using agent = await connectAgent(harness.open);
    expect(await agent.call("ingest_debug_document", args)).toMatchObject({
      isError: true,
      text: expect.stringContaining(fault),
    });
  });
});

describe("resources", () => {
  it("are listed page by page, each once", async () => {
    await sql`insert into public.sources (source, id, domain, kind, origin, title, bytes, chunks, created_at, updated_at)
      select 'docker/many/' || n, 'many-' || n, 'docker', 'runbook', 'folder', 'One of many', 1, 1, now(), now()
      from generate_series(1, 1001) n`;
    try {
      await using agent = await connectAgent(harness.open);
      const names: string[] = [];
      for (let cursor: string | undefined, pages = 1; pages > 0; pages = cursor === undefined ? 0 : pages + 1) {
        const page = await agent.client.listResources(cursor === undefined ? {} : { cursor });
        names.push(...page.resources.map(({ name }) => name));
        cursor = page.nextCursor;
      }
      expect(names.filter((name) => name.startsWith("docker/many/"))).toHaveLength(1_001);
      expect(new Set(names).size).toBe(names.length);
    } finally {
      await sql`delete from public.sources where source like 'docker/many/%'`;
    }
  });

  it("reject an invalid cursor", async () => {
    await using agent = await connectAgent(harness.open);
    await expect(agent.client.listResources({ cursor: "made up" })).rejects.toMatchObject({
      code: -32_602,
      message: expect.stringContaining("nextCursor"),
    });
  });

  it("list every runbook and the newest incidents", async () => {
    const { incident_id } = await harness.triage({ title: OOM, target: "api-gateway" });
    await using agent = await connectAgent(harness.open);
    const { resources } = await agent.client.listResources();
    expect(resources).toContainEqual({
      uri: "dejavu://runbooks/docker/exit-137-out-of-memory.md",
      name: "docker/exit-137-out-of-memory.md",
      title: expect.stringContaining("137"),
      description: "Runbook for docker",
      mimeType: "text/markdown",
    });
    expect(resources.filter(({ uri }) => uri.startsWith("dejavu://runbooks/"))).toHaveLength(6);
    expect(resources.at(-1)).toMatchObject({
      uri: `dejavu://incidents/${incident_id}`,
      title: OOM,
      description: expect.stringMatching(/^Incident on api-gateway, triaged, reported 2026-03-01T/),
    });
    const { resourceTemplates } = await agent.client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      "dejavu://runbooks/{domain}/{+source}",
      "dejavu://incidents/{id}",
    ]);
  });

  it("list at most the newest twenty incidents", async () => {
    const newest: string[] = [];
    for (let i = 0; i < 21; i++) {
      harness.clock.advance(1_000);
      const { incident_id } = await harness.triage({ title: "watchdog", labels: { alertname: "Watchdog" } });
      newest.unshift(`dejavu://incidents/${incident_id}`);
    }
    await using agent = await connectAgent(harness.open);
    const { resources } = await agent.client.listResources();
    const uris = resources.map(({ uri }) => uri).filter((uri) => uri.startsWith("dejavu://incidents/"));
    expect(uris).toEqual(newest.slice(0, 20));
  });

  async function read(uri: string): Promise<string> {
    await using agent = await connectAgent(harness.open);
    const { contents } = await agent.client.readResource({ uri });
    return z
      .tuple([z.object({ uri: z.literal(uri), mimeType: z.literal("text/markdown"), text: z.string() })])
      .parse(contents)[0].text;
  }

  it("return a whole runbook", async () => {
    const text = await read("dejavu://runbooks/docker/exit-137-out-of-memory.md");
    const original = await readFile(
      new URL("../../../seeds/runbooks/docker/exit-137-out-of-memory.md", import.meta.url),
      "utf8",
    );
    const words = (markdown: string) => markdown.replace(/^---\n.*?\n---\n/s, "").match(/\S+/g) ?? [];
    expect(words(text)).toEqual(words(original));
  });

  it("return a runbook of the API unchanged, with plain or escaped slashes in its URI", async () => {
    const markdown = "# Ingress answers 502\n\n## Mitigate\n\n1. Restart the controller.\n";
    await harness.request("/v1/runbooks/kubernetes/team/my ingress.md", {
      method: "PUT",
      headers: { "content-type": "text/markdown" },
      body: markdown,
    });
    await using agent = await connectAgent(harness.open);
    const { resources } = await agent.client.listResources();
    expect(resources).toContainEqual(
      expect.objectContaining({
        uri: "dejavu://runbooks/kubernetes/team/my%20ingress.md",
        title: "Ingress answers 502",
      }),
    );
    expect(await read("dejavu://runbooks/kubernetes/team/my%20ingress.md")).toBe(markdown);
    expect(await read("dejavu://runbooks/kubernetes/team%2Fmy%20ingress.md")).toBe(markdown);
    await harness.request("/v1/runbooks/kubernetes/team/my ingress.md", { method: "DELETE" });
  });

  it("return an incident with its timeline, its answer and its fix", async () => {
    const { incident_id, triage_id } = await harness.triage({ title: OOM, target: "api-gateway", logs: "```\noom" });
    await harness.post(`/v1/incidents/${incident_id}/resolve`, { resolution: "raised the limit", resolved_by: "dana" });
    const text = await read(`dejavu://incidents/${incident_id}`);
    for (const part of [`# ${OOM}`, "- Status: resolved", "- Target: api-gateway", "raised the limit (dana)"])
      expect(text).toContain(part);
    expect(text).toContain(`triage ${triage_id}.\n\n(confidence: `);
    expect(text).toMatch(
      /## Timeline\n\n- \S+ \S+ UTC Reported\n- \S+ \S+ UTC Answered: .+\n- \S+ \S+ UTC Resolved by .+\n/,
    );
    expect(text.endsWith("## Logs\n\n````\n```\noom\n````")).toBe(true);
  });

  it.each([
    `dejavu://incidents/${UNKNOWN_ID}`,
    "dejavu://incidents/1",
    "dejavu://runbooks/docker/nothing.md",
    "dejavu://runbooks/windows/exit-137-out-of-memory.md",
    "dejavu://runbooks/podman/exit-137-out-of-memory.md",
    "dejavu://runbooks/docker/%E0%A4%A",
    "dejavu://runbooks/docker/a%00b",
    "dejavu://runbooks/docker",
    "file:///etc/passwd",
  ])("return an error for %s", async (uri) => {
    const error = await errorOf(await send(rpc("resources/read", { uri })));
    expect(error).toMatchObject({ code: -32_602, message: expect.stringContaining("resources/list") });
  });

  it("complete the beginning of a domain", async () => {
    await using agent = await connectAgent(harness.open);
    const ref = { type: "ref/resource", uri: "dejavu://runbooks/{domain}/{+source}" } as const;
    const completed = async (name: string, value: string) =>
      (await agent.client.complete({ ref, argument: { name, value } })).completion.values;
    expect(await completed("domain", "po")).toEqual(["podman", "postgres"]);
    expect(await completed("source", "po")).toEqual([]);
  });
});
