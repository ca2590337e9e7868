// Rate limits through the platform's binding, an object in the environment that counts by key.

import { beforeAll, describe, expect, it } from "vitest";
import { createHarness, emptyStores } from "../support/harness.ts";
import { bearer, makeToken, problemOf } from "../support/tokens.ts";

const TITLE = { title: "container exited with code 137" };
const UNKNOWN_TOKEN = `djv_${"A".repeat(43)}`;

/** A binding that allows `max` requests for each key and records the keys. */
function binding(max: number) {
  const counts = new Map<string, number>();
  return {
    counts,
    limit: async ({ key }: { readonly key: string }) => {
      counts.set(key, (counts.get(key) ?? 0) + 1);
      return { success: (counts.get(key) ?? 0) <= max };
    },
  };
}

beforeAll(() => emptyStores(createHarness().services));

describe("the request limit", () => {
  it("counts by token and responds with 429 and the time to wait", async () => {
    const RATE_LIMIT = binding(3);
    const harness = createHarness({ RATE_LIMIT });
    const [one, other] = [await makeToken(harness, ["read"]), await makeToken(harness, ["read"])];
    const get = ({ token }: { token: string }) => harness.request("/v1/incidents", { headers: bearer(token) });
    for (let i = 0; i < 3; i++) expect((await get(one)).status).toBe(200);
    const response = await get(one);
    expect((await problemOf(response, 429, "rate-limited")).detail).toContain("Wait a minute");
    expect(response.headers.get("retry-after")).toBe("60");
    expect((await get(other)).status).toBe(200);
    expect([...RATE_LIMIT.counts.keys()]).toEqual(["service", one.id, other.id]);
  });

  it("applies to readiness and unknown paths, but not to /health", async () => {
    const harness = createHarness({ RATE_LIMIT: binding(0) });
    for (const path of ["/health/ready", "/v1/nothing", "/v1/incidents"])
      await problemOf(await harness.request(path), 429, "rate-limited");
    expect((await harness.request("/health")).status).toBe(200);
  });

  it("counts no request without a token", async () => {
    const RATE_LIMIT = binding(0);
    const harness = createHarness({ RATE_LIMIT });
    await problemOf(await harness.request("/v1/incidents", { headers: bearer("wrong") }), 401, "unauthorized");
    expect(RATE_LIMIT.counts.size).toBe(0);
  });
});

describe("the triage limit", () => {
  it("applies only to requests that may use a model", async () => {
    const TRIAGE_RATE_LIMIT = binding(1);
    const harness = createHarness({ TRIAGE_RATE_LIMIT });
    await harness.triage(TITLE);
    const response = await harness.post("/v1/triage", TITLE);
    expect((await problemOf(response, 429, "rate-limited")).detail).toContain("triages");
    expect(response.headers.get("retry-after")).toBe("60");
    expect((await harness.request("/v1/incidents")).status).toBe(200);
    expect([...TRIAGE_RATE_LIMIT.counts]).toEqual([["service", 2]]);
  });

  it("does not count a caller without the scope", async () => {
    const TRIAGE_RATE_LIMIT = binding(1);
    const harness = createHarness({ TRIAGE_RATE_LIMIT });
    const { token } = await makeToken(harness, ["read"]);
    await problemOf(await harness.post("/v1/triage", TITLE, bearer(token)), 403, "insufficient-scope");
    expect(TRIAGE_RATE_LIMIT.counts.size).toBe(0);
  });
});

