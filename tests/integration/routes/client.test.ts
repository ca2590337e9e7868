// The typed client against the app: it has the routes' types, and the app accepts its requests.

import { beforeAll, describe, expect, expectTypeOf, it } from "vitest";
import { createDejavuClient, type DejavuClient, type InferResponseType } from "../../../client/client.ts";
import type { TriageResult } from "../../../functions/schemas/triage-result.ts";
import { createHarness, workerEnv } from "../support/harness.ts";
import { loadFreshRunbooks } from "../support/inventory.ts";

const UNKNOWN_ID = "00000000-0000-4000-8000-000000000000";
const harness = createHarness();

function clientOf(token: string): DejavuClient {
  return createDejavuClient("http://dejavu.test", token, {
    fetch: async (input, init) => {
      const request = new Request(input, init);
      const { pathname, search } = new URL(request.url);
      return harness.request(`${pathname}${search}`, init);
    },
  });
}

const client = clientOf(harness.services.config.DEJAVU_TOKEN ?? "");

beforeAll(() => loadFreshRunbooks(harness.services, workerEnv));

describe("the client", () => {
  it("sends a body, a header and a path parameter, and returns typed responses", async () => {
    const answer = await client.v1.triage.$post({
      json: { title: "Docker container of api-gateway exited with code 137", target: "api-gateway" },
      header: { "idempotency-key": "alert-1" },
    });
    if (!answer.ok) throw new Error("The triage was rejected.");
    const triage = await answer.json();
    expectTypeOf(triage).toEqualTypeOf<TriageResult>();
    expect(triage.outcome).toBe("cause");

    const param = { id: triage.incident_id };
    const read = await client.v1.incidents[":id"].$get({ param });
    if (!read.ok) throw new Error("The incident was not found.");
    const incident = await read.json();
    expectTypeOf(incident.triage).toEqualTypeOf<TriageResult | null>();
    expect(incident.triage?.answer.mitigate[0]?.text).toBe(triage.answer.mitigate[0]?.text);
    expect(incident.triage_unreadable).toBe(false);

    const record = client.v1.memory.observations[":id"];
    const observation = await record.$get({ param });
    expect(observation.ok && (await observation.json()).incidents.latest).toMatchObject([{ id: param.id }]);
    expect((await record.split.$post({ param, json: { incident_ids: [param.id] } })).status).toBe(422);
    expect((await record.join.$post({ param, json: { observation_id: param.id } })).status).toBe(422);

    const resolved = await client.v1.incidents[":id"].resolve.$post({ param, json: { resolution: "More memory." } });
    expect(resolved.ok && (await resolved.json()).status).toBe("resolved");
    expect((await client.v1.incidents[":id"].$delete({ param })).status).toBe(204);
  });

  it("sends a query, and omits an optional one", async () => {
    const searched = await client.v1.memory.search.$get({ query: { query: "exit code 137", domain: "docker" } });
    expect(searched.ok && (await searched.json()).domain).toEqual({ name: "docker", rule: "given by the caller" });
    const listed = await client.v1.incidents.$get();
    expect(listed.ok && (await listed.json()).incidents).toEqual(expect.any(Array));
  });

  it("stores a runbook as Markdown, reads it and deletes it", async () => {
    const param = { domain: "kubernetes", source: "team/ingress.md" } as const;
    const runbook = client.v1.runbooks[":domain"][":source"];
    const put = await runbook.$put(
      { param },
      { headers: { "content-type": "text/markdown" }, init: { body: "# Ingress\n\n## Mitigate\n\n1. Roll back.\n" } },
    );
    expect(put.ok && (await put.json()).chunks).toBe(1);
    const read = await runbook.$get({ param });
    expect(read.ok && (await read.json()).title).toBe("Ingress");
    const removed = await runbook.$delete({ param });
    expect(removed.ok && (await removed.json()).indexed).toBe(true);
  });

  it("defines a domain, reads it and deletes it", async () => {
    const param = { name: "payments" };
    const domain = client.v1.domains[":name"];
    const put = await domain.$put({ param, json: { labels: [{ match: { team: ["payments"] } }] } });
    expect(put.ok && (await put.json()).definition.labels).toEqual([{ match: { team: ["payments"] }, weight: 3 }]);
    const read = await domain.$get({ param });
    expect(read.ok && (await read.json()).origin).toBe("api");
    const listed = await client.v1.domains.$get();
    expect(listed.ok && (await listed.json()).domains.map(({ name }) => name)).toContain("payments");
    const removed = await domain.$delete({ param, query: { force: "true" } });
    expect(removed.ok && (await removed.json()).kept.incidents).toBe(0);
  });

  it("returns a problem document for an error and throws nothing", async () => {
    const response = await client.v1.incidents[":id"].$get({ param: { id: UNKNOWN_ID } });
    if (response.ok) throw new Error("The incident should not exist.");
    const problem = await response.json();
    expectTypeOf(problem.type).toEqualTypeOf<string>();
    expect(problem).toMatchObject({ type: "urn:dejavu:problem:not-found", status: 404 });
    expect((await clientOf("another-token-altogether").v1.incidents.$get()).status).toBe(401);
  });
});

describe("the compiler", () => {
  // Never called: the compiler rejects them.
  const invalidCalls = [
    // @ts-expect-error a title is a string
    () => client.v1.triage.$post({ json: { title: 7 } }),
    // @ts-expect-error the field does not exist
    () => client.v1.triage.$post({ json: { titel: "misspelt" } }),
    // @ts-expect-error the severity is not in the list
    () => client.v1.triage.$post({ json: { title: "a", severity: "apocalyptic" } }),
    // @ts-expect-error the body is required
    () => client.v1.triage.$post({}),
    // @ts-expect-error the query is required
    () => client.v1.memory.search.$get(),
    // @ts-expect-error the id is required
    () => client.v1.incidents[":id"].$get(),
    // @ts-expect-error the route does not exist
    () => client.v1.incident.$get(),
    // @ts-expect-error the route has no such method
    () => client.v1.triage.$get(),
  ];

  it("rejects invalid calls", () => {
    expect(invalidCalls).toHaveLength(8);
  });

  it("types each response by its status", () => {
    const post = client.v1.triage.$post;
    expectTypeOf<InferResponseType<typeof post, 200>>().toEqualTypeOf<TriageResult>();
    expectTypeOf<InferResponseType<typeof post, 503>>().toHaveProperty("request_id");
  });
});
