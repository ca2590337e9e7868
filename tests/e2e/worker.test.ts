// Queue, static files and HTTP requests under the real Worker. No test here breaks a server, so they share one Worker.

import { Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readInput } from "../../cli/input/read-input.ts";
import { postTriage } from "../../cli/service/triage-client.ts";
import { seedSomeRunbooks } from "../integration/support/inventory.ts";
import { type RunningStack, startWorker } from "./support/stacks.ts";

const OOM = { title: "api-gateway docker container exited with code 137", target: "api-gateway" };

let stack: RunningStack;

beforeAll(async () => {
  stack = await startWorker();
  await seedSomeRunbooks(stack.workerEnv);
});
afterAll(() => stack?.[Symbol.asyncDispose]());

function call(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { authorization: `Bearer ${stack.info.token}`, "content-type": "application/json" };
  return fetch(new URL(path, stack.info.urls.worker), { ...init, headers: { ...headers, ...init.headers } });
}

describe("the platform's queue", () => {
  it("investigates a reported incident", async () => {
    const receipt = await call("/v1/incidents", { method: "POST", body: JSON.stringify(OOM) });
    expect(receipt.status).toBe(202);
    const location = receipt.headers.get("location") ?? "";
    const incident = async () => (await call(location)).json();
    await expect
      .poll(incident, { timeout: 180_000 })
      .toMatchObject({ status: "triaged", triage: { outcome: "cause" } });
  });
});

describe("a pasted text", () => {
  const ERROR = "org.postgresql.util.PSQLException: FATAL: sorry, too many clients already";
  const frames = (count: number) =>
    Array.from({ length: count }, (_, i) => `\tat com.shop.orders.Chain$Link${i % 90}.handle(Chain.java:${i})\n`).join(
      "",
    );

  async function triageOf(text: string) {
    const { requests, notes } = await readInput({ words: [], files: [], stdin: Readable.from([text]) });
    const [request = {}] = requests;
    return { notes, result: await postTriage(stack.info.urls.worker, stack.info.token, { ...request }) };
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
    const response = await call("/v1/triage", { method: "POST", body: JSON.stringify({ title: frames(20) }) });
    expect(response.status).toBe(422);
    expect(await response.text()).toContain(
      "must have at most 1,000 characters. Put a stack trace, a log or another long text into logs",
    );
  });
});

describe("runbooks, documents and the cluster inventory", () => {
  async function send(method: string, path: string, body: string, type = "application/json") {
    const response = await call(path, { method, headers: { "content-type": type }, body });
    return { status: response.status, body: await response.json() };
  }

  const search = (body: unknown) => send("POST", "/v1/search", JSON.stringify(body));

  it("a runbook under a path with slashes is found by its text and by a substring", async () => {
    const text = "# Ingress answers 502\n\nNo endpoint.\n\n## Mitigate\n\n1. Roll the controller back.\n";
    const put = await send("PUT", "/v1/runbooks/kubernetes/team/ingress.md", text, "text/markdown");
    expect(put).toMatchObject({
      status: 201,
      body: { source: "kubernetes/team/ingress.md", chunks: 2, indexed: true },
    });
    const collection = "runbooks";
    const nearest = { metadata: expect.objectContaining({ source: "kubernetes/team/ingress.md" }) };
    expect(await search({ collection, query: "ingress 502" })).toMatchObject({
      status: 200,
      body: { hits: expect.arrayContaining([expect.objectContaining(nearest)]) },
    });
    expect(await search({ collection, keyword: "Roll the" })).toMatchObject({ body: { hits: [{ distance: null }] } });
  });

  it("a note in plain text is split at sentences and a log at lines", async () => {
    const text = "The pool of orders-db was too small. ".repeat(200);
    const note = { text, source: "handover", doc_type: "note", domain: "postgres" };
    const lines = Array.from({ length: 300 }, (_, i) => `2026-11-21T03:00:00Z step ${"ab".repeat((i % 9) + 1)} failed`);
    const log = { text: lines.join("\n"), source: "run.log", doc_type: "log", domain: "postgres" };
    for (const document of [note, log]) {
      const sent = await send("POST", "/v1/documents", JSON.stringify(document));
      expect(sent).toMatchObject({ status: 201, body: { kind: document.doc_type } });
    }
  });

  it("documents of a cluster are stored in one request, and again without a change", async () => {
    const documents = Array.from({ length: 60 }, (_, i) => ({
      id: `prod/v1/Pod/web-${i}`,
      text: `The pod web-${i} serves requests.`,
      metadata: { namespace: "prod", name: `web-${i}`, kind: "Pod", apiVersion: "v1", apiGroup: "" },
    }));
    const path = "/v1/inventory/instances/documents";
    const put = await send("PUT", path, JSON.stringify({ documents }));
    expect(put).toMatchObject({ status: 200, body: { upserted: 60, errors: [] } });
    const again = await send("PUT", path, JSON.stringify({ documents }));
    expect(again).toMatchObject({ status: 200, body: { upserted: 0, unchanged: 60 } });
  });
});

describe("the reference page", () => {
  function fetchOpenly(path: string, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(new URL(path, stack.info.urls.worker), { headers });
  }

  it("serves the page and every file that it links from its own origin", async () => {
    const page = await fetchOpenly("/docs");
    expect(page.headers.get("content-type")).toMatch(/^text\/html/);
    const policy = page.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';");
    expect(policy).not.toMatch(/unsafe|https?:/);

    const html = await page.text();
    const named = [...html.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path = ""]) => path);
    expect(named).toEqual(["/docs/swagger-ui.css", "/docs/swagger-ui-bundle.js", "/docs/start.js", "/openapi.json"]);
    const types = ["text/css", "text/javascript", "text/javascript", "application/json"];
    for (const [i, path] of named.entries()) {
      const file = await fetchOpenly(path);
      expect([path, file.status, file.headers.get("content-type")?.split(";")[0]]).toEqual([path, 200, types[i]]);
      expect((await file.text()).length).toBeGreaterThan(100);
    }
    expect(html).not.toMatch(/<script(?![^>]* src=)|<style| on\w+=/);
  });

  it("responds with 304 to a browser that has cached a file", async () => {
    const etag = (await fetchOpenly("/docs/swagger-ui.css")).headers.get("etag") ?? "";
    expect(etag).not.toBe("");
    expect((await fetchOpenly("/docs/swagger-ui.css", { "if-none-match": etag })).status).toBe(304);
  });

  it("serves no other file of the package", async () => {
    for (const path of [
      "/docs/package.json",
      "/docs/index.html",
      "/docs/swagger-ui.css.map",
      "/docs/..%2fpackage.json",
    ])
      expect((await fetchOpenly(path)).status).toBe(404);
    for (const path of ["/index.html", "/swagger-ui.css", "/package.json"])
      expect((await fetchOpenly(path)).status).toBe(401);
  });

  it("is not what / serves: that is a page of the Worker", async () => {
    const page = await (await fetchOpenly("/", { accept: "text/html" })).text();
    expect(page).toContain("This service is up");
    expect(page).toContain(new URL("/mcp", stack.info.urls.worker).href);
    expect(await (await fetchOpenly("/")).json()).toMatchObject({ name: "dejavu", status: "ok" });
  });
});
