// Sessions belong to the token that began them: the same name of another token is another session.

import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { triageResultSchema } from "../../../functions/schemas/triage-result.ts";
import { createHarness, deleteIncidents, type Harness, sql, workerEnv } from "../support/harness.ts";
import { loadFreshRunbooks } from "../support/inventory.ts";
import { bearer, type Created, createdSchema, makeToken, problemOf } from "../support/tokens.ts";

const OOM = { title: "api-gateway docker container exited with code 137", target: "api-gateway", session_id: "shared" };
const RECAP = { question: "What did we find?", session_id: "shared" };
const NOTHING = "There is nothing to recap";

let harness: Harness;
beforeAll(() => loadFreshRunbooks(createHarness().services, workerEnv));
beforeEach(async () => {
  harness = createHarness();
  await deleteIncidents(harness.services);
});

async function triageAs(token: Created, body: object) {
  const response = await harness.post("/v1/triage", body, bearer(token.token));
  expect(response.status, await response.clone().text()).toBe(200);
  return triageResultSchema.parse(await response.json());
}

async function getAs<T>(token: Created | null, path: string, schema: z.ZodType<T>): Promise<T> {
  const response = await harness.request(path, token === null ? {} : { headers: bearer(token.token) });
  expect(response.status, await response.clone().text()).toBe(200);
  return schema.parse(await response.json());
}

const twoTokens = async () =>
  [await makeToken(harness, ["triage", "read"]), await makeToken(harness, ["triage", "read"])] as const;

const namesSchema = z.object({ sessions: z.array(z.object({ session_id: z.string() })) });
const sessionsOf = async (token: Created | null) =>
  (await getAs(token, "/v1/memory/sessions", namesSchema)).sessions.map(({ session_id }) => session_id);
const answersSchema = z.object({ past_answers: z.array(z.object({ session_id: z.string() })) });
const incidentsSchema = z.object({ incidents: z.array(z.object({ id: z.string(), session_id: z.string() })) });

describe("two tokens that choose the same session name", () => {
  it("have a session each, under the name that they chose", async () => {
    const [ours, theirs] = await twoTokens();
    expect((await triageAs(ours, OOM)).session_id).toBe("shared");
    const answer = await triageAs(theirs, RECAP);
    expect(answer.session_id).toBe("shared");
    expect(answer.answer.summary.text).toContain(NOTHING);
    expect((await triageAs(ours, RECAP)).answer.summary.text).toContain(OOM.title);
  });

  it("read only their own, as if the other did not exist", async () => {
    const [ours, theirs] = await twoTokens();
    const { incident_id } = await triageAs(ours, OOM);
    for (const [token, count] of [
      [ours, 1],
      [theirs, 0],
    ] as const) {
      expect(await sessionsOf(token)).toEqual(count === 1 ? ["shared"] : []);
      for (const name of ["shared", `${ours.id}:shared`]) {
        const query = `?session_id=${encodeURIComponent(name)}`;
        const { past_answers } = await getAs(token, `/v1/memory/past-answers${query}`, answersSchema);
        expect(past_answers).toHaveLength(count);
        const { incidents } = await getAs(token, `/v1/incidents${query}`, incidentsSchema);
        expect(incidents.map(({ id }) => id)).toEqual(count === 1 ? [incident_id] : []);
      }
    }
  });

  it("continue a session that the service named for them, and nobody else's", async () => {
    const [ours, theirs] = await twoTokens();
    const { session_id } = await triageAs(ours, { title: OOM.title });
    expect(session_id).toMatch(/^[0-9a-f-]{36}$/);
    const recap = { ...RECAP, session_id };
    expect((await triageAs(ours, recap)).answer.summary.text).toContain(OOM.title);
    expect((await triageAs(theirs, recap)).answer.summary.text).toContain(NOTHING);
  });

  it("get their own name in a stream, in a receipt and in a stored incident", async () => {
    const [ours] = await twoTokens();
    const headers = { ...bearer(ours.token), accept: "text/event-stream" };
    const stream = await (await harness.post("/v1/triage", OOM, headers)).text();
    expect(stream).toContain('"session_id":"shared"');
    expect(stream).not.toContain(`${ours.id}:`);
    const receipt = await harness.post("/v1/incidents", OOM, bearer(ours.token));
    const { incident_id, session_id } = z
      .object({ incident_id: z.string(), session_id: z.string() })
      .parse(await receipt.json());
    expect(session_id).toBe("shared");
    const detail = await harness.request(`/v1/incidents/${incident_id}`, { headers: bearer(ours.token) });
    expect(await detail.text()).not.toContain(`${ours.id}:`);
  });
});

describe("all sessions", () => {
  it("are read by their stored ids with the service token and with the scope admin", async () => {
    const [ours] = await twoTokens();
    await triageAs(ours, OOM);
    const admin = await makeToken(harness, ["admin", "read"]);
    for (const token of [null, admin]) expect(await sessionsOf(token)).toEqual([`${ours.id}:shared`]);
    const path = `/v1/memory/sessions/${ours.id}:shared`;
    expect((await harness.request(path, { method: "DELETE", headers: bearer(admin.token) })).status).toBe(204);
    expect(await sql`select 1 from public.sessions`).toEqual([]);
  });

  it("of the service token cannot be continued by a token without that scope", async () => {
    const [ours] = await twoTokens();
    await harness.triage(OOM);
    expect((await triageAs(ours, RECAP)).answer.summary.text).toContain(NOTHING);
    expect(await sessionsOf(ours)).toEqual([]);
  });
});

describe("a token that replaces another", () => {
  it("continues its sessions", async () => {
    const [ours] = await twoTokens();
    await triageAs(ours, OOM);
    const body = { name: "successor", scopes: ["triage", "read"], replaces: ours.id };
    const successor = createdSchema.parse(await (await harness.post("/v1/admin/tokens", body)).json());
    expect((await triageAs(successor, RECAP)).answer.summary.text).toContain(OOM.title);
  });
});

describe("the conversation of an agent", () => {
  it("is read by its token alone, also with the id of the other's conversation", async () => {
    const [ours, theirs] = await twoTokens();
    const conversation = { "mcp-session-id": crypto.randomUUID() };
    const ask = async (token: Created, question: string) => {
      const call = { name: "search_debugging_knowledge", arguments: { question } };
      const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params: call };
      return (await harness.post("/mcp", message, { ...bearer(token.token), ...conversation })).text();
    };
    await ask(ours, OOM.title);
    expect(await ask(theirs, RECAP.question)).toContain(NOTHING);
    expect(await ask(ours, RECAP.question)).toContain("api-gateway");
  });
});

it("refuses the deletion of a session that is not stored", async () => {
  const admin = await makeToken(harness, ["admin"]);
  const headers = bearer(admin.token);
  await problemOf(
    await harness.request("/v1/memory/sessions/nothing", { method: "DELETE", headers }),
    404,
    "not-found",
  );
});
