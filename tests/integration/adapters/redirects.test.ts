// Redirects: a server that sends requests elsewhere gets neither keys nor texts there, through any adapter.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { z } from "zod";
import { createChromaStore } from "../../../functions/adapters/chroma.ts";
import { createDatabase } from "../../../functions/adapters/database.ts";
import { createKubernetesClient } from "../../../functions/adapters/evidence/kubernetes.ts";
import { createLokiClient } from "../../../functions/adapters/evidence/loki.ts";
import { createPrometheusClient } from "../../../functions/adapters/evidence/prometheus.ts";
import { sendJson } from "../../../functions/adapters/http/send-json.ts";
import { createHttpReranker } from "../../../functions/adapters/http-reranker.ts";
import type { LanguageModel } from "../../../functions/adapters/language-model.ts";
import { createAnthropicModel } from "../../../functions/adapters/model-providers/anthropic.ts";
import { createOpenAiCompatibleModel } from "../../../functions/adapters/model-providers/openai-compatible.ts";
import { createOpenAiEmbedder } from "../../../functions/adapters/openai-embedder.ts";
import { createOtlpExporter } from "../../../functions/adapters/otlp-exporter.ts";
import { createPhoenix } from "../../../functions/adapters/phoenix.ts";
import { createSlack } from "../../../functions/adapters/slack.ts";
import { evidenceSourceSchema } from "../../../functions/schemas/evidence/source.ts";
import { createTestTimers } from "../../support/test-timers.ts";
import { lyingServer } from "../support/servers/lying-server.ts";

const apiKey = "s3cret-key";
const time = { timeoutMs: 5_000, startTimer: createTestTimers().startTimer };
const { timeoutMs, startTimer } = time;

const ask = (model: LanguageModel, onPartial?: () => void) =>
  model.ask({
    instructions: "be brief",
    turns: [{ role: "user", text: "the disk is full" }],
    schema: z.object({ answer: z.string() }),
    maxOutputTokens: 100,
    timeoutMs,
    onPartial,
    onUsage: () => {},
  });
const slack = (url: string) => createSlack({ apiUrl: `${url}/api`, botToken: "xoxb-s3cret", ...time });
const source = (url: string, kind: string) => evidenceSourceSchema.parse({ name: "main", kind, url });
const message = { text: "the disk is full", blocks: [] };

