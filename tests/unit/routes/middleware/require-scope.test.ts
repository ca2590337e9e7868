// Every route says which scope its caller needs, but those that are open to all or ask for another proof.

import { describe, expect, it } from "vitest";
import { z } from "zod";
import { SCOPES } from "../../../../functions/access/caller.ts";
import { createApp } from "../../../../functions/app.ts";
import { BEARER_SCHEME } from "../../../../functions/routes/middleware/require-scope.ts";
import { createServices } from "../../../../functions/services.ts";
import { MINIMAL } from "../../config-samples.ts";

const OPEN_TO_ALL: readonly string[] = [
  "GET /",
  "POST /v1/session",
  "GET /health",
  "GET /openapi.json",
  "GET /docs",
  "GET /docs/:file",
  "GET /console",
  "GET /guide",
];
/** A signature replaces the token. */
const SIGNED = ["POST /v1/alerts/pagerduty", "POST /v1/changes/github"];
/** Each MCP tool needs its own scope. */
const ANY_TOKEN = ["POST /mcp", "GET /v1/session", "DELETE /v1/session", "POST /v1/session/codes"];
/** Routes for which one of two scopes is enough. A monitoring token needs only `read`, a reporting one only `report`. */
const ONE_OF_TWO: Readonly<Record<string, readonly string[]>> = {
  "GET /metrics": ["read", "admin"],
  "GET /v1/domains": ["read", "ingest"],
  "GET /v1/domains/:name": ["read", "ingest"],
  "POST /v1/incidents": ["report", "triage"],
  "POST /v1/alerts/alertmanager": ["report", "triage"],
  "POST /v1/alerts/grafana": ["report", "triage"],
  "POST /v1/alerts/opsgenie": ["report", "triage"],
  "POST /v1/alerts/datadog": ["report", "triage"],
  "POST /v1/alerts/cloudwatch": ["report", "triage"],
  "POST /v1/alerts/azure": ["report", "triage"],
  "POST /v1/alerts/google-cloud": ["report", "triage"],
  "POST /v1/changes": ["report", "triage"],
  "POST /v1/changes/cdevents": ["report", "triage"],
};

const documentSchema = z.object({
  paths: z.record(
    z.string(),
    z.record(z.string(), z.looseObject({ security: z.array(z.record(z.string(), z.array(z.string()))).optional() })),
  ),
});

const app = createApp(createServices(MINIMAL));
const { paths } = documentSchema.parse(
  app.getOpenAPI31Document({ openapi: "3.1.0", info: { title: "", version: "" } }),
);
const routes = [
  ...new Set(
    app.routes
      .filter(({ method, path }) => method !== "ALL" && !path.includes("*"))
      .map(({ method, path }) => `${method} ${path}`),
  ),
];

describe("a route", () => {
  it("is found by this test", () => {
    expect(routes.length).toBeGreaterThan(15);
    for (const route of ["POST /v1/triage", "POST /v1/admin/tokens", ...OPEN_TO_ALL]) expect(routes).toContain(route);
  });

  it.each(routes.filter((route) => ![...OPEN_TO_ALL, ...SIGNED, ...ANY_TOKEN].includes(route)))(
    "%s names exactly one scope, or the two of which one is enough",
    (route) => {
      const [method = "", path = ""] = route.split(" ");
      const operation = paths[path.replace(/:(\w+)/g, "{$1}")]?.[method.toLowerCase()];
      const alternatives = operation?.security?.map((each) => each[BEARER_SCHEME]) ?? [];
      const two = ONE_OF_TWO[route];
      if (two !== undefined) {
        expect(alternatives).toEqual(two.map((scope) => [scope]));
        return;
      }
      expect(alternatives).toEqual([[expect.any(String)]]);
      expect(SCOPES).toContain(alternatives[0]?.[0]);
    },
  );

  it.each(OPEN_TO_ALL)("%s names none", (route) => {
    const [method = "", path = ""] = route.split(" ");
    expect(paths[path]?.[method.toLowerCase()]?.security).toBeUndefined();
  });
});
