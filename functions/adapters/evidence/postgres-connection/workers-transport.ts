// TCP and TLS of Cloudflare Workers, also through Hyperdrive. Their `node:net` cannot begin TLS on an open connection.

import type { Socket } from "cloudflare:sockets";
import { Buffer } from "node:buffer";
import { checkTlsReply, type OpenTransport, SSL_REQUEST, tlsFailure, unreachable } from "./transport.ts";

export const openWorkersTransport: OpenTransport = async ({ host, port, encrypted, signal }, events) => {
  // Only Workers have this module.
  const { connect } = await import("cloudflare:sockets");
  const plain = connect(
    { hostname: host, port },
    { secureTransport: encrypted ? "starttls" : "off", allowHalfOpen: false },
  );
  const close = (socket: Socket) => void socket.close().catch(() => {}); // It may be closed already.
  signal.addEventListener("abort", () => close(plain), { once: true });
  plain.closed.catch(() => {}); // Reading fails with the same error.
  await plain.opened.catch((error: unknown) => {
    throw unreachable("no connection to the server", error);
  });
  const socket = encrypted ? await encrypt(plain) : plain;
  if (encrypted) signal.addEventListener("abort", () => close(socket), { once: true });
  const writer = socket.writable.getWriter();
  let isOpen = true;
  const write = (bytes: Buffer) => writer.write(bytes).catch(events.error);
  void pump(socket.readable, events.data)
    .catch(events.error)
    .finally(() => {
      isOpen = false;
      close(socket);
      events.close();
    });
  return {
    get isOpen() {
      return isOpen;
    },
    write: (bytes) => void write(bytes),
    end: (bytes) => void write(bytes).finally(() => close(socket)),
    destroy: () => close(socket),
  };
};

async function encrypt(plain: Socket): Promise<Socket> {
  const writer = plain.writable.getWriter();
  const reader = plain.readable.getReader();
  try {
    await writer.write(SSL_REQUEST);
    const { value, done } = await reader.read();
    if (done) throw unreachable("the server closed the connection");
    checkTlsReply(value);
  } finally {
    writer.releaseLock();
    reader.releaseLock();
  }
  const encrypted = plain.startTls();
  encrypted.closed.catch(() => {}); // Reading fails with the same error.
  await encrypted.opened.catch((error: unknown) => {
    throw tlsFailure(error);
  });
  return encrypted;
}

async function pump(readable: ReadableStream<Uint8Array>, take: (bytes: Buffer) => void): Promise<void> {
  for (const reader = readable.getReader(); ; ) {
    const { value, done } = await reader.read();
    if (done) return;
    take(Buffer.from(value.buffer, value.byteOffset, value.byteLength));
  }
}
