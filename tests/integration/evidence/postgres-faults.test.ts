// PostgreSQL servers that hang, lie and talk too much: each costs one connection, one error and no content.

import { createServer } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import type { QueryCall } from "../../../functions/adapters/evidence/client.ts";
import { createPostgresClient } from "../../../functions/adapters/evidence/postgres.ts";
import { evidenceSourceSchema } from "../../../functions/schemas/evidence/source.ts";
import { createTestTimers } from "../../support/test-timers.ts";
import {
  errorResponse,
  int32,
  type LiarOptions,
  message,
  postgresLiar,
  READY,
} from "../support/servers/postgres-liar.ts";

const SECRET = "s3cret-content";
const CALL: QueryCall = { timeoutMs: 20_000 };
const { startTimer, expire } = createTestTimers();

const client = (url: string) => {
  const definition = evidenceSourceSchema.parse({ name: "db", kind: "postgres", url });
  return createPostgresClient(definition, `reader:${SECRET}`, startTimer);
};

const QUERY = { language: "sql", text: `select '${SECRET}'`, parameters: [SECRET] } as const;

/**
 * What a query to such a server ends with; the client has closed its connection.
 * @param pieces of data that the server receives before the time of the query is up; 0 if it ends without that
 */
async function outcome(options: LiarOptions, pieces = 0): Promise<unknown> {
  await using server = await postgresLiar(options);
  const run = client(server.url)
    .run(QUERY, CALL)
    .catch((error: unknown) => error);
  if (pieces > 0) {
    await server.received(pieces);
    await expire("evidence_source");
  }
  const result: unknown = await run;
  await server.closed();
  expect(server.connections).toBe(1);
  return result;
}

const failed = (failure: string, detail: string | RegExp) =>
  expect.objectContaining({
    name: "DependencyError",
    dependency: "evidence_source",
    failure,
    message: expect.stringMatching(detail),
  });

/** Answers the startup with one message, and nothing afterwards. */
const startup = (...replies: readonly Uint8Array[]): LiarOptions => ({
  onData: (socket, index) => index === 0 && socket.write(Buffer.concat(replies)),
});
/** Accepts the login and the transaction, then answers the query. */
const afterLogin = (...replies: readonly Uint8Array[]): LiarOptions => ({
  onData: (socket, index) => {
    if (index === 0) socket.write(READY);
    else if (index === 1) socket.write(Buffer.concat([message("C", "BEGIN\0"), message("Z", "T")]));
    else socket.write(Buffer.concat(replies));
  },
});
const flood = (socket: Parameters<NonNullable<LiarOptions["onData"]>>[0], bytes: Buffer) => {
  for (let sent = 0; sent < 50_000_000; sent += bytes.length) socket.write(bytes);
};
const NOTICE = message("N", "SNOTICE\0Mx\0\0", Buffer.alloc(60_000, "x"));

