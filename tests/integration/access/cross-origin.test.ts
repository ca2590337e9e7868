import { describe, expect, it } from "vitest";
import { createHarness } from "../support/harness.ts";

const PAGE = "https://grafana.example.com";
const PREFLIGHT = {
  "access-control-request-method": "POST",
  "access-control-request-headers": "authorization,content-type",
};

function allowed(response: Response): string[] {
  return [...response.headers.keys()].filter((name) => name.startsWith("access-control-"));
}

describe("without configured origins", () => {
  const harness = createHarness();

  it("no page may call, and a preflight is refused like a request without a token", async () => {
    const headers = { origin: PAGE };
    expect(allowed(await harness.request("/v1/incidents", { headers }))).toEqual([]);
    const preflight = await harness.request("/v1/triage", {
      method: "OPTIONS",
      headers: { ...headers, ...PREFLIGHT, authorization: "" },
    });
    expect(preflight.status).toBe(401);
    expect(allowed(preflight)).toEqual([]);
  });
});

describe("with configured origins", () => {
  const harness = createHarness({ CORS_ORIGINS: `${PAGE}, http://localhost:5173` });
  const ask = (path: string, headers: Record<string, string>, method = "GET") =>
    harness.request(path, { method, headers });

  it.each([PAGE, "http://localhost:5173"])("a page of %s may call and read the exposed headers", async (origin) => {
    const preflight = await ask("/v1/triage", { origin, ...PREFLIGHT, authorization: "" }, "OPTIONS");
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("access-control-allow-origin")).toBe(origin);
    expect(preflight.headers.get("access-control-allow-methods")).toBe("GET,POST,PUT,PATCH,DELETE");
    expect(preflight.headers.get("access-control-allow-headers")).toBe("authorization,content-type");
    expect(preflight.headers.get("access-control-allow-credentials")).toBeNull();
    const response = await ask("/v1/incidents", { origin });
    expect(response.status).toBe(200);
    expect(response.headers.get("access-control-allow-origin")).toBe(origin);
    expect(response.headers.get("access-control-expose-headers")).toBe(
      "x-request-id,location,retry-after,mcp-session-id",
    );
    expect(response.headers.get("vary")).toContain("Origin");
  });

  it("a page can read an error with its headers", async () => {
    for (const [path, authorization] of [
      ["/v1/incidents", "Bearer wrong"],
      ["/v1/nothing", undefined],
    ] as const) {
      const response = await ask(path, { origin: PAGE, ...(authorization === undefined ? {} : { authorization }) });
      expect(response.status).toBeGreaterThanOrEqual(400);
      expect(response.headers.get("access-control-allow-origin")).toBe(PAGE);
      expect(response.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
      expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    }
  });

  it.each(["https://evil.example", "https://grafana.example.com.evil.example", "http://grafana.example.com", "null"])(
    "a page of %s may not call",
    async (origin) => {
      const preflight = await ask("/v1/triage", { origin, ...PREFLIGHT, authorization: "" }, "OPTIONS");
      expect(preflight.headers.get("access-control-allow-origin")).toBeNull();
      const response = await ask("/v1/incidents", { origin });
      expect(response.headers.get("access-control-allow-origin")).toBeNull();
    },
  );

  it("the request after a preflight still needs a token", async () => {
    expect((await ask("/v1/incidents", { origin: PAGE, authorization: "" })).status).toBe(401);
  });
});
