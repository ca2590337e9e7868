// Health checks: GET /health needs no token; GET /health/ready reports each dependency with its latency and version.

import { createRoute, z } from "@hono/zod-openapi";
import { DependencyError, type DependencyFailure, settle } from "../dependencies.ts";
import { PROMPT_VERSION } from "../investigation/prompts/version.ts";
import { APPLY_MIGRATIONS, isOlderSchema, SCHEMA_VERSION } from "../schemas/database/schema-version.ts";
import type { Services } from "../services.ts";
import { createRouter, jsonContent } from "./http/router.ts";
import { requireToken } from "./middleware/authenticate.ts";
import { limitRequests } from "./middleware/rate-limit.ts";
import { BEARER_SCHEME, requireScope } from "./middleware/require-scope.ts";

const dependencySchema = z.object({
  vendor: z.string().describe("The product behind the role."),
  status: z.enum(["ok", "failing"]),
  latency_ms: z.number(),
  version: z.string().nullable(),
  reason: z.string().nullable().describe("Failure code; null when the status is ok."),
  action: z.string().nullable().describe("What an operator does about this failure; null if nothing is known."),
});
type Dependency = z.infer<typeof dependencySchema>;

export const readySchema = z.object({
  status: z.enum(["ready", "degraded", "unavailable"]).describe("`degraded`: triage works, with warnings."),
  version: z.string(),
  mode: z
    .enum(["extractive", "model"])
    .describe("`extractive`: answers quote recalled text. `model`: a language model writes them from recalled text."),
  model: z
    .object({ answer: z.string(), small: z.string(), prompt_version: z.string() })
    .nullable()
    .describe(
      "The models that write answers, and that classify and critique. They are not called here, because calls cost money.",
    ),
  mode_reason: z.string().describe("The setting that decides the mode."),
  reranker: z.string().nullable().describe("The reranker's model. It is not called here, because calls cost money."),
  dependencies: z.object({ database: dependencySchema, vector_store: dependencySchema, embedder: dependencySchema }),
});

const ready = (vendor: string, version: string): Dependency => ({
  vendor,
  status: "ok",
  latency_ms: 3,
  version,
  reason: null,
  action: null,
});
const READY: z.infer<typeof readySchema> = {
  status: "ready",
  version: "0.1.0",
  mode: "extractive",
  model: null,
  mode_reason: "Neither MODEL nor ANTHROPIC_API_KEY is set.",
  reranker: null,
  dependencies: {
    database: ready("PostgreSQL", "18.4"),
    vector_store: ready("Chroma", "1.0.0"),
    embedder: ready("built-in", "word-vectors-ed8ee17d"),
  },
};

const timedOut = (vendor: string): Dependency => ({
  vendor,
  status: "failing",
  latency_ms: 2_000,
  version: null,
  reason: "timeout",
  action: null,
});
const UNAVAILABLE: z.infer<typeof readySchema> = {
  ...READY,
  status: "unavailable",
  dependencies: {
    database: timedOut("PostgreSQL"),
    vector_store: timedOut("Chroma"),
    embedder: timedOut("Cloudflare Workers AI"),
  },
};

const aliveRoute = createRoute({
  method: "get",
  path: "/health",
  summary: "Check that the service is up",
  responses: {
    200: jsonContent(
      "The service is up.",
      z.object({ status: z.literal("ok"), version: z.string().openapi({ example: "0.1.0" }) }),
    ),
  },
});

const readyRoute = createRoute({
  method: "get",
  path: "/health/ready",
  summary: "Check that the service and its dependencies are ready",
  security: [{ [BEARER_SCHEME]: ["read"] }],
  middleware: [requireToken, limitRequests, requireScope("read")] as const,
  responses: {
    200: jsonContent("The service is ready, or degraded.", readySchema, READY),
    503: jsonContent("The service is unavailable: no search works.", readySchema, UNAVAILABLE),
  },
});

export const healthRoutes = createRouter()
  .openapi(aliveRoute, (c) => c.json({ status: "ok" as const, version: c.get("services").version }, 200))
  .openapi(readyRoute, async (c) => {
    const services = c.get("services");
    const { database, vectors, embeddings, vendors } = services;
    const [databaseHealth, vectorStoreHealth, embedderHealth] = await Promise.all([
      probe(services, vendors.database, async () => {
        const [version, applied] = await Promise.all([
          database.call("server_version", {}, z.string()),
          database.call("applied_migrations", {}, z.array(z.string())),
        ]);
        if (isOlderSchema(applied))
          throw new DependencyError("database", "schema_outdated", `migration ${SCHEMA_VERSION} is not applied`);
        return version;
      }),
      probe(services, vendors.vectorStore, async () => {
        // Fails for vectors of another model, a wrong database or a wrong key, although the server is up.
        await vectors.initialize("runbooks");
        return vectors.version();
      }),
      probe(services, vendors.embedder, async () => {
        await embeddings.embed(["ready?"], "query");
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
    ? { vendor, status: "ok", latency_ms: latency(), version: version.value, reason: null, action: null }
    : { vendor, status: "failing", latency_ms: latency(), version: null, ...describeFailure(version.error) };
}

const ACTIONS: Partial<Record<DependencyFailure, string>> = {
  schema_outdated: `Operators: ${APPLY_MIGRATIONS}.`,
  model_mismatch: "Operators: run `dejavu reindex`.",
};

function describeFailure({ failure }: DependencyError) {
  return { reason: failure, action: ACTIONS[failure] ?? null };
}