describe("wrong tokens from one address", () => {
  const from = (address: string, token: string) => ({ ...bearer(token), "cf-connecting-ip": address });
  const service = createHarness().services.config.DEJAVU_TOKEN ?? "";

  it("lead to 429 above the limit, for any token, for a minute", async () => {
    const harness = createHarness({ FAILED_AUTH_RATE_LIMIT: binding(3) });
    const get = (token: string, address = "203.0.113.7") =>
      harness.request("/v1/incidents", { headers: from(address, token) });
    for (const guess of ["wrong-secret-1", "wrong-secret-2", UNKNOWN_TOKEN])
      await problemOf(await get(guess), 401, "unauthorized");
    await problemOf(await get("wrong-secret-3"), 429, "rate-limited");
    // A correct guess is refused as well.
    const response = await get(service);
    expect((await problemOf(response, 429, "rate-limited")).detail).toContain("from your address");
    expect(response.headers.get("retry-after")).toBe("60");
    expect((await get(service, "203.0.113.8")).status).toBe(200);
    harness.clock.advance(60_000);
    expect((await get(service)).status).toBe(200);
  });

  it("do not block a stored token that this isolate has cached", async () => {
    const harness = createHarness({ FAILED_AUTH_RATE_LIMIT: binding(0) });
    const { token } = await makeToken(harness, ["read"]);
    const get = (presented: string) => harness.request("/v1/incidents", { headers: from("203.0.113.7", presented) });
    expect((await get(token)).status).toBe(200);
    await problemOf(await get("wrong-secret-1"), 429, "rate-limited");
    expect((await get(token)).status).toBe(200);
    await problemOf(await get(service), 429, "rate-limited");
  });

  it("do not block the service token at addresses that used it recently, and reveal nothing at others", async () => {
    const harness = createHarness({ FAILED_AUTH_RATE_LIMIT: binding(0) });
    const get = (presented: string, address = "203.0.113.7") =>
      harness.request("/v1/incidents", { headers: from(address, presented) });
    expect((await get(service)).status).toBe(200);
    await problemOf(await get("wrong-secret-1"), 429, "rate-limited");
    expect((await get(service)).status).toBe(200);
    await problemOf(await get("wrong-secret-2"), 429, "rate-limited");
    await problemOf(await get("wrong-secret-3", "203.0.113.9"), 429, "rate-limited");
    await problemOf(await get(service, "203.0.113.9"), 429, "rate-limited");
    harness.clock.advance(3_600_000);
    await problemOf(await get("wrong-secret-4"), 429, "rate-limited");
    await problemOf(await get(service), 429, "rate-limited");
  });

  it("are counted for the whole network of an IPv6 address", async () => {
    const FAILED_AUTH_RATE_LIMIT = binding(1);
    const harness = createHarness({ FAILED_AUTH_RATE_LIMIT });
    for (const address of ["2001:db8:1:2::7", "2001:db8:1:2:8000::8"])
      await harness.request("/v1/incidents", { headers: from(address, "wrong-secret-1") });
    expect([...FAILED_AUTH_RATE_LIMIT.counts]).toEqual([["2001:db8:1:2", 2]]);
  });

  it("count together without an address, and a request without a token is not counted", async () => {
    const FAILED_AUTH_RATE_LIMIT = binding(1);
    const harness = createHarness({ FAILED_AUTH_RATE_LIMIT });
    const headers = { authorization: "", "cf-connecting-ip": "203.0.113.7" };
    await problemOf(await harness.request("/v1/incidents", { headers }), 401, "unauthorized");
    expect(FAILED_AUTH_RATE_LIMIT.counts.size).toBe(0);
    await problemOf(await harness.request("/v1/incidents", { headers: bearer("wrong") }), 401, "unauthorized");
    await problemOf(await harness.request("/v1/incidents", { headers: bearer("other") }), 429, "rate-limited");
    expect([...FAILED_AUTH_RATE_LIMIT.counts]).toEqual([["unknown", 2]]);
  });
});

describe("a failing rate limit binding", () => {
  it("allows all requests and is logged by name", async () => {
    const broken = { limit: () => Promise.reject(new Error("binding failed")) };
    const harness = createHarness({
      RATE_LIMIT: broken,
      TRIAGE_RATE_LIMIT: broken,
      FAILED_AUTH_RATE_LIMIT: broken,
    });
    await harness.triage(TITLE);
    const headers = { ...bearer("wrong"), "cf-connecting-ip": "203.0.113.7" };
    await problemOf(await harness.request("/v1/incidents", { headers }), 401, "unauthorized");
    const failed = harness.log.filter(({ event }) => event === "rate_limit.failed").map(({ fields }) => fields.binding);
    expect(failed).toEqual(["RATE_LIMIT", "TRIAGE_RATE_LIMIT", "FAILED_AUTH_RATE_LIMIT"]);
  });
});
