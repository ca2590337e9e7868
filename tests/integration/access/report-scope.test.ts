// Tokens with the scope `report`: they report, and read nothing.

import { beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { createApp } from "../../../functions/app.ts";
import { createHarness, emptyStores, type Harness } from "../support/harness.ts";
import { bearer, makeToken, problemOf } from "../support/tokens.ts";

const UNKNOWN_ID = "00000000-0000-4000-8000-000000000000";

let harness: Harness;
beforeEach(async () => {
  harness = createHarness();
  await emptyStores(harness.services);
});

const ALERT = {
  version: "4",
  groupKey: "{}",
  status: "firing",
  alerts: [
    {
      status: "firing",
      fingerprint: "505698848f8bc406",
      startsAt: "2026-03-01T02:55:12Z",
      labels: { alertname: "KubePodCrashLooping", namespace: "shop", pod: "checkout-x2x4z" },
      annotations: { summary: "Pod is crash looping." },
    },
  ],
};

describe("a token with the scope report", () => {
  it("reports incidents and alerts", async () => {
    const { token } = await makeToken(harness, ["report"]);
    const incident = await harness.post("/v1/incidents", { title: "disk is full" }, bearer(token));
    expect(incident.status, await incident.clone().text()).toBe(202);
    const alert = await harness.post("/v1/alerts/alertmanager", ALERT, bearer(token));
    expect(alert.status, await alert.clone().text()).toBe(202);
  });

  it("may do nothing else: every other endpoint with a scope refuses it and names the scope that is missing", async () => {
    const { token } = await makeToken(harness, ["report"]);
    const operations = operationsOf(harness);
    const allowed: string[] = [];
    for (const { method, path, scopes } of operations) {
      const url = path.replace(/\{\w+\}/g, UNKNOWN_ID);
      const response = await harness.request(url, { method, headers: bearer(token) });
      if (response.status !== 403) allowed.push(`${method} ${path}`);
      else expect((await problemOf(response, 403, "insufficient-scope")).detail).toContain(`\`${scopes[0]}\``);
    }
    expect(allowed.sort()).toEqual([
      "DELETE /v1/session", // a token has none
      "GET /v1/session",
      "POST /mcp", // each tool has a scope of its own
      "POST /v1/alerts/alertmanager",
      "POST /v1/alerts/azure",
      "POST /v1/alerts/cloudwatch",
      "POST /v1/alerts/datadog",
      "POST /v1/alerts/google-cloud",
      "POST /v1/alerts/grafana",
      "POST /v1/alerts/opsgenie",
      "POST /v1/changes",
      "POST /v1/changes/cdevents",
      "POST /v1/incidents",
      "POST /v1/session/codes", // of its own scopes
    ]);
  });

  it("gets no tools, resources or completions for agents", async () => {
    const { token } = await makeToken(harness, ["report"]);
    const rpc = async (method: string, params: object) => {
      const response = await harness.post("/mcp", { jsonrpc: "2.0", id: 1, method, params }, bearer(token));
      return z
        .looseObject({ result: z.unknown().optional(), error: z.unknown().optional() })
        .parse(await response.json());
    };
    expect((await rpc("tools/list", {})).result).toEqual({ tools: [] });
    const call = await rpc("tools/call", { name: "vector_search", arguments: { query: "disk" } });
    expect(call.result).toMatchObject({ isError: true });
    expect((await rpc("resources/list", {})).error).toBeDefined();
    const argument = { name: "id", value: "" };
    const ref = { type: "ref/resource", uri: "dejavu://incidents/{id}" };
    expect((await rpc("completion/complete", { ref, argument })).result).toBeUndefined();
  });
});

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly scopes: readonly string[];
}

const securitySchema = z.looseObject({
  security: z.array(z.record(z.string(), z.array(z.string()))).optional(),
});

/** The operations that need a token, with the scopes of which one is enough. */
function operationsOf({ services }: Harness): Operation[] {
  const document = createApp(services).getOpenAPI31Document({ openapi: "3.1.0", info: { title: "", version: "" } });
  const paths = z.record(z.string(), z.record(z.string(), securitySchema)).parse(document.paths);
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { security = [] }]) => security.length > 0)
      .map(([method, { security = [] }]) => ({
        method: method.toUpperCase(),
        path,
        scopes: security.flatMap((each) => Object.values(each).flat()),
      })),
  );
}
