// The front door for monitors: alive (open to all), ready (each dependency, its latency and version).

import { createRoute, z } from "@hono/zod-openapi";
import { runbookCollection } from "../memory/runbooks.ts";
import type { Services } from "../services.ts";
import { OutsideError } from "../stores/outside.ts";
import { requireToken } from "./auth.ts";
import { createRouter } from "./router.ts";

const dependencySchema = z.object({
  status: z.enum(["ok", "failing"]),
  latency_ms: z.number(),
  version: z.string().nullable(),
  reason: z.string().nullable().describe("Why it fails; null while it does not."),
});
type Dependency = z.infer<typeof dependencySchema>;

const readySchema = z.object({
  status: z.enum(["ready", "degraded", "unavailable"]).describe("Degraded: triage answers, with warnings."),
  version: z.string(),
  mode: z.enum(["extractive"]).describe("Extractive: no language model is configured."),
  dependencies: z.object({ postgres: dependencySchema, chroma: dependencySchema, embeddings: dependencySchema }),
});

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
  middleware: [requireToken] as const,
  responses: {
    200: { description: "It can.", content: { "application/json": { schema: readySchema } } },
    503: { description: "Nothing can be searched.", content: { "application/json": { schema: readySchema } } },
  },
});

export const healthRoutes = createRouter()
  .openapi(aliveRoute, (c) => c.json({ status: "ok" as const, version: c.get("services").version }, 200))
  .openapi(readyRoute, async (c) => {
    const services = c.get("services");
    const { database, vectors, embedder } = services;
    const [postgres, chroma, embeddings] = await Promise.all([
      probe(services, async () => String(await database.call("server_version", {}))),
      probe(services, async () => {
        // Another model's vectors, a wrong database or key: the server is up and still of no use.
        await vectors.initialize(runbookCollection("docker"));
        return vectors.version();
      }),
      probe(services, async () => {
        await embedder.embed(["ready?"]);
        return embedder.model;
      }),
    ]);
    const denseWorks = chroma.status === "ok" && embeddings.status === "ok";
    const keywordsWork = postgres.status === "ok";
    const status = denseWorks && keywordsWork ? "ready" : denseWorks || keywordsWork ? "degraded" : "unavailable";
    const body = {
      status,
      version: services.version,
      mode: "extractive",
      dependencies: { postgres, chroma, embeddings },
    } as const;
    return c.json(body, status === "unavailable" ? 503 : 200);
  });

async function probe({ now }: Services, ask: () => Promise<string>): Promise<Dependency> {
  const started = now().getTime();
  const latency = () => now().getTime() - started;
  try {
    const version = await ask();
    return { status: "ok", latency_ms: latency(), version, reason: null };
  } catch (error) {
    if (!(error instanceof OutsideError)) throw error;
    return { status: "failing", latency_ms: latency(), version: null, reason: error.failure };
  }
}
