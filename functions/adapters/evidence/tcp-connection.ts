// One TCP connection to a PostgreSQL server, bounded in time and bytes, with TLS as the protocol negotiates it.

import { Buffer } from "node:buffer";
import { EventEmitter } from "node:events";
import { connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { DependencyError } from "../../dependencies.ts";
import type { MessageGuard } from "./postgres-messages.ts";

export interface TcpConnectionOptions {
  readonly host: string;
  readonly port: number;
  readonly encrypted: boolean;
  /** What it refuses closes the connection. */
  readonly guard: MessageGuard;
  /** Closes the connection. */
  readonly signal: AbortSignal;
}

export interface TcpConnection {
  /** Connects once: a second connection would be outside of the transaction that the first one began. @throws DependencyError */
  open(): Promise<GuardedSocket>;
  /** Closes at once, in every state. */
  destroy(): void;
  /** Closes after what was written is sent. */
  close(): void;
  /** Why the guard closed it. */
  readonly refused: "too_many" | "invalid" | undefined;
}

/** SSLRequest of the protocol: its length and its code. The server answers with one byte. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);

export function createTcpConnection({ host, port, encrypted, guard, signal }: TcpConnectionOptions): TcpConnection {
  let plain: Socket | undefined;
  let socket: GuardedSocket | undefined;
  const destroy = () => {
    socket?.destroy();
    plain?.destroy();
  };
  signal.addEventListener("abort", destroy, { once: true });
  return {
    open: async () => {
      if (plain !== undefined || signal.aborted) throw unreachable("the server closed the connection");
      plain = connectTcp({ host, port });
      await nextEvent(plain, "connect");
      socket = new GuardedSocket(encrypted ? await encrypt(plain, host) : plain, guard);
      return socket;
    },
    destroy,
    close: () => (socket ? socket.close() : destroy()),
    get refused() {
      return socket?.refused;
    },
  };
}

/** The part of a socket that postgres.js uses; passes on only bytes that the guard accepts. */
export class GuardedSocket extends EventEmitter {
  refused: "too_many" | "invalid" | undefined;
  readonly #socket: Socket;

  constructor(socket: Socket, guard: MessageGuard) {
    super();
    this.#socket = socket;
    this.on("error", () => {}); // Without a listener, an error would end the process.
    for (const event of ["drain", "close", "error"]) socket.on(event, (value) => this.emit(event, value));
    socket.on("data", (bytes: Buffer) => {
      if (this.refused !== undefined) return;
      const verdict = guard(bytes);
      if (verdict === "ok") this.emit("data", bytes);
      else {
        this.refused = verdict;
        socket.destroy(new Error(`messages refused: ${verdict}`));
      }
    });
  }

  get readyState(): string {
    return this.#socket.readyState;
  }

  write(bytes: Buffer): boolean {
    return this.#socket.write(bytes);
  }

  end(bytes: Buffer): void {
    this.#socket.end(bytes);
  }

  destroy(): void {
    this.#socket.destroy();
  }

  /** After everything is sent. */
  close(): void {
    if (this.#socket.writableFinished) {
      this.destroy();
      return;
    }
    this.#socket.once("finish", () => this.destroy());
    this.#socket.end();
  }
}

async function encrypt(plain: Socket, host: string): Promise<Socket> {
  plain.write(SSL_REQUEST);
  const reply = await nextEvent(plain, "data");
  // More than one byte came from somebody who speaks before the encryption.
  if (!(reply instanceof Uint8Array) || reply.length !== 1) {
    throw new DependencyError("evidence_source", "invalid_response", "the reply to the request for TLS is invalid");
  }
  if (reply[0] !== "S".charCodeAt(0)) {
    const detail = "the server offers no TLS: enable it, or add ?sslmode=disable to the URL in a private network";
    throw new DependencyError("evidence_source", "refused", detail);
  }
  const encrypted = connectTls({ socket: plain, ...(isIP(host) === 0 ? { servername: host } : {}) });
  try {
    await nextEvent(encrypted, "secureConnect");
  } catch (error) {
    encrypted.destroy();
    const detail = "TLS failed: the server needs a certificate for this host name from a public authority";
    throw new DependencyError("evidence_source", "refused", detail, { cause: error });
  }
  return encrypted;
}

/** The first argument of the event. @throws DependencyError if the connection fails or closes before */
function nextEvent(socket: Socket, name: "connect" | "data" | "secureConnect"): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void) => {
      socket.off(name, onEvent).off("error", onError).off("close", onClose);
      act();
    };
    const onEvent = (value?: unknown) => settle(() => resolve(value));
    const onError = (error: unknown) => settle(() => reject(unreachable("no connection to the server", error)));
    const onClose = () => settle(() => reject(unreachable("the server closed the connection")));
    socket.on(name, onEvent).on("error", onError).on("close", onClose);
    // An error after this event belongs to the next listener; without any, it would end the process.
    socket.on("error", () => {});
  });
}

function unreachable(detail: string, cause?: unknown): DependencyError {
  return new DependencyError("evidence_source", "unreachable", detail, { cause });
}
