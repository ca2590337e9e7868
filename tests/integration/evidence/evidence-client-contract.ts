// The contract of all sources of evidence with an HTTP API. The test of an adapter calls this and adds what its API has.

import { describe, expect, it } from "vitest";
import type { CreateEvidenceClient, QueryCall } from "../../../functions/adapters/evidence/client.ts";
import { evidenceSourceSchema } from "../../../functions/schemas/evidence/source.ts";
import type { EvidenceQuery } from "../../../lib/checks/scope/query.ts";
import { createTestTimers } from "../../support/test-timers.ts";
import { type Answer, lyingServer } from "../support/servers/lying-server.ts";

/** Put this into the query: it must not appear in a message. */
export const PLANTED = "s3cret-content";

export interface EvidenceClientCase {
  /** A kind that schemas/evidence/evidence-kinds.ts declares. */
  readonly kind: string;
  readonly create: CreateEvidenceClient;
  /** Any query of its language, with PLANTED in it. */
  readonly query: EvidenceQuery;
  /** A query of another language. */
  readonly foreignQuery: EvidenceQuery;
  /** A response of the API without data. */
  readonly empty: Answer;
}

const MEGABYTES_50 = 50_000_000;
const CALL: QueryCall = { timeoutMs: 10_000 };

export function describeEvidenceClient(evidenceCase: EvidenceClientCase): void {
  const { kind, create, query, foreignQuery, empty } = evidenceCase;
  const { startTimer, expireHung } = createTestTimers();
  const definition = (url: string) => evidenceSourceSchema.parse({ name: kind, kind, url });

  async function outcome(answer: Answer) {
    await using server = await lyingServer({ answer: () => answer });
    expireHung(server, "evidence_source");
    const run = create(definition(server.url), PLANTED, startTimer).run(query, CALL);
    const result: unknown = await run.catch((error: unknown) => error);
    return { result, requests: server.requests.length };
  }

  describe(`the adapter for ${kind}`, () => {
    it("returns a result without data as one", async () => {
      expect((await outcome(empty)).result).toMatchObject({ kind: expect.not.stringMatching("too_large") });
    });

    it.each<Answer>(["hang", "drip"])("ends at its timeout when the server does: %s", async (answer) => {
      const { result, requests } = await outcome(answer);
      expect(result).toMatchObject({ name: "DependencyError", dependency: "evidence_source", failure: "timeout" });
      expect(requests).toBe(1);
    });

    it("ends when the caller disconnects", async () => {
      const caller = new AbortController();
      await using server = await lyingServer({
        answer: () => {
          caller.abort();
          return "hang";
        },
      });
      const run = create(definition(server.url), null, startTimer).run(query, { ...CALL, cancelled: caller.signal });
      await expect(run).rejects.toMatchObject({ failure: "cancelled" });
    });

    it.each([
      ["of unknown length", {}, "more than 256 KB"],
      ["that announces its length", { "content-length": `${MEGABYTES_50}` }, "48829 KB"],
    ])("reads no more than 256 KB of 50 MB %s", async (_, headers, size) => {
      const { result } = await outcome({ body: "x".repeat(MEGABYTES_50), headers });
      expect(result).toEqual({ kind: "too_large", size, hint: expect.stringMatching(/\.$/) });
    });

    it.each<[string, Answer]>([
      ["HTML", { body: `<html>${PLANTED}</html>` }],
      ["nothing", { body: "" }],
      ["half of it", { body: '{"status":"success","data":{"resultType":"vector","result":[' }],
      ["null", { body: "null" }],
      ["another API", { body: `{"items":["${PLANTED}"]}` }],
    ])("refuses a response with %s", async (_, answer) => {
      const { result } = await outcome(answer);
      expect(result).toMatchObject({ name: "DependencyError", failure: "invalid_response" });
      expect(String(result)).not.toContain(PLANTED);
    });

    it.each([
      [400, "refused"],
      [401, "refused"],
      [403, "refused"],
      [404, "refused"],
      [422, "refused"],
      [429, "busy"],
      [500, "unreachable"],
      [502, "unreachable"],
      [503, "unreachable"],
      [504, "unreachable"],
    ])("reports status %i as %s, once and without its text", async (status, failure) => {
      const { result, requests } = await outcome({ status, body: `{"status":"error","error":"${PLANTED}"}` });
      expect(result).toMatchObject({ name: "DependencyError", failure, message: expect.stringContaining(`${status}`) });
      expect(String(result)).not.toContain(PLANTED);
      expect(requests).toBe(1);
    });

    it.each([301, 302, 303, 307, 308])("does not follow a redirect with status %i", async (status) => {
      await using elsewhere = await lyingServer({ answer: () => empty });
      const { result } = await outcome({ status, body: "{}", headers: { location: `${elsewhere.url}/elsewhere` } });
      expect(elsewhere.requests).toEqual([]);
      expect(result).toMatchObject({ name: "DependencyError", message: expect.stringMatching(/redirect/) });
    });

    it("reports a connection that is cut", async () => {
      expect((await outcome("cut")).result).toMatchObject({ failure: "unreachable" });
    });

    it("refuses a query of another language without a request", async () => {
      await using server = await lyingServer({ answer: () => empty });
      const run = async () => create(definition(server.url), null, startTimer).run(foreignQuery, CALL);
      await expect(run()).rejects.toMatchObject({ failure: "refused" });
      expect(server.requests).toEqual([]);
    });

    it.each(["ftp://server", "not a url", "http://user:s3cret-content@127.0.0.1:9/"])(
      "refuses the address %s without a request",
      async (url) => {
        const error: unknown = await create(definition(url), null, startTimer)
          .run(query, CALL)
          .catch((reason: unknown) => reason);
        expect(error).toMatchObject({ failure: "refused", message: expect.stringMatching(/url/) });
        expect(String(error)).not.toContain(PLANTED);
      },
    );

    it("reports a ping that another server answers", async () => {
      await using server = await lyingServer({ answer: () => ({ body: '{"hello":"world"}' }) });
      await expect(create(definition(server.url), null, startTimer).ping(CALL)).rejects.toMatchObject({
        failure: "invalid_response",
      });
    });

    it.each([
      ["a-token", "Bearer a-token"],
      ["user:password", `Basic ${btoa("user:password")}`],
      ["Token glsa_abc", "Token glsa_abc"],
      ["Basic dXNlcjpw", "Basic dXNlcjpw"],
    ])("sends the credential %s as %s", async (credential, header) => {
      const sent: unknown[] = [];
      await using server = await lyingServer({
        answer: (_body, _call, headers) => {
          sent.push(headers.authorization);
          return empty;
        },
      });
      await create(definition(server.url), credential, startTimer).run(query, CALL);
      expect(sent).toEqual([header]);
    });
  });
}
