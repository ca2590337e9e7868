// Ports on 127.0.0.1. A person's stack uses those of its last run, so that copied addresses stay valid, else the default ports
// of Supabase and wrangler, else any free ones; an ephemeral stack uses any free ones. A port in use is never taken.

import { randomInt } from "node:crypto";
import { createSocket, type Socket } from "node:dgram";
import { createServer, type Server } from "node:net";
import getPort, { clearLockedPorts } from "get-port";
import { z } from "zod";
import { readJsonIfExists, writeFileAtomic } from "./atomic-file.ts";

const PORT_NAMES = ["worker", "gateway", "postgres", "postgrest", "postgrestAdmin", "chroma", "collector"] as const;

const portSchema = z.int().min(1).max(65_535);
export const portsSchema = z.record(z.enum(PORT_NAMES), portSchema);

export type PortName = (typeof PORT_NAMES)[number];
export type Ports = z.infer<typeof portsSchema>;

export interface PortReservation {
  ports: Ports;
  /** Stops listening on a port so that its service can bind it. No other stack takes the port. */
  release(name: PortName): Promise<void>;
  releaseAll(): Promise<void>;
  /** Also gives the ports up, for any other stack. */
  close(): Promise<void>;
}

/** One port of this stack. */
interface PortHold {
  readonly port: number;
  /** Listens until the service is about to bind the port. */
  readonly listener: Server;
  readonly claim: Socket;
}

const PREFERRED: Partial<Ports> = { gateway: 54_321, worker: 8_787 };

/** Below the range from which systems take the local ports of outgoing connections (32,768 up, macOS 49,152 up). */
const RANDOM_RANGE = { min: 20_000, max: 32_000 };

/**
 * Chooses all ports, claims them and listens on each until it is released.
 * @param path file with the ports of the last run; written anew
 * @param usePreferred false for ephemeral stacks, which leave the default ports to a person's own stack
 */
export async function reservePorts(path: string, usePreferred: boolean): Promise<PortReservation> {
  const lastPorts = z
    .partialRecord(z.enum(PORT_NAMES), portSchema)
    .catch({})
    .parse(readJsonIfExists(path) ?? {});
  const holds = new Map<PortName, PortHold>();
  const release = async (name: PortName): Promise<void> => {
    const listener = holds.get(name)?.listener;
    if (listener?.listening) await new Promise((done) => listener.close(done));
  };
  const releaseAll = async (): Promise<void> => {
    await Promise.all(PORT_NAMES.map(release));
  };
  for (const name of PORT_NAMES) {
    const candidates = usePreferred ? [lastPorts[name], PREFERRED[name]].filter((port) => port !== undefined) : [];
    holds.set(name, await holdOne(candidates));
  }
  const ports = portsSchema.parse(Object.fromEntries([...holds].map(([name, { port }]) => [name, port])));
  writeFileAtomic(path, JSON.stringify(ports));
  return {
    ports,
    release,
    releaseAll,
    close: async () => {
      await releaseAll();
      await Promise.all([...holds.values()].map(({ claim }) => new Promise<void>((done) => claim.close(done))));
      holds.clear();
    },
  };
}

/** Whether nothing listens on this port, on any local address. */
export async function isPortFree(port: number): Promise<boolean> {
  // get-port avoids ports that it returned lately, among them those of a stack that has just stopped.
  clearLockedPorts();
  // It checks every local address: a server on 0.0.0.0 uses the port, too.
  return (await getPort({ port })) === port;
}

async function holdOne(candidates: readonly number[]): Promise<PortHold> {
  for (const port of candidates) {
    const hold = await holdPort(port);
    if (hold) return hold;
  }
  for (;;) {
    const hold = await holdPort(randomInt(RANDOM_RANGE.min, RANDOM_RANGE.max));
    if (hold) return hold;
  }
}

async function holdPort(port: number): Promise<PortHold | undefined> {
  const claim = await claimPort(port);
  if (!claim) return undefined;
  const listener = (await isPortFree(port)) ? await listen(port) : undefined;
  if (listener) return { port, listener, claim };
  await new Promise<void>((done) => claim.close(done));
  return undefined;
}

/**
 * Takes the UDP port of the same number, which no service uses, until the stack stops. A service binds its TCP port
 * seconds after the listener has left it, and again at every restart: without the claim, a second stack that starts
 * meanwhile sees a free port. The system frees the claim of a process that was killed.
 */
function claimPort(port: number): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const claim = createSocket("udp4");
    claim.once("error", () => claim.close(() => resolve(undefined)));
    claim.bind({ port, address: "127.0.0.1", exclusive: true }, () => resolve(claim.unref()));
  });
}

function listen(port: number): Promise<Server | undefined> {
  return new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy());
    server.once("error", () => resolve(undefined));
    server.listen({ port, host: "127.0.0.1", exclusive: true }, () => resolve(server.unref()));
  });
}
