// Validation of documents and requests of the cluster inventory.

import { beforeEach, describe, expect, it } from "vitest";
import { expectProblem, sendJson } from "../support/api.ts";
import { createHarness, emptyStores, sql } from "../support/harness.ts";

const harness = createHarness();
const DOCUMENTS = "/v1/inventory/instances/documents";
const SYNC = "/v1/inventory/instances/sync";

beforeEach(() => emptyStores(harness.services));

function pod(name: string, text = `The pod ${name} serves requests.`, extras: Record<string, unknown> = {}) {
  const metadata = { namespace: "prod", name, kind: "Pod", apiVersion: "v1", apiGroup: "", ...extras };
  return { id: `prod/v1/Pod/${name}`, text, metadata };
}

const manyFields = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`field${i}`, i]));

async function put(documents: readonly unknown[]) {
  const { status, body } = await sendJson(harness, "PUT", DOCUMENTS, { documents });
  expect(status).toBe(200);
  return body;
}

/** The ids in Postgres and in the vector store. */
async function storedIds() {
  const rows = await sql`select d.id from public.documents d join public.collections c on c.id = d.collection_id
    where c.name = 'instances' order by d.id`;
  const records = await harness.services.vectors.find("instances", { limit: 1_000 });
  return { rows: rows.map(({ id }) => id), index: records.map(({ id }) => id).sort() };
}

describe("a document of the largest size", () => {
  it("is stored, found and removed, also with an id of the maximum length", async () => {
    const id = `${"n".repeat(63)}/monitoring.example.com/v1/PrometheusRule/${"r".repeat(200)}`;
    const largest = { ...pod("x", "é".repeat(7_999), manyFields(19)), id };
    expect(await put([largest])).toMatchObject({ upserted: 1, errors: [], indexed: true });
    expect(await storedIds()).toEqual({ rows: [id], index: [id] });
    const response = await harness.post("/v1/search", { collection: "instances", query: "é" });
    expect(await response.json()).toMatchObject({ hits: [{ id, metadata: { field18: 18 } }] });
    expect(await sendJson(harness, "DELETE", DOCUMENTS, { ids: [id] })).toMatchObject({
      body: { deleted: 1, indexed: true },
    });
    expect(await storedIds()).toEqual({ rows: [], index: [] });
  });
});

describe("an invalid document is reported and does not affect the others", () => {
  it.each([
    ["not an object", "pod", null, "document"],
    ["no id", { ...pod("x"), id: undefined }, null, "id"],
    ["an id that is too short", { ...pod("x"), id: "x" }, null, "id"],
    ["an id that is too long", { ...pod("x"), id: `prod/v1/Pod/${"x".repeat(512)}` }, null, "id"],
    ["an id with a secret", { ...pod("x"), id: "prod/v1/Pod/dana@example.com" }, null, "id"],
    ["a NUL in the id", { ...pod("x"), id: "prod/v1/Pod/\0" }, null, "id"],
    ["no text", { ...pod("x"), text: undefined }, "prod/v1/Pod/x", "text"],
    ["a blank text", { ...pod("x"), text: " " }, "prod/v1/Pod/x", "text"],
    ["a text that is too long", { ...pod("x"), text: "x".repeat(16_001) }, "prod/v1/Pod/x", "text"],
    ["a text of too many bytes", { ...pod("x"), text: "é".repeat(8_001) }, "prod/v1/Pod/x", "text"],
    [
      "a text that is too long after redaction",
      { ...pod("x"), text: "91.2.3.45 ".repeat(1_590) },
      "prod/v1/Pod/x",
      "text",
    ],
    ["too many fields", pod("x", "t", manyFields(20)), "prod/v1/Pod/x", "metadata"],
    [
      "a name that is too long",
      pod("x", "t", { ["x".repeat(37)]: "b" }),
      "prod/v1/Pod/x",
      "metadata.x".padEnd(46, "x"),
    ],
    ["a lone surrogate", { ...pod("x"), text: "\ud800" }, "prod/v1/Pod/x", "text"],
    ["no metadata", { ...pod("x"), metadata: undefined }, "prod/v1/Pod/x", "metadata"],
    ["no kind", pod("x", "t", { kind: undefined }), "prod/v1/Pod/x", "metadata.kind"],
    ["a nested value", pod("x", "t", { labels: { a: "b" } }), "prod/v1/Pod/x", "metadata.labels"],
    ["a null value", pod("x", "t", { owner: null }), "prod/v1/Pod/x", "metadata.owner"],
    ["the name of an operator of the store", pod("x", "t", { $and: "b" }), "prod/v1/Pod/x", "metadata.$and"],
    ["the name of an index field", pod("x", "t", { written_at: "b" }), "prod/v1/Pod/x", "metadata.written_at"],
    ["an unknown field", { ...pod("x"), vector: [1] }, "prod/v1/Pod/x", "vector"],
    ["an id twice", pod("good", "again"), "prod/v1/Pod/good", "id"],
  ])("%s", async (_, bad, id, field) => {
    const answer = await put([pod("good"), bad, pod("other")]);
    expect(answer).toMatchObject({ upserted: 2, unchanged: 0, indexed: true, errors: [{ index: 1, id }] });
    expect(answer).toMatchObject({
      errors: [{ errors: expect.arrayContaining([expect.objectContaining({ field })]) }],
    });
    expect((await storedIds()).index).toEqual(["prod/v1/Pod/good", "prod/v1/Pod/other"]);
  });

  it("all documents are invalid", async () => {
    expect(await put(["a", null, 7])).toMatchObject({
      upserted: 0,
      errors: [{ index: 0 }, { index: 1 }, { index: 2 }],
    });
  });
});

describe("an invalid request changes nothing", () => {
  it.each([
    ["no documents", "PUT", DOCUMENTS, { documents: [] }, "documents"],
    ["too many documents", "PUT", DOCUMENTS, { documents: Array(501).fill({}) }, "documents"],
    ["documents that are not a list", "PUT", DOCUMENTS, { documents: {} }, "documents"],
    ["an unknown field", "PUT", DOCUMENTS, { documents: [pod("x")], sync: "a" }, "sync"],
    ["a sync_id with blanks", "PUT", DOCUMENTS, { documents: [pod("x")], sync_id: "a b" }, "sync_id"],
    ["another collection", "PUT", "/v1/inventory/runbooks/documents", { documents: [pod("x")] }, "collection"],
    ["no ids", "DELETE", DOCUMENTS, { ids: [] }, "ids"],
    ["too many ids", "DELETE", DOCUMENTS, { ids: Array(501).fill("x") }, "ids"],
    ["an empty id", "DELETE", DOCUMENTS, { ids: [""] }, "ids.0"],
    ["no sync_id", "POST", SYNC, {}, "sync_id"],
  ])("%s", async (_, method, path, body, field) => {
    const init = { method, body: JSON.stringify(body), headers: { "content-type": "application/json" } };
    const problem = await expectProblem(await harness.request(path, init), 422, "invalid-request");
    expect(problem.errors?.map((error) => error.field)).toContain(field);
    expect((await storedIds()).rows).toEqual([]);
  });

  it("a body above the size limit, with advice to send fewer documents", async () => {
    const body = { documents: [pod("x", "x".repeat(1_048_576))] };
    const init = { method: "PUT", body: JSON.stringify(body), headers: { "content-type": "application/json" } };
    const problem = await expectProblem(await harness.request(DOCUMENTS, init), 413, "body-too-large");
    expect(problem.detail).toContain("fewer documents");
  });
});
