import { describe, expect, it } from "vitest";
import type { AccessToken } from "../../../functions/access/access-tokens.ts";
import { createTokenCache } from "../../../functions/access/token-cache.ts";
import { DependencyError } from "../../../functions/dependencies.ts";

const START = Date.parse("2026-03-01T03:00:00Z");
const at = (seconds: number) => new Date(START + seconds * 1_000);

const TOKEN: AccessToken = {
  id: "00000000-0000-4000-8000-000000000001",
  name: "grafana",
  scopes: ["read"],
  created_at: at(0).toISOString(),
  domains: null,
  created_by: "service",
  owner_id: "00000000-0000-4000-8000-000000000001",
  expires_at: null,
  revoked_at: null,
  last_used_at: null,
};

const createCache = (seconds: number) => createTokenCache<AccessToken>(seconds, ({ id }) => [id]);

/** A database with preset results that counts its calls. */
function database(answer: AccessToken | null | "away") {
  const state = { answer, asked: 0 };
  const ask = async () => {
    state.asked++;
    if (state.answer === "away") throw new DependencyError("database", "unreachable", "no connection");
    return state.answer;
  };
  return { state, ask };
}

describe("a known token", () => {
  it("is asked for again only when it is no longer fresh", async () => {
    const cache = createCache(60);
    const { state, ask } = database(TOKEN);
    for (const seconds of [0, 1, 59.9]) expect(await cache.find("h", at(seconds), ask)).toBe(TOKEN);
    expect(state.asked).toBe(1);
    const revoked = { ...TOKEN, revoked_at: at(30).toISOString() };
    state.answer = revoked;
    expect(await cache.find("h", at(60), ask)).toBe(revoked);
    expect(state.asked).toBe(2);
  });

  it("is asked for each time where nothing may be fresh", async () => {
    const cache = createCache(0);
    const { state, ask } = database(TOKEN);
    for (let i = 0; i < 3; i++) await cache.find("h", at(0), ask);
    expect(state.asked).toBe(3);
  });

  it("is asked for anew once it is dropped by its id", async () => {
    const cache = createCache(60);
    const { state, ask } = database(TOKEN);
    await cache.find("h", at(0), ask);
    cache.drop("00000000-0000-4000-8000-000000000002");
    await cache.find("h", at(1), ask);
    expect(state.asked).toBe(1);
    cache.drop(TOKEN.id);
    await cache.find("h", at(1), ask);
    expect(state.asked).toBe(2);
  });

  it("is unknown as soon as the database says so", async () => {
    const cache = createCache(60);
    const { state, ask } = database(TOKEN);
    await cache.find("h", at(0), ask);
    state.answer = null;
    expect(await cache.find("h", at(60), ask)).toBeNull();
    expect(cache.has("h", at(60))).toBe(false);
  });
});

describe("with the database away", () => {
  it("a known token stays good for an hour, and not every request asks", async () => {
    const cache = createCache(60);
    const { state, ask } = database(TOKEN);
    await cache.find("h", at(0), ask);
    state.answer = "away";
    for (const seconds of [60, 61, 69]) expect(await cache.find("h", at(seconds), ask)).toBe(TOKEN);
    expect(state.asked).toBe(2);
    expect(await cache.find("h", at(70), ask)).toBe(TOKEN);
    expect(state.asked).toBe(3);
    expect(await cache.find("h", at(3_599), ask)).toBe(TOKEN);
    await expect(cache.find("h", at(3_600), ask)).rejects.toThrow(DependencyError);
  });

  it("a token that was never seen is neither good nor unknown", async () => {
    const cache = createCache(60);
    const { state, ask } = database("away");
    await expect(cache.find("h", at(0), ask)).rejects.toThrow(DependencyError);
    state.answer = TOKEN;
    expect(await cache.find("h", at(0), ask)).toBe(TOKEN);
  });

  it("a bug is not taken for an outage", async () => {
    const cache = createCache(0);
    await cache.find("h", at(0), database(TOKEN).ask);
    await expect(cache.find("h", at(1), () => Promise.reject(new TypeError("bug")))).rejects.toThrow(TypeError);
  });
});

describe("an unknown token", () => {
  it("is remembered for ten seconds", async () => {
    const cache = createCache(60);
    const { state, ask } = database(null);
    for (const seconds of [0, 5, 9.9]) expect(await cache.find("h", at(seconds), ask)).toBeNull();
    expect(state.asked).toBe(1);
    await cache.find("h", at(10), ask);
    expect(state.asked).toBe(2);
  });

  it("pushes no known one out, however many come", async () => {
    const cache = createCache(60);
    const cached = database(TOKEN);
    await cache.find("h", at(0), cached.ask);
    for (let i = 0; i < 3_000; i++) await cache.find(`guess ${i}`, at(1), database(null).ask);
    await cache.find("h", at(2), cached.ask);
    expect(cached.state.asked).toBe(1);
  });
});

it("forgets those that were confirmed longest ago, past a thousand", async () => {
  const cache = createCache(60);
  const { ask } = database(TOKEN);
  for (let i = 0; i < 1_001; i++) await cache.find(`token ${i}`, at(0), ask);
  expect([0, 1, 1_000].map((i) => cache.has(`token ${i}`, at(1)))).toEqual([false, true, true]);
});