describe("a server that", () => {
  it.each<readonly [what: string, pieces: number, options: LiarOptions]>([
    ["never answers", 1, {}],
    ["drips", 1, { onConnect: (socket) => drip(socket, message("S", "a\0b\0")) }],
    ["drips one message byte by byte", 1, { onConnect: (socket) => drip(socket, Buffer.from("S\0\0\u000f\u000f")) }],
    ["accepts the login and then hangs", 2, startup(READY)],
    ["hangs in the query", 3, afterLogin()],
    ["asks for the password and then hangs", 2, startup(message("R", int32(3)))],
    [
      "sends a row that is shorter than its cell",
      3,
      afterLogin(rowDescription(), message("D", Buffer.from([0, 1, 0, 9, 9, 9]))),
    ],
  ])("%s costs its timeout", async (_, pieces, options) => {
    expect(await outcome(options, pieces)).toEqual(failed("timeout", /no answer within 20000 ms$/));
  });

  it.each<readonly [what: string, options: LiarOptions]>([
    ["closes at once", { onConnect: (socket) => void socket.end() }],
    ["closes after the startup", { onData: (socket) => void socket.end() }],
    ["breaks the connection", { onData: (socket) => void socket.resetAndDestroy() }],
    ["closes after the login", { onData: (socket, index) => void (index === 0 ? socket.write(READY) : socket.end()) }],
    ["stops", startup(errorResponse("57P01", SECRET))],
    ["starts", startup(errorResponse("57P03", SECRET))],
  ])("%s is unreachable", async (_, options) => {
    const result = await outcome(options);
    expect(result).toEqual(failed("unreachable", /./));
    expect(String(result)).not.toContain(SECRET);
  });

  it("closes within the transaction gets no second connection, where nothing would be read-only", async () => {
    await using server = await postgresLiar({
      onData: (socket, index) => {
        if (index === 0) socket.write(READY);
        else socket.end(Buffer.concat([message("C", "BEGIN\0"), message("Z", "T")]));
      },
    });
    await expect(client(server.url).run(QUERY, CALL)).rejects.toMatchObject({ failure: "unreachable" });
    expect(server.connections).toBe(1);
  });

  it.each<readonly [what: string, options: LiarOptions]>([
    ["speaks HTTP", { onData: (socket) => void socket.end("HTTP/1.1 400 Bad Request\r\n\r\n") }],
    ["sends zeros", { onData: (socket) => flood(socket, Buffer.alloc(65_536)) }],
    ["sends an unknown message", startup(message("x", "y"))],
    ["sends a negative length", startup(Buffer.from([0x53, 0xff, 0xff, 0xff, 0xff]), Buffer.alloc(100))],
    ["sends a length that is too short", startup(Buffer.from([0x53, 0, 0, 0, 3]))],
    ["starts a copy", afterLogin(message("G", Buffer.from([0, 0, 0])))],
    ["asks for an unknown login", startup(message("R", int32(77)))],
    ["continues a login that did not begin", startup(message("R", int32(11), "r=a"))],
    ["wants years of computing", startup(message("R", int32(11), "r=a,s=YWFh,i=999999999"))],
    ["asks for the password again and again", startup(...Array.from({ length: 50 }, () => message("R", int32(3))))],
    ["sends rows before the login", startup(message("D", Buffer.from([0, 1, 0, 0, 0, 1, 65])))],
    ["signs a login that did not begin", startup(message("R", int32(12), "v=YWFh"))],
    ["sends rows without columns", afterLogin(message("D", Buffer.from([0, 1, 0, 0, 0, 1, 65])))],
    ["describes columns that are not there", afterLogin(message("T", Buffer.from([0, 9])))],
  ])("%s is refused", async (_, options) => {
    const result = await outcome(options);
    expect(result).toMatchObject({
      name: "DependencyError",
      failure: expect.stringMatching(/^(?:invalid_response|timeout)$/),
    });
    expect(String(result)).not.toContain(SECRET);
  });

  it.each<readonly [what: string, options: LiarOptions]>([
    ["sends 50 MB of notices", { onData: (socket) => flood(socket, NOTICE) }],
    ["announces a message of 1 GB", startup(Buffer.from([0x53, 0x3f, 0xff, 0xff, 0xff]))],
    [
      "sends 50 MB in the query",
      { onData: (socket, index) => (index === 0 ? socket.write(READY) : flood(socket, NOTICE)) },
    ],
  ])("%s is cut off", async (_, options) => {
    expect(await outcome(options)).toMatchObject({ kind: "too_large", size: "more than 256 KB" });
  });

  it.each([
    ["has no free connection", "53300", "busy"],
    ["has no memory", "53200", "busy"],
    ["rejects the login", "28P01", "refused"],
    ["has an unknown problem", "XX000", "refused"],
    ["sends a code that is none", `${SECRET}`, "refused"],
  ])("%s: its code decides, its text stays there", async (_, code, failure) => {
    const result = await outcome(startup(errorResponse(code, SECRET)));
    expect(result).toEqual(failed(failure, /./));
    expect(String(result)).not.toContain(SECRET);
    expect(result).not.toHaveProperty("cause.message", expect.stringContaining(SECRET));
  });
});

describe("TLS", () => {
  it("is required unless the server is on this machine", async () => {
    await using server = await postgresLiar({ onData: (socket) => void socket.write("N") });
    await expect(client(`${server.url}?sslmode=require`).run(QUERY, CALL)).rejects.toEqual(
      failed("refused", /the server offers no TLS/),
    );
  });

  it("begins after one byte: data before it is refused", async () => {
    await using server = await postgresLiar({
      onData: (socket) => void socket.write(Buffer.concat([Buffer.from("S"), READY])),
    });
    await expect(client(`${server.url}?sslmode=require`).run(QUERY, CALL)).rejects.toEqual(
      failed("invalid_response", /the request for TLS/),
    );
  });

  it("hangs no longer than its timeout", async () => {
    await using server = await postgresLiar({ onData: (socket, index) => index === 0 && socket.write("S") });
    const run = expect(client(`${server.url}?sslmode=require`).run(QUERY, CALL)).rejects.toEqual(
      failed("timeout", /./),
    );
    await server.received(2);
    await expire("evidence_source");
    await run;
    await server.closed();
  });
});

it("an address without a listener is unreachable", async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  const port = typeof address === "object" ? address?.port : undefined;
  await expect(client(`postgres://127.0.0.1:${port}/shop`).ping(CALL)).rejects.toEqual(
    failed("unreachable", /no connection/),
  );
});

/** One column, of text. */
function rowDescription(): Buffer {
  return message(
    "T",
    Buffer.from([0, 1]),
    "a\0",
    int32(0),
    Buffer.from([0, 0]),
    int32(25),
    Buffer.from([0xff, 0xff]),
    int32(-1),
    Buffer.from([0, 0]),
  );
}

/** Sends the bytes again and again, one at a time, until the test ends. */
function drip(socket: { write(bytes: Uint8Array): boolean }, bytes: Buffer): void {
  let at = 0;
  const timer = setInterval(() => {
    socket.write(bytes.subarray(at, at + 1));
    at = (at + 1) % bytes.length;
  }, 10);
  onTestFinished(() => clearInterval(timer));
}
