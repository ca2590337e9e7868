// SQL checks from the real Worker, whose TCP sockets are not those of Node.js, to the real PostgreSQL and to hostile servers.

import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { z } from "zod";
import { type RunningStack, startWorker } from "../../e2e/support/stacks.ts";
import { message, postgresLiar, READY } from "../../integration/support/servers/postgres-liar.ts";

let stack: RunningStack;
const database = () => new URL(inject("stack").info.urls.postgres);

beforeAll(async () => {
  const { host, username, password, pathname } = database();
  stack = await startWorker({
    variables: {
      POSTGRES_CHECKS_URL: `postgres://${host}${pathname}`,
      POSTGRES_CHECKS_CREDENTIAL: `${username}:${password}`,
    },
  });
});
afterAll(() => stack?.[Symbol.asyncDispose]());

const triedSchema = z.object({
  result: z.unknown(),
  failure: z.object({ code: z.string(), detail: z.string() }).nullable(),
});

async function call(path: string, method: string, body: unknown): Promise<Response> {
  const headers = { authorization: `Bearer ${stack.info.token}`, "content-type": "application/json" };
  return fetch(new URL(path, stack.info.urls.worker), { method, headers, body: JSON.stringify(body) });
}

async function tryQuery(source: string, query: string, labels: Readonly<Record<string, string>> = {}) {
  const response = await call(`/v1/sources/${source}/try`, "POST", { query, labels });
  return triedSchema.parse(await response.json());
}

describe("the Worker", () => {
  it("asks a PostgreSQL server, with a hostile label as a parameter", async () => {
    const value = "x'; select pg_sleep(60) --";
    const query = "select count(*) as n, pg_is_in_recovery() as standby from pg_database where datname = :database";
    expect(await tryQuery("postgres", query, { database: value })).toEqual({
      failure: null,
      result: { kind: "rows", columns: ["n", "standby"], rows: [[0, false]] },
    });
  });

  it("reads no more than its limits", async () => {
    expect((await tryQuery("postgres", "select relname from pg_class")).result).toMatchObject({ kind: "too_large" });
  });

  it.each([
    ["hangs", () => {}, "timeout"],
    ["closes", (socket: { end(): unknown }) => void socket.end(), "unreachable"],
    [
      "speaks HTTP",
      (socket: { end(text: string): unknown }) => void socket.end("HTTP/1.1 200 OK\r\n\r\n"),
      "invalid_response",
    ],
    [
      "offers no TLS",
      (socket: { write(text: string): unknown }) => void socket.write("N"),
      "refused",
      "?sslmode=require",
    ],
    [
      "describes columns that are not there",
      (socket: { write(bytes: Uint8Array): unknown }, index: number) =>
        void socket.write(
          index === 0
            ? READY
            : index === 1
              ? Buffer.concat([message("C", "BEGIN\0"), message("Z", "T")])
              : message("T", Buffer.from([0, 9])),
        ),
      "invalid_response",
    ],
  ] as const)("survives a server that %s, and closes its connection", async (_, onData, failure, ...[parameters]) => {
    await using server = await postgresLiar({ onData });
    const source = { kind: "postgres", url: `${server.url.replace("://", "://reader@")}${parameters ?? ""}` };
    expect((await call("/v1/sources/liar", "PUT", source)).status).toBeLessThan(300);
    expect((await tryQuery("liar", "select 1 as n")).failure).toMatchObject({ code: failure });
    await server.closed();
    expect(server.connections).toBe(1);
    expect((await tryQuery("postgres", "select 1 as n")).result).toMatchObject({ rows: [[1]] });
  });
});
