// The typed client against the app: it has the routes' types, and the app accepts its requests.

import { beforeAll, describe, expect, expectTypeOf, it } from "vitest";
import type { Problem, TriageResult } from "../../../client/client.js";
import { createDejavuClient, type DejavuClient } from "../../../client/client.js";
import type { TriageResult as StoredResult } from "../../../functions/schemas/triage-result.ts";
import { createHarness, workerEnv } from "../support/harness.ts";
import { loadFreshRunbooks } from "../support/inventory.ts";

const UNKNOWN_ID = "00000000-0000-4000-8000-000000000000";
const harness = createHarness();

function clientOf(token: string): DejavuClient {
  return createDejavuClient("http://dejavu.test", token, {
    fetch: async (request) => {
      const { pathname, search } = new URL(request.url);
      const { method, headers } = request;
      const body = method === "GET" ? null : await request.text();
      return harness.request(`${pathname}${search}`, { method, headers, body: body === "" ? null : body });
    },
  });
}

const client = clientOf(harness.services.config.DEJAVU_TOKEN ?? "");

beforeAll(() => loadFreshRunbooks(harness.services, workerEnv));

describe("the client", () => {
  it("sends a body, a header and a path parameter, and returns typed responses", async () => {
    const { data: triage } = await client.POST("/v1/triage", {
      params: { header: { "idempotency-key": "alert-1" } },
      body: { title: "Docker container of api-gateway exited with code 137", target: "api-gateway" },
    });
    if (!triage) throw new Error("The triage was rejected.");
    expectTypeOf(triage).toEqualTypeOf<TriageResult>();
    expect(triage.outcome).toBe("cause");

    const params = { path: { id: triage.incident_id } };
    const { data: incident } = await client.GET("/v1/incidents/{id}", { params });
    if (!incident) throw new Error("The incident was not found.");
    expectTypeOf(incident.triage).toEqualTypeOf<TriageResult | null>();
    expect(incident.triage?.answer.mitigate[0]?.text).toBe(triage.answer.mitigate[0]?.text);
    expect(incident.triage_unreadable).toBe(false);

    const { data: observation } = await client.GET("/v1/memory/observations/{id}", { params });
    expect(observation?.incidents.latest).toMatchObject([{ id: triage.incident_id }]);
    const split = await client.POST("/v1/memory/observations/{id}/split", {
      params,
      body: { incident_ids: [triage.incident_id] },
    });
    expect(split.response.status).toBe(422);

    const { data: resolved } = await client.POST("/v1/incidents/{id}/resolve", {
      params,
      body: { resolution: "More memory." },
    });
    expect(resolved).toMatchObject({ status: "resolved" });
    expect((await client.DELETE("/v1/incidents/{id}", { params })).response.status).toBe(204);
  });

  it("sends a query, and omits an optional one", async () => {
    const query = { query: "exit code 137", domain: "docker" };
    const { data: recalled } = await client.GET("/v1/memory/search", { params: { query } });
    expect(recalled?.domain).toEqual({ name: "docker", rule: "given by the caller" });
    const { data: listed } = await client.GET("/v1/incidents");
    expect(listed?.incidents).toEqual(expect.any(Array));
  });

  it("omits fields that have a default", async () => {
    const { data } = await client.POST("/v1/search", { body: { collection: "runbooks", query: "exit code 137" } });
    expect(data?.hits.length).toBeGreaterThan(0);
  });

  it("stores a runbook as Markdown, reads it and deletes it", async () => {
    const runbook = "/v1/runbooks/{domain}/{source}";
    const params = { path: { domain: "kubernetes", source: "team/ingress.md" } };
    const { data: stored } = await client.PUT(runbook, { params, body: "# Ingress\n\n## Mitigate\n\n1. Roll back.\n" });
    expect(stored?.chunks).toBe(1);
    const { data: read } = await client.GET(runbook, { params });
    expect(read?.title).toBe("Ingress");
    const { data: removed } = await client.DELETE(runbook, { params });
    expect(removed?.indexed).toBe(true);
  });

  it("defines a domain, reads it and deletes it", async () => {
    const path = { name: "payments" };
    const { data: stored } = await client.PUT("/v1/domains/{name}", {
      params: { path },
      body: { labels: [{ match: { team: ["payments"] } }] },
    });
    expect(stored?.definition.labels).toEqual([{ match: { team: ["payments"] }, weight: 3 }]);
    const { data: read } = await client.GET("/v1/domains/{name}", { params: { path } });
    expect(read?.origin).toBe("api");
    const { data: listed } = await client.GET("/v1/domains");
    expect(listed?.domains.map(({ name }) => name)).toContain("payments");
    const { data: removed } = await client.DELETE("/v1/domains/{name}", { params: { path, query: { force: "true" } } });
    expect(removed?.kept.incidents).toBe(0);
  });

  it("streams a triage, and reads text", async () => {
    const { data: stream } = await client.POST("/v1/triage", {
      body: { title: "Docker container of api-gateway exited with code 137" },
      headers: { accept: "text/event-stream" },
      parseAs: "stream",
    });
    expect(await new Response(stream).text()).toContain("event: done");
    const { data: metrics } = await client.GET("/metrics", { parseAs: "text" });
    expectTypeOf(metrics).toEqualTypeOf<string | undefined>();
    expect(metrics).toContain("dejavu_database_up 1");
  });

  it("returns a problem document for an error and throws nothing", async () => {
    const { data, error, response } = await client.GET("/v1/incidents/{id}", { params: { path: { id: UNKNOWN_ID } } });
    if (!error) throw new Error(`The incident should not exist: ${data.title}`);
    expectTypeOf(error).toEqualTypeOf<Problem>();
    expect(error).toMatchObject({ type: "urn:dejavu:problem:not-found", status: 404 });
    expect(response.status).toBe(404);
    expect((await clientOf("another-token-altogether").GET("/v1/incidents")).response.status).toBe(401);
  });
});

describe("the compiler", () => {
  // Never called: the compiler rejects them.
  const invalidCalls = [
    // @ts-expect-error a title is a string
    () => client.POST("/v1/triage", { body: { title: 7 } }),
    // @ts-expect-error the field does not exist
    () => client.POST("/v1/triage", { body: { titel: "misspelt" } }),
    // @ts-expect-error the severity is not in the list
    () => client.POST("/v1/triage", { body: { title: "a", severity: "apocalyptic" } }),
    // @ts-expect-error the body is required
    () => client.POST("/v1/triage", {}),
    // @ts-expect-error the field is required
    () => client.POST("/v1/search", { body: { query: "a" } }),
    // @ts-expect-error the query is required
    () => client.GET("/v1/memory/search"),
    // @ts-expect-error the id is required
    () => client.GET("/v1/incidents/{id}"),
    // @ts-expect-error the route does not exist
    () => client.GET("/v1/incident"),
    // @ts-expect-error the route has no such method
    () => client.GET("/v1/triage"),
  ];

  it("rejects invalid calls", () => {
    expect(invalidCalls).toHaveLength(9);
  });

  it("has the Worker's own type of an answer", () => {
    expectTypeOf<StoredResult["answer"]>().toEqualTypeOf<TriageResult["answer"]>();
    expectTypeOf<keyof StoredResult>().toEqualTypeOf<keyof TriageResult>();
  });
});
