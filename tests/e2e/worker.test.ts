// The real Worker with all that it talks to: assets, queue, model, reranker, Slack, MCP, the console in a browser, and
// the platform's rate limits. All tests share one Worker. tests/extended/e2e breaks its servers.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { readEvents, type StreamedEvent } from "../../cli/service/event-stream.ts";
import { followTriage, postTriage } from "../../cli/service/triage-client.ts";
import { problemSchema } from "../../functions/routes/http/problem-schema.ts";
import { seedSomeRunbooks } from "../integration/support/inventory.ts";
import type { ModelReply } from "../integration/support/servers/model-server.ts";
import { type RerankServer, rerankServer } from "../integration/support/servers/rerank-server.ts";
import { draftOf, json, type ScriptedModel, scriptedModel } from "../integration/support/servers/scripted-model.ts";
import {
  commandBody,
  type FakeSlack,
  fakeSlack,
  mentionBody,
  type Posted,
  pressBody,
  signed,
  submissionBody,
} from "../integration/support/servers/slack-server.ts";
import { chromiumPath, launchChromium } from "../support/chromium.ts";
import { type RunningStack, startWorker } from "./support/stacks.ts";

const OOM = { title: "api-gateway docker container exited with code 137", target: "api-gateway" };
const CLASSIFIED = json({ domain: "docker", incident_type: "oom_killed", search_query: "container killed" });
const ANSWER = json(draftOf());
/** Its parts are written to the client one after another: a write that fails shows that the client has disconnected. */
const SLOW_ANSWER: ModelReply = { kind: "json", value: draftOf(), paceMs: 100 };

/** Requests a minute of one caller, and wrong tokens of one network. The other tests send fewer. */
const LIMIT = 100;
/** So many requests in less than a minute span at most two windows and exceed the limit in one of them. */
const TOO_MANY = 2 * LIMIT + 1;

const POLL = { timeout: 180_000 };
/** Sends a request each time: rare enough for the rate limit. */
const SLOW_POLL = { ...POLL, interval: 1_000 };

let model: ScriptedModel;
let reranker: RerankServer;
let slack: FakeSlack;
let stack: RunningStack;
let classify: ModelReply;
let synthesise: ModelReply;

beforeAll(async () => {
  model = await scriptedModel({ classify: () => classify, synthesise: () => synthesise });
  reranker = await rerankServer((document) => (document.startsWith("Container killed") ? 0.9 : 0.1), { wire: "jina" });
  slack = await fakeSlack();
  stack = await startWorker({
    variables: { ...model.env(), ...reranker.env, ...slack.environment },
    requestsPerMinute: LIMIT,
  });
  await seedSomeRunbooks(stack.workerEnv);
});
beforeEach(() => {
  classify = CLASSIFIED;
  synthesise = ANSWER;
});
afterAll(async () => {
  await stack?.[Symbol.asyncDispose]();
  for (const server of [model, reranker, slack]) await server?.[Symbol.asyncDispose]();
});

const urlOf = (path: string) => new URL(path, stack.info.urls.worker);

function fetchOpenly(path: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(urlOf(path), { headers });
}

function call(path: string, init: RequestInit = {}, token = stack.info.token): Promise<Response> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  return fetch(urlOf(path), { ...init, headers: { ...headers, ...init.headers } });
}

function post(path: string, body: unknown): Promise<Response> {
  return call(path, { method: "POST", body: JSON.stringify(body) });
}

async function incidentOf(id: string): Promise<unknown> {
  return (await call(`/v1/incidents/${id}`)).json();
}

describe("the reference page", () => {
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

  it("is not what / serves", async () => {
    expect(await (await fetchOpenly("/")).json()).toMatchObject({ name: "dejavu", status: "ok" });
  });
});

