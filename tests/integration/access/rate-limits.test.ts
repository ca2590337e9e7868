// Limits as the platform's binding gives them: an object in the environment that counts by key.

import { beforeAll, describe, expect, it } from "vitest";
import { createHarness, emptyStores } from "../support/harness.ts";
import { bearer, makeToken, problemOf } from "../support/tokens.ts";

const TITLE = { title: "container exited with code 137" };
const UNKNOWN_TOKEN = `djv_${"A".repeat(43)}`;

/** A binding that lets `most` requests a key through, and remembers the keys. */
function binding(most: number) {
  const counts = new Map<string, number>();
  return {
    counts,
    limit: async ({ key }: { readonly key: string }) => {
      counts.set(key, (counts.get(key) ?? 0) + 1);
      return { success: (counts.get(key) ?? 0) <= most };
    },
  };
}

beforeAll(() => emptyStores(createHarness().services));

describe("the limit of requests", () => {
  it("counts by token, and answers 429 with the time to wait", async () => {
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

  it("holds for readiness and for paths that do not exist, and not for /health", async () => {
    const harness = createHarness({ RATE_LIMIT: binding(0) });
    for (const path of ["/health/ready", "/v1/nothing", "/v1/incidents"])
      await problemOf(await harness.request(path), 429, "rate-limited");
    expect((await harness.request("/health")).status).toBe(200);
  });

  it("counts nobody who has no token", async () => {
    const RATE_LIMIT = binding(0);
    const harness = createHarness({ RATE_LIMIT });
    await problemOf(await harness.request("/v1/incidents", { headers: bearer("wrong") }), 401, "unauthorized");
    expect(RATE_LIMIT.counts.size).toBe(0);
  });
});

describe("the limit of triages", () => {
  it("holds for what may cost a model, and for nothing else", async () => {
    const TRIAGE_RATE_LIMIT = binding(1);
    const harness = createHarness({ TRIAGE_RATE_LIMIT });
    await harness.triage(TITLE);
    const response = await harness.post("/v1/triage", TITLE);
    expect((await problemOf(response, 429, "rate-limited")).detail).toContain("triages");
    expect(response.headers.get("retry-after")).toBe("60");
    expect((await harness.request("/v1/incidents")).status).toBe(200);
    expect([...TRIAGE_RATE_LIMIT.counts]).toEqual([["service", 2]]);
  });

  it("is not used up by a caller whom the scope keeps out", async () => {
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

  it("are answered 429 past the limit, whatever is presented next, until a minute has gone", async () => {
    const harness = createHarness({ FAILED_AUTH_RATE_LIMIT: binding(3) });
    const get = (token: string, address = "203.0.113.7") =>
      harness.request("/v1/incidents", { headers: from(address, token) });
    for (const guess of ["wrong-secret-1", "wrong-secret-2", UNKNOWN_TOKEN])
      await problemOf(await get(guess), 401, "unauthorized");
    await problemOf(await get("wrong-secret-3"), 429, "rate-limited");
    // A guess that is right tells nothing either.
    const response = await get(service);
    expect((await problemOf(response, 429, "rate-limited")).detail).toContain("from your address");
    expect(response.headers.get("retry-after")).toBe("60");
    expect((await get(service, "203.0.113.8")).status).toBe(200);
    harness.clock.advance(60_000);
    expect((await get(service)).status).toBe(200);
  });

  it("do not shut out a token on record that this isolate knows", async () => {
    const harness = createHarness({ FAILED_AUTH_RATE_LIMIT: binding(0) });
    const { token } = await makeToken(harness, ["read"]);
    const get = (presented: string) => harness.request("/v1/incidents", { headers: from("203.0.113.7", presented) });
    expect((await get(token)).status).toBe(200);
    await problemOf(await get("wrong-secret-1"), 429, "rate-limited");
    expect((await get(token)).status).toBe(200);
    await problemOf(await get(service), 429, "rate-limited");
  });

  it("do not shut out the service's own token where it came from lately, and a stranger there learns nothing", async () => {
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

  it("are not counted where nobody knows the address, and a request without a token is no guess", async () => {
    const FAILED_AUTH_RATE_LIMIT = binding(0);
    const harness = createHarness({ FAILED_AUTH_RATE_LIMIT });
    await problemOf(await harness.request("/v1/incidents", { headers: bearer("wrong") }), 401, "unauthorized");
    const headers = { authorization: "", "cf-connecting-ip": "203.0.113.7" };
    await problemOf(await harness.request("/v1/incidents", { headers }), 401, "unauthorized");
    expect(FAILED_AUTH_RATE_LIMIT.counts.size).toBe(0);
  });
});

describe("a limit that is down", () => {
  it("lets everybody through and is logged by its name", async () => {
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
