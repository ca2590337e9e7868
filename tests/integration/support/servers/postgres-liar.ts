// A server that speaks the beginning of PostgreSQL's protocol, and then fails, stalls, lies or talks without end.

import { EventEmitter, once } from "node:events";
import { createServer, type Socket } from "node:net";

/** A message of the protocol: its type, its length and its body. */
export function message(type: string, ...parts: readonly (string | Uint8Array)[]): Buffer {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part)));
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body]);
}

export function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

/** The login is accepted; the server waits for a query. */
export const READY: Buffer = Buffer.concat([message("R", int32(0)), message("Z", "I")]);
export const errorResponse = (code: string, text: string): Buffer =>
  message("E", `SFATAL\0VFATAL\0C${code}\0M${text}\0\0`);

export interface LiarOptions {
  /** Runs for each piece of data that a client sends; `index` counts them from 0. */
  readonly onData?: (socket: Socket, index: number) => void;
  readonly onConnect?: (socket: Socket) => void;
}

export interface Liar extends AsyncDisposable {
  readonly url: string;
  readonly connections: number;
  /** Resolves when clients have sent so many pieces of data. */
  received(pieces: number): Promise<void>;
  /** Resolves when the client has closed each connection. */
  closed(): Promise<void>;
}

export async function postgresLiar({ onData, onConnect }: LiarOptions): Promise<Liar> {
  const sockets: Socket[] = [];
  const arrivals = new EventEmitter();
  let pieces = 0;
  const server = createServer((socket) => {
    sockets.push(socket);
    let index = 0;
    socket.on("error", () => {}); // The client closes while the server still talks.
    socket.on("data", () => {
      onData?.(socket, index++);
      pieces += 1;
      arrivals.emit("piece");
    });
    onConnect?.(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return {
    url: `postgres://127.0.0.1:${address.port}/shop`,
    get connections() {
      return sockets.length;
    },
    received: async (count) => {
      while (pieces < count) await once(arrivals, "piece");
    },
    closed: async () => {
      await Promise.all(
        sockets.map((socket) => socket.closed || new Promise((resolve) => socket.once("close", resolve))),
      );
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