describe("the files of the console", () => {
  it("are served with a strict policy, and kept by their hashed names", async () => {
    const page = await fetchOpenly("/console");
    expect([page.status, page.headers.get("cache-control")]).toEqual([200, "no-cache"]);
    expect(page.headers.get("content-security-policy")).toContain("script-src 'self'; style-src 'self'");
    expect(page.headers.get("content-security-policy")).not.toMatch(/unsafe|\*|https?:|data:/);
    expect(page.headers.get("x-content-type-options")).toBe("nosniff");
    const files = [...(await page.text()).matchAll(/(?:src|href)="(\/console\/assets\/[^"]+)"/g)];
    expect(files.length).toBeGreaterThanOrEqual(3);
    for (const [, path = ""] of files) {
      expect(path).toMatch(/-[\w-]{8}\.(?:js|css|svg)$/);
      const file = await fetchOpenly(path);
      expect([path, file.status]).toEqual([path, 200]);
      expect(file.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
      expect(file.headers.get("x-content-type-options")).toBe("nosniff");
    }
  });

  it("are the same page for an address within the console; a file that does not exist is 404", async () => {
    const [page, deep] = await Promise.all(["/console", "/console/incidents/1?x=2"].map((path) => fetchOpenly(path)));
    expect(await deep?.text()).toBe(await page?.text());
    for (const path of ["/console/assets/index-00000000.js", "/console.html"])
      expect((await fetchOpenly(path)).headers.get("content-type") ?? "", path).not.toContain("text/html");
    expect((await fetchOpenly("/console/assets/index-00000000.js")).status).toBe(404);
  });

  it("do not include the page itself without its policy", async () => {
    for (const path of ["/console/index.html", "/console/", "/console/index"]) {
      const response = await fetchOpenly(path);
      const policy = response.headers.get("content-security-policy") ?? "";
      expect([path, !response.ok || policy.includes("default-src 'none'")]).toEqual([path, true]);
    }
    expect((await fetchOpenly("/_headers")).status).not.toBe(200);
  });
});

describe("the platform's queue", () => {
  it("investigates a reported incident", async () => {
    const receipt = await post("/v1/incidents", OOM);
    expect(receipt.status).toBe(202);
    const location = receipt.headers.get("location") ?? "";
    await expect
      .poll(async () => (await call(location)).json(), SLOW_POLL)
      .toMatchObject({ status: "triaged", triage: { outcome: "cause" } });
  });
});

describe("the language model and the reranker", () => {
  it("give the answer, in one body and streamed", async () => {
    const { worker } = stack.info.urls;
    const before = reranker.inputs.length;
    const result = await postTriage(worker, stack.info.token, OOM);
    expect(result).toMatchObject({ mode: "model", outcome: "cause", confidence: 0.8, warnings: [], persisted: true });
    expect(reranker.inputs.slice(before)).toMatchObject([{ authorization: "Bearer rerank-key" }]);
    expect(result.recalled.reranking?.documents[0]).toMatchObject({
      source: "docker/exit-137-out-of-memory.md",
      after: { place: 1, score: 0.9 },
    });
    const events: StreamedEvent[] = [];
    const streamed = await followTriage(worker, stack.info.token, OOM, (event) => events.push(event));
    const kinds = events.map(({ event }) => event).filter((event, i, all) => event !== all[i - 1]);
    expect(kinds).toEqual(["recall", "token", "critique", "done"]);
    expect(streamed.answer.summary).toEqual(result.answer.summary);
  });

  const stream = (body: unknown, signal: AbortSignal) =>
    call("/v1/triage", {
      method: "POST",
      headers: { accept: "text/event-stream" },
      body: JSON.stringify(body),
      signal,
    });

  it("stop when the client disconnects, and the incident is kept", async () => {
    synthesise = SLOW_ANSWER;
    const controller = new AbortController();
    const response = await stream(OOM, controller.signal);
    let incident = "";
    for await (const event of readEvents(response.body ?? new ReadableStream())) {
      if (event.event === "recall") incident = event.data.incident_id;
      if (event.event === "token") break;
    }
    controller.abort();
    const slow = model.callsOf("synthesise").at(-1);
    await slow?.ended;
    expect(slow?.aborted).toBe(true);
    await expect
      .poll(() => incidentOf(incident), SLOW_POLL)
      .toMatchObject({ status: "triaged", triage: { mode: "extractive", warnings: [{ code: "cancelled" }] } });
  });

  it("are not called further when the client disconnects before the first event", async () => {
    classify = { kind: "hang" };
    const controller = new AbortController();
    const before = model.steps.length;
    const request = stream({ question: "why does my container keep dying?" }, controller.signal).catch(() => undefined);
    await expect.poll(() => model.steps.length, POLL).toBe(before + 1);
    controller.abort();
    await request;
    const hanging = model.callsOf("classify").at(-1);
    await hanging?.ended;
    expect(hanging?.aborted).toBe(true);
    expect(model.steps.slice(before)).toEqual(["classify"]);
  });

  it("answer an MCP client with progress, and stop when it disconnects", async () => {
    const client = new Client({ name: "a-test", version: "1.0.0" });
    const headers = { authorization: `Bearer ${stack.info.token}` };
    await client.connect(new StreamableHTTPClientTransport(urlOf("/mcp"), { requestInit: { headers } }));
    expect(client.getServerVersion()).toMatchObject({ name: "dejavu" });
    await client.listTools();
    const ask = { name: "search_debugging_knowledge", arguments: { question: OOM.title } };
    const steps: string[] = [];
    const onprogress = ({ message = "" }) => void steps.push(message);
    const answer = await client.callTool(ask, { onprogress });
    expect(answer).toMatchObject({ structuredContent: { mode: "model", outcome: "cause", confidence: 0.8 } });
    expect(steps[0]).toMatch(/^Searching/);
    expect(steps.at(-1)).toBe("A critic gives draft 1 0.80.");

    synthesise = SLOW_ANSWER;
    const { promise: writing, resolve } = Promise.withResolvers<void>();
    const outcome = client
      .callTool(ask, { onprogress: ({ message }) => message?.startsWith("Writing") && resolve() })
      .catch(() => "disconnected");
    await writing;
    await client.close();
    expect(await outcome).toBe("disconnected");
    const slow = model.callsOf("synthesise").at(-1);
    await slow?.ended;
    expect(slow?.aborted).toBe(true);
  });
});

describe("Slack", () => {
  /** Sends a request as Slack does. */
  async function send(body: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    const response = await fetch(urlOf("/slack"), signed(body, new Date(), headers));
    expect(response.status, await response.clone().text()).toBe(200);
    return response;
  }

  async function message(count: number): Promise<Posted | undefined> {
    await expect.poll(() => slack.posted.length, POLL).toBe(count);
    return slack.posted[count - 1];
  }

  const responseUrl = () => `${slack.server.url}/commands/T0001/1/x`;

  it("sends a command, a button, its dialog and a mention, and gets their answers", async () => {
    expect(await (await send(commandBody(OOM.title, responseUrl()))).text()).toContain("Investigating");
    const triaged = await message(1);
    expect(triaged?.text).toMatch(/^Known failure/);
    const { elements } = z
      .object({ elements: z.array(z.object({ value: z.string() })) })
      .parse(triaged?.blocks.find(({ type }) => type === "actions"));

    await send(pressBody("resolved", elements[0]?.value ?? "", { responseUrl: responseUrl() }));
    await expect.poll(() => slack.dialogs.length, POLL).toBe(1);
    const [dialog] = slack.dialogs;
    if (dialog === undefined) throw new Error("No dialog was opened.");
    const submitted = await send(submissionBody(dialog, { fix: "Raised the memory limit to 2 GiB." }));
    expect(await submitted.json()).toEqual({ response_action: "clear" });
    expect(JSON.stringify((await message(2))?.blocks)).toContain("Resolved by dana");

    await send(mentionBody(`<@U0LAN0Z89> ${OOM.title}`), { "content-type": "application/json" });
    expect(await message(3)).toMatchObject({ channel: "C0LAN2Q65", thread_ts: "1772334000.000100" });
    expect(slack.server.requests.at(-1)).toBe("POST /api/chat.postMessage");
  });

  it("is refused with a replayed signature and with an invalid one", async () => {
    const init = signed(commandBody("help", responseUrl()), new Date());
    const forged = { ...init, body: commandBody("help me", responseUrl()) };
    const statuses: number[] = [];
    for (const request of [init, init, forged]) statuses.push((await fetch(urlOf("/slack"), request)).status);
    expect(statuses).toEqual([200, 401, 401]);
  });
});

describe.runIf(chromiumPath)("a person in a browser", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  it("signs in by a link, reads an incident, and records what fixed it", async () => {
    const { incident_id: id } = await postTriage(stack.info.urls.worker, stack.info.token, OOM);
    const { url } = z.object({ url: z.string() }).parse(await (await post("/v1/session/codes", undefined)).json());
    const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
    const page = await context.newPage();
    const messages: string[] = [];
    page.on("console", (message) => messages.push(message.text()));
    page.on("pageerror", (error) => messages.push(error.message));

    await page.goto(url);
    await page.getByRole("heading", { level: 1, name: "Incidents" }).waitFor();
    expect(page.url()).not.toContain("code=");
    const [cookie] = await context.cookies();
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Strict" });

    await page.locator(`main a[href$="/console/incidents/${id}"]`).first().click();
    await page.getByText("exit-137-out-of-memory", { exact: false }).first().waitFor();
    await page.locator("main").press("r");
    await page.getByRole("dialog").waitFor();
    // Offered where other incidents of the stack were fixed before.
    const another = page.getByRole("radio", { name: "Something else" });
    if ((await another.count()) > 0) await another.check();
    await page.getByRole("textbox", { name: /^(?:The fix|What fixed it)/ }).fill("Raised the memory limit to 1 GiB");
    await page
      .getByRole("button", { name: /^(?:Resolve|Record)/ })
      .last()
      .click();
    await page.getByRole("button", { name: "Reopen" }).waitFor();
    expect(await incidentOf(id)).toMatchObject({ status: "resolved" });
    // A 401 before the sign-in is no failure.
    expect(messages.filter((text) => !text.includes("401"))).toEqual([]);
  });
});