/** A request through each adapter, to a server at the URL. */
const REQUESTS: Readonly<Record<string, (url: string) => Promise<unknown> | undefined>> = {
  "database.ts": (url) =>
    createDatabase({ url, serviceRoleKey: "s3cret", ...time }).call("get_incident", { p_id: "the disk is full" }),
  "chroma.ts": (url) =>
    createChromaStore({
      url,
      apiKey,
      tenant: "default_tenant",
      database: "default_database",
      fingerprint: "f",
      random: Math.random,
      ...time,
    }).store("c-o-l", [{ id: "a", vector: [1, 0], text: "the disk is full", metadata: {} }]),
  "http/send-json.ts": (url) =>
    sendJson({ url, method: "POST", headers: {}, body: "{}" }, { dependency: "notification_target", ...time }),
  "openai-embedder.ts": (url) =>
    createOpenAiEmbedder({ baseUrl: url, apiKey, model: "m", dimensions: 2, batchSize: 1, ...time }).embed([
      "the disk is full",
    ]),
  "http-reranker.ts": (url) =>
    createHttpReranker({ baseUrl: url, apiKey, model: "m", ...time }).rerank("why?", ["the disk is full", "b"]),
  "model-providers/anthropic.ts": (url) => ask(createAnthropicModel("m", { apiKey, baseUrl: url, startTimer })),
  "model-providers/openai-compatible.ts": (url) =>
    ask(createOpenAiCompatibleModel("m", { baseUrl: url, apiKey, thinking: "default", json: "schema", startTimer })),
  "model-providers/anthropic.ts (a stream)": (url) =>
    ask(createAnthropicModel("m", { apiKey, baseUrl: url, startTimer }), () => {}),
  "evidence/http-source.ts (Prometheus)": (url) =>
    createPrometheusClient(source(url, "prometheus"), apiKey, startTimer).run(
      { language: "promql", expression: "the_disk_is_full", at: new Date(0) },
      { timeoutMs },
    ),
  "evidence/http-source.ts (Loki)": (url) =>
    createLokiClient(source(url, "loki"), apiKey, startTimer).run(
      { language: "logql", expression: '{the="disk is full"}', start: new Date(0), end: new Date(1) },
      { timeoutMs },
    ),
  "evidence/kubernetes-api.ts": (url) =>
    createKubernetesClient(source(url, "kubernetes"), apiKey, startTimer).run(
      {
        language: "k8s",
        request: { resource: "pods", namespace: "shop", name: "the-disk-is-full", labels: {}, fields: {} },
      },
      { timeoutMs },
    ),
  "phoenix.ts": (url) =>
    createPhoenix({ url, apiKey, ...time }).put({
      spanId: "a",
      person: "dana",
      rating: 1,
      comment: "the disk is full",
      triageId: "t",
      incidentId: "i",
    }),
  "otlp-exporter.ts": (url) =>
    createOtlpExporter({ endpoint: url, headers: { authorization: apiKey }, serviceVersion: "1", ...time }).send(
      [
        {
          traceId: "0af7651916cd43dd8448eb211c80319c",
          spanId: "b7ad6b7169203331",
          name: "triage",
          startedAt: new Date(0),
          endedAt: new Date(1),
          attributes: { "input.value": "the disk is full" },
          droppedAttributes: 0,
          parentSpanId: undefined,
          failure: undefined,
        },
      ],
      "dejavu",
    ),
  "slack.ts (an answer)": (url) => slack(url).replyTo(`${url}/commands/1`)?.(message, "person"),
  "slack.ts (the API)": (url) => slack(url).post({ channel: "C1", ts: "1.0" }, message),
};

for (const [adapter, request] of Object.entries(REQUESTS)) {
  it.each([301, 302, 303, 307, 308])(`${adapter} does not follow a redirect with status %i`, async (status) => {
    await using elsewhere = await lyingServer({ answer: () => ({ body: "{}" }) });
    await using server = await lyingServer({
      answer: () => ({ status, body: "{}", headers: { location: `${elsewhere.url}/elsewhere` } }),
    });
    const error: unknown = await request(server.url)?.catch((reason: unknown) => reason);
    expect(elsewhere.requests).toEqual([]);
    expect(server.requests.length).toBeGreaterThan(0);
    expect(error).toMatchObject({ name: "DependencyError", message: expect.stringMatching(/redirect/) });
    expect(error).toMatchObject({ message: expect.not.stringContaining("elsewhere") });
  });
}

const FOLDER = join(import.meta.dirname, "../../../functions/adapters");

/** The files whose text matches, except the one place that calls the platform's fetch. */
function adaptersWith(pattern: RegExp): string[] {
  return readdirSync(FOLDER, { recursive: true, encoding: "utf8" }).filter(
    (file) =>
      file.endsWith(".ts") &&
      file !== join("http", "fetch-direct.ts") &&
      pattern.test(readFileSync(join(FOLDER, file), "utf8")),
  );
}

it("every adapter that sends requests is among them", () => {
  const sending = adaptersWith(
    /\bfetch\(|fetchDirect\b|fetchOptions|create(?:Anthropic|OpenAICompatible)\(|new \w*Client/,
  );
  const tested = new Set(Object.keys(REQUESTS).map((name) => name.split(" ")[0]));
  expect(sending.length).toBeGreaterThan(5);
  expect(sending.filter((file) => !tested.has(file))).toEqual([]);
});

it("no adapter calls the platform's fetch itself", () => {
  expect(adaptersWith(/(?<![.\w])fetch\(/)).toEqual([]);
});
