// Knowledge comes in and is found again through the real Worker, with the settings that a stranger has.

import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Stack, startStack } from "../../dev/stack/index.ts";

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({ dir: await mkdtemp(join(tmpdir(), "dejavu-knowledge-")), ephemeral: true });
});
afterAll(() => stack?.stop());

async function call(method: string, path: string, body: string, type = "application/json") {
  const headers = { authorization: `Bearer ${stack.info.token}`, "content-type": type };
  const started = performance.now();
  const response = await fetch(new URL(path, stack.info.urls.worker), { method, headers, body });
  console.log(`${method} ${path}: ${response.status} after ${Math.round(performance.now() - started)} ms`);
  return { status: response.status, body: await response.json() };
}

const search = (body: unknown) => call("POST", "/v1/search", JSON.stringify(body));

it("a runbook under a path with slashes is found by its words and by a substring", async () => {
  const text = "# Ingress answers 502\n\nNo endpoint.\n\n## Mitigate\n\n1. Roll the controller back.\n";
  const put = await call("PUT", "/v1/runbooks/kubernetes/team/ingress.md", text, "text/markdown");
  expect(put).toMatchObject({ status: 201, body: { source: "kubernetes/team/ingress.md", chunks: 2, indexed: true } });
  const collection = "runbooks-kubernetes";
  expect(await search({ collection, query: "ingress 502" })).toMatchObject({ status: 200, body: { hits: [{}, {}] } });
  expect(await search({ collection, keyword: "Roll the" })).toMatchObject({ body: { hits: [{ distance: null }] } });
});

it("a note in plain text is cut at its sentences, and a log at its lines", async () => {
  const text = "The pool of orders-db was too small. ".repeat(200);
  const note = { text, source: "handover", doc_type: "note", domain: "postgres" };
  const lines = Array.from({ length: 300 }, (_, i) => `2026-11-21T03:00:00Z step ${"ab".repeat((i % 9) + 1)} failed`);
  const log = { text: lines.join("\n"), source: "run.log", doc_type: "log", domain: "postgres" };
  for (const document of [note, log]) {
    const sent = await call("POST", "/v1/documents", JSON.stringify(document));
    expect(sent).toMatchObject({ status: 201, body: { kind: document.doc_type } });
  }
});

it("500 documents of a cluster are stored at once, and none is lost on the way to the index", async () => {
  const documents = Array.from({ length: 500 }, (_, i) => ({
    id: `prod/v1/Pod/web-${i}`,
    text: `The pod web-${i} serves requests of customers in region ${i % 12}.`,
    metadata: { namespace: "prod", name: `web-${i}`, kind: "Pod", apiVersion: "v1", apiGroup: "" },
  }));
  const path = "/v1/knowledge/instances/documents";
  const put = await call("PUT", path, JSON.stringify({ documents }));
  expect(put).toMatchObject({ status: 200, body: { upserted: 500, errors: [] } });
  const again = await call("PUT", path, JSON.stringify({ documents }));
  expect(again).toMatchObject({ status: 200, body: { upserted: 0, unchanged: 500 } });
});