// Last: they use up limits.
describe("the platform's rate limits", () => {
  async function expectLimit(responses: readonly Response[], otherwise: number): Promise<void> {
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([otherwise, 429]));
    const refused = responses.find(({ status }) => status === 429);
    expect(refused?.headers.get("retry-after")).toBe("60");
    expect(problemSchema.parse(await refused?.json()).type).toBe("urn:dejavu:problem:rate-limited");
  }

  const times = (request: (index: number) => Promise<Response>) =>
    Promise.all(Array.from({ length: TOO_MANY }, (_, index) => request(index)));

  it("end what a new token may do within its scopes", async () => {
    const created = await post("/v1/admin/tokens", { name: "grafana", scopes: ["read"] });
    expect(created.status, await created.clone().text()).toBe(201);
    const { token } = z.object({ token: z.string() }).parse(await created.json());
    expect((await call("/v1/incidents", {}, token)).status).toBe(200);
    expect((await call("/v1/admin/tokens", {}, token)).status).toBe(403);
    // A path that needs no store.
    await expectLimit(await times(() => call("/v1/none", {}, token)), 404);
  });

  it("end wrong tokens from one address", async () => {
    await expectLimit(await times((index) => call("/v1/incidents", {}, `wrong-secret-${index}`)), 401);
  });
});
