// Tokens that were created with another token.

import { beforeEach, describe, expect, it } from "vitest";
import type { Scope } from "../../../functions/access/caller.ts";
import { createHarness, emptyStores, type Harness, sql } from "../support/harness.ts";
import { bearer, type Created, createdSchema, makeToken, problemOf } from "../support/tokens.ts";

let harness: Harness;
beforeEach(async () => {
  // A new isolate with an empty cache.
  harness = createHarness();
  await emptyStores(harness.services);
});

const ADMIN: readonly Scope[] = ["admin", "read"];

function ask(parent: Created, more: { readonly expires_in_days?: number; readonly scopes?: readonly Scope[] } = {}) {
  return harness.post("/v1/admin/tokens", { name: "child", scopes: ADMIN, ...more }, bearer(parent.token));
}

async function makeChild(parent: Created, more: Parameters<typeof ask>[1] = {}): Promise<Created> {
  const response = await ask(parent, more);
  expect(response.status, await response.clone().text()).toBe(201);
  return createdSchema.parse(await response.json());
}

function read({ token }: Created, on: Harness = harness) {
  return on.request("/v1/incidents", { headers: bearer(token) });
}

function revoke({ id }: Created, on: Harness = harness) {
  return on.request(`/v1/admin/tokens/${id}`, { method: "DELETE" });
}

describe("a token made with another one", () => {
  it("expires with it when it names no end of its own", async () => {
    const parent = await makeToken(harness, ADMIN, { expires_in_days: 30 });
    const grandchild = await makeChild(await makeChild(parent));
    expect(grandchild.expires_at).toBe(parent.expires_at);
    expect((await makeChild(parent, { expires_in_days: 30 })).expires_at).toBe(parent.expires_at);
    expect((await makeChild(parent, { expires_in_days: 7 })).expires_at).toBe("2026-03-08T03:00:00.000Z");
  });

  it("is refused a later end, and the problem names the latest", async () => {
    const parent = await makeToken(harness, ADMIN, { expires_in_days: 30 });
    const problem = await problemOf(await ask(parent, { expires_in_days: 31 }), 422, "invalid-request");
    expect(problem.errors?.map(({ field }) => field)).toEqual(["expires_in_days"]);
    expect(problem.detail).toContain(parent.expires_at);
  });

  it("has the end of its parent even if it was stored with none", async () => {
    const parent = await makeToken(harness, ADMIN, { expires_in_days: 1 });
    const child = await makeChild(parent);
    await sql`update public.access_tokens set expires_at = null where id = ${child.id}`;
    expect((await read(child)).status).toBe(200);
    harness.clock.advance(86_400_000);
    expect((await problemOf(await read(child), 401, "unauthorized")).detail).toContain("expired");
  });
});

describe("the revocation of a token", () => {
  it("revokes all tokens made with it at once, in this isolate and in others", async () => {
    const parent = await makeToken(harness, ADMIN);
    const child = await makeChild(parent);
    const grandchild = await makeChild(child);
    const sibling = await makeToken(harness, ADMIN);
    const elsewhere = createHarness();
    const family = [parent, child, grandchild];
    for (const token of family) for (const isolate of [harness, elsewhere]) await read(token, isolate);
    expect((await revoke(parent)).status).toBe(204);
    for (const token of family)
      expect((await problemOf(await read(token), 401, "unauthorized")).detail).toContain("revoked");
    expect((await read(sibling)).status).toBe(200);
    elsewhere.clock.advance(60_000);
    for (const token of family) await problemOf(await read(token, elsewhere), 401, "unauthorized");
  });

  it("leaves the parent and the siblings alone when a child is revoked", async () => {
    const parent = await makeToken(harness, ADMIN);
    const [one, other] = [await makeChild(parent), await makeChild(parent)];
    await revoke(one);
    await problemOf(await read(one), 401, "unauthorized");
    for (const token of [parent, other]) expect((await read(token)).status).toBe(200);
  });

  it("leaves an audit event for each token, once", async () => {
    const parent = await makeToken(harness, ADMIN);
    const child = await makeChild(parent);
    for (let i = 0; i < 2; i++) await revoke(parent);
    const events = await sql`select subject_id, detail from public.audit_events where action = 'revoked' order by id`;
    expect(events.map(({ subject_id, detail }) => [subject_id, detail])).toEqual([
      [parent.id, {}],
      [child.id, { revoked_with: parent.id }],
    ]);
  });

  it("also stops a holder whose isolate has not noticed from making another token", async () => {
    const parent = await makeToken(harness, ADMIN);
    await read(parent);
    await revoke(parent, createHarness());
    expect((await read(parent)).status).toBe(200);
    const problem = await problemOf(await ask(parent), 401, "unauthorized");
    expect(problem.detail).toContain("revoked");
    expect(await sql`select 1 from public.access_tokens`).toHaveLength(1);
    await problemOf(await read(parent), 401, "unauthorized");
  });
});
