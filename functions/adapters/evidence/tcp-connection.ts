// One TCP connection to a PostgreSQL server, bounded in time and bytes, with TLS as the protocol negotiates it.

import { Buffer } from "node:buffer";
import { connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { DependencyError } from "../../dependencies.ts";

export interface TcpConnectionOptions {
  readonly host: string;
  readonly port: number;
  readonly encrypted: boolean;
  /** Received in all; more closes the connection. */
  readonly maxBytes: number;
  /** Closes the connection. */
  readonly signal: AbortSignal;
}

export interface TcpConnection {
  /** Connects once: a second connection would be outside of the transaction that the first one began. @throws DependencyError */
  open(): Promise<Socket>;
  /** Closes at once, in every state. */
  destroy(): void;
  /** Closes after what was written is sent. */
  close(): void;
  readonly exceeded: boolean;
}

/** SSLRequest of the protocol: its length and its code. The server answers with one byte. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);

export function createTcpConnection(options: TcpConnectionOptions): TcpConnection {
  let socket: Socket | undefined;
  let plain: Socket | undefined;
  let isOpened = false;
  let received = 0;
  let exceeded = false;
  const destroy = () => {
    socket?.destroy();
    plain?.destroy();
  };
  options.signal.addEventListener("abort", destroy, { once: true });
  return {
    open: async () => {
      if (isOpened || options.signal.aborted) throw unreachable("the server closed the connection");
      isOpened = true;
      plain = connectTcp({ host: options.host, port: options.port });
      await nextEvent(plain, "connect");
      socket = options.encrypted ? await encrypt(plain, options.host) : plain;
      socket.on("data", (bytes: Buffer) => {
        received += bytes.length;
        exceeded ||= received > options.maxBytes;
        if (exceeded) socket?.destroy(new Error("too many bytes"));
      });
      return socket;
    },
    destroy,
    close: () => {
      if (socket === undefined || socket.writableFinished) return destroy();
      socket.once("finish", destroy);
      socket.end();
    },
    get exceeded() {
      return exceeded;
    },
  };
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
