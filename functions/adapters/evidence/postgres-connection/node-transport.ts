// TCP and TLS of Node.js, for the command line and the tests.

import { connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { checkTlsReply, type OpenTransport, SSL_REQUEST, tlsFailure, unreachable } from "./transport.ts";

export const openNodeTransport: OpenTransport = async ({ host, port, encrypted, signal }, events) => {
  const plain = connectTcp({ host, port });
  signal.addEventListener("abort", () => plain.destroy(), { once: true });
  await nextEvent(plain, "connect");
  const socket = encrypted ? await encrypt(plain, host) : plain;
  socket.on("data", events.data).on("error", events.error).on("close", events.close);
  return {
    get isOpen() {
      return socket.readyState === "open";
    },
    write: (bytes) => socket.write(bytes),
    end: (bytes) => {
      socket.once("finish", () => socket.destroy());
      socket.end(bytes);
    },
    destroy: () => {
      socket.destroy();
      plain.destroy();
    },
  };
};

async function encrypt(plain: Socket, host: string): Promise<Socket> {
  plain.write(SSL_REQUEST);
  const reply = await nextEvent(plain, "data");
  checkTlsReply(reply instanceof Uint8Array ? reply : undefined);
  // Without `host`, the certificate of an address would be compared with "localhost".
  const encrypted = connectTls({ socket: plain, host, ...(isIP(host) === 0 ? { servername: host } : {}) });
  try {
    await nextEvent(encrypted, "secureConnect");
  } catch (error) {
    encrypted.destroy();
    throw tlsFailure(error);
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
