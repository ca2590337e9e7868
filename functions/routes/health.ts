// The front door for monitors: alive (open to all), ready (each dependency, its latency and version).

import { createRoute, z } from "@hono/zod-openapi";
import { settle } from "../dependencies.ts";
import { PROMPT_VERSION } from "../investigation/prompts/version.ts";
import { collectionOf } from "../search-index/collections.ts";
import type { Services } from "../services.ts";
import { createRouter } from "./http/router.ts";
import { requireToken } from "./middleware/authenticate.ts";
import { limitRequests } from "./middleware/rate-limit.ts";
import { BEARER_SCHEME, requireScope } from "./middleware/require-scope.ts";

const dependencySchema = z.object({
  vendor: z.string().describe("The product behind the role."),
  status: z.enum(["ok", "failing"]),
  latency_ms: z.number(),
  version: z.string().nullable(),
  reason: z.string().nullable().describe("Why it fails; null while it does not."),
});
type Dependency = z.infer<typeof dependencySchema>;

const readySchema = z.object({
  status: z.enum(["ready", "degraded", "unavailable"]).describe("Degraded: triage answers, with warnings."),
  version: z.string(),
  mode: z
    .enum(["extractive", "model"])
    .describe("Extractive: answers quote what was recalled. Model: a language model writes them from it."),
  model: z
    .object({ answer: z.string(), small: z.string(), prompt_version: z.string() })
    .nullable()
    .describe("What writes the answers, and what classifies and criticises. It is not asked: a question costs."),
  mode_reason: z.string().describe("Which setting decided the mode."),
  reranker: z.string().nullable().describe("What puts the best runbooks in order. It is not asked: that costs, too."),
  dependencies: z.object({ database: dependencySchema, vector_store: dependencySchema, embedder: dependencySchema }),
});

const timedOut = (vendor: string): Dependency => ({
  vendor,
  status: "failing",
  latency_ms: 2_000,
  version: null,
  reason: "timeout",
});
const UNAVAILABLE: z.infer<typeof readySchema> = {
  status: "unavailable",
  version: "0.1.0",
  mode: "extractive",
  model: null,
  mode_reason: "Neither MODEL nor ANTHROPIC_API_KEY is set.",
  reranker: null,
  dependencies: {
    database: timedOut("PostgreSQL"),
    vector_store: timedOut("Chroma"),
    embedder: timedOut("OpenAI-compatible"),
  },
};

const aliveRoute = createRoute({
  method: "get",
  path: "/health",
  summary: "Is the service up?",
  responses: {
    200: {
      description: "It is.",
      content: { "application/json": { schema: z.object({ status: z.literal("ok"), version: z.string() }) } },
    },
  },
});

const readyRoute = createRoute({
  method: "get",
  path: "/health/ready",
  summary: "Can the service answer, and how well?",
  security: [{ [BEARER_SCHEME]: ["read"] }],
  middleware: [requireToken, limitRequests, requireScope("read")] as const,
  responses: {
    200: { description: "It can.", content: { "application/json": { schema: readySchema } } },
    503: {
      description: "Nothing can be searched.",
      content: { "application/json": { schema: readySchema, example: UNAVAILABLE } },
    },
  },
});

export const healthRoutes = createRouter()
  .openapi(aliveRoute, (c) => c.json({ status: "ok" as const, version: c.get("services").version }, 200))
  .openapi(readyRoute, async (c) => {
    const services = c.get("services");
    const { database, vectors, embeddings, vendors } = services;
    const [databaseHealth, vectorStoreHealth, embedderHealth] = await Promise.all([
      probe(services, vendors.database, () => database.call("server_version", {}, z.string())),
      probe(services, vendors.vectorStore, async () => {
        // Another model's vectors, a wrong database or key: the server is up and still of no use.
        await vectors.initialize(collectionOf("runbooks", "docker"));
        return vectors.version();
      }),
      probe(services, vendors.embedder, async () => {
        await embeddings.embed(["ready?"]);
        return embeddings.model;
      }),
    ]);
    const denseWorks = vectorStoreHealth.status === "ok" && embedderHealth.status === "ok";
    const keywordsWork = databaseHealth.status === "ok";
    const status = denseWorks && keywordsWork ? "ready" : denseWorks || keywordsWork ? "degraded" : "unavailable";
    const body = {
      status,
      version: services.version,
      ...describeMode(services),
      reranker: services.reranker?.model ?? null,
      dependencies: { database: databaseHealth, vector_store: vectorStoreHealth, embedder: embedderHealth },
    } as const;
    return c.json(body, status === "unavailable" ? 503 : 200);
  });

function describeMode({ models, config }: Services) {
  if (models) {
    const { answer, small } = models;
    return {
      mode: "model",
      model: { answer: answer.model.name, small: small.model.name, prompt_version: PROMPT_VERSION },
      mode_reason: config.MODEL === undefined ? "ANTHROPIC_API_KEY is set." : "MODEL is set.",
    } as const;
  }
  const mode_reason =
    config.MODEL === "none"
      ? "MODEL is none."
      : config.MODEL === undefined
        ? "Neither MODEL nor ANTHROPIC_API_KEY is set."
        : "ANTHROPIC_API_KEY is not set, and a model of Anthropic is configured.";
  return { mode: "extractive", model: null, mode_reason } as const;
}

/** @param ask returns the version of the dependency */
async function probe({ now }: Services, vendor: string, ask: () => Promise<string>): Promise<Dependency> {
  const started = now().getTime();
  const latency = () => now().getTime() - started;
  const version = await settle(ask());
  return version.ok
    ? { vendor, status: "ok", latency_ms: latency(), version: version.value, reason: null }
    : { vendor, status: "failing", latency_ms: latency(), version: null, reason: version.error.failure };
}
