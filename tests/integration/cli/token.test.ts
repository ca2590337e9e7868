// The commands about tokens.

import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { createHarness, emptyStores } from "../support/harness.ts";
import { listen } from "../support/servers/listen.ts";
import { bearer } from "../support/tokens.ts";
import { runDejavu } from "./support/run-dejavu.ts";

const harness = createHarness();
const { services } = harness;
const server = await listen(services);

beforeEach(() => emptyStores(services));
afterAll(() => server[Symbol.asyncDispose]());

const token = (...words: readonly string[]) =>
  runDejavu(["tokens", ...words], { DEJAVU_URL: server.url, DEJAVU_TOKEN: services.config.DEJAVU_TOKEN });

const create = (...more: readonly string[]) => token("create", "--name", "grafana", "--scopes", "triage,read", ...more);

describe("dejavu tokens", () => {
  it("creates a working token, lists it without its secret, and revokes it by name", async () => {
    const created = await create("--expires-in-days", "90");
    expect(created.out).toMatch(/^grafana \(triage, read\) expires 2026-05-30 03:00 UTC\./);
    const secret = created.out.trimEnd().split("\n").at(-1) ?? "";
    const ask = () => harness.request("/v1/incidents", { headers: bearer(secret) });
    expect((await ask()).status).toBe(200);
    const list = await token("list");
    expect(list.out).toMatch(/\ngrafana +triage,read +\S.* 2026-03-01 03:00 +2026-05-30 03:00 +2026-03-01 03:00 /);
    expect(list.out).not.toContain(secret);
    const revoked = await token("revoke", "grafana");
    expect(revoked.out).toMatch(/^Revoked grafana \([0-9a-f-]{36}\)\.\n$/);
    expect((await token("list")).out).toContain("revoked");
    expect([created.code, list.code, revoked.code]).toEqual([0, 0, 0]);
  });

  it("reads all pages", async () => {
    for (let i = 0; i < 101; i++) {
      harness.clock.advance(1_000);
      await harness.post("/v1/admin/tokens", { name: `token ${i}`, scopes: ["read"] });
    }
    expect((await token("list")).out.trimEnd().split("\n")).toHaveLength(102);
    expect((await token("revoke", "token 0")).code).toBe(0);
  });

  it("prints JSON on request", async () => {
    await create();
    const { out } = await token("list", "--json");
    expect(JSON.parse(out)).toMatchObject([{ name: "grafana", scopes: ["triage", "read"] }]);
  });

  it("prints its usage", async () => {
    const { out, code } = await token("--help");
    for (const word of ["create", "list", "revoke"]) expect(out).toContain(word);
    const create = await token("create", "--help");
    for (const scope of ["report", "triage", "read", "feedback", "ingest", "admin"])
      expect(create.out).toContain(scope);
    expect(code).toBe(0);
  });
});
