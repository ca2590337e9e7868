// Ports on 127.0.0.1. A stack uses those of its last run when they are free, so that copied addresses stay valid; in
// its first run the default ports of Supabase and wrangler; else any free port. A port in use is never taken.

import { randomInt } from "node:crypto";
import { createServer, type Server } from "node:net";
import getPort, { clearLockedPorts } from "get-port";
import { z } from "zod";
import { readJsonIfExists, writeFileAtomic } from "./atomic-file.ts";

const PORT_NAMES = [
  "worker",
  "gateway",
  "postgres",
  "postgrest",
  "postgrestAdmin",
  "chroma",
  "embeddings",
  "collector",
] as const;

const portSchema = z.int().min(1).max(65_535);
export const portsSchema = z.record(z.enum(PORT_NAMES), portSchema);

export type PortName = (typeof PORT_NAMES)[number];
export type Ports = z.infer<typeof portsSchema>;

export interface PortReservation {
  ports: Ports;
  /** Stops listening on a port so that its service can bind it. */
  release(name: PortName): Promise<void>;
  releaseAll(): Promise<void>;
}

const PREFERRED: Partial<Ports> = { gateway: 54_321, worker: 8_787 };

/** Below the range from which systems take the local ports of outgoing connections (32,768 up, macOS 49,152 up). */
const RANDOM_RANGE = { min: 20_000, max: 32_000 };
const RANDOM_CANDIDATES = 20;

/**
 * Chooses all ports and listens on each until it is released.
 * @param path file with the ports of the last run; written anew
 * @param usePreferred false for ephemeral stacks, which leave the default ports to a person's own stack
 */
export async function reservePorts(path: string, usePreferred: boolean): Promise<PortReservation> {
  const lastPorts = z
    .partialRecord(z.enum(PORT_NAMES), portSchema)
    .catch({})
    .parse(readJsonIfExists(path) ?? {});
  const holders = new Map<PortName, Server>();
  const release = async (name: PortName): Promise<void> => {
    const holder = holders.get(name);
    holders.delete(name);
    if (holder) await new Promise((done) => holder.close(done));
  };
  const chosen = new Map<PortName, number>();
  for (const name of PORT_NAMES) {
    const candidates = usePreferred ? [lastPorts[name], PREFERRED[name]].filter((port) => port !== undefined) : [];
    const { port, holder } = await holdOne(candidates);
    chosen.set(name, port);
    holders.set(name, holder);
  }
  const ports = portsSchema.parse(Object.fromEntries(chosen));
  writeFileAtomic(path, JSON.stringify(ports));
  return {
    ports,
    release,
    releaseAll: async () => {
      await Promise.all(PORT_NAMES.map(release));
    },
  };
}

async function holdOne(candidates: readonly number[]): Promise<{ port: number; holder: Server }> {
  for (;;) {
    const random = Array.from({ length: RANDOM_CANDIDATES }, () => randomInt(RANDOM_RANGE.min, RANDOM_RANGE.max));
    // get-port avoids ports that it returned lately, among them those of a stack that has just stopped.
    clearLockedPorts();
    // It checks every local address: a server on 0.0.0.0 uses the port, too.
    const port = await getPort({ port: [...candidates, ...random] });
    const holder = await hold(port);
    if (holder) return { port, holder };
  }
}

function hold(port: number): Promise<Server | undefined> {
  return new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy());
    server.once("error", () => resolve(undefined));
    server.listen({ port, host: "127.0.0.1", exclusive: true }, () => resolve(server.unref()));
  });
}
