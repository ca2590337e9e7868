/**
 * Ports on 127.0.0.1: those of the last run when they are free, so that addresses a person copied stay good;
 * the usual ones of Supabase and wrangler for a first run; any free one otherwise. A chosen port is held open until
 * the part that wants it is started, and a port in use is never touched.
 */
import { randomInt } from "node:crypto";
import { createServer, type Server } from "node:net";
import getPort, { clearLockedPorts } from "get-port";
import { z } from "zod";
import { readJsonIfThere, writeFileAtomic } from "./atomic-file.ts";

export const PORT_NAMES = [
  "worker",
  "gateway",
  "postgres",
  "postgrest",
  "postgrestAdmin",
  "chroma",
  "embeddings",
  "collector",
] as const;

export type PortName = (typeof PORT_NAMES)[number];
export type Ports = Record<PortName, number>;

export interface PortReservation {
  ports: Ports;
  /** Lets a port go so that its part can bind it. */
  release(name: PortName): Promise<void>;
  releaseAll(): Promise<void>;
}

const PREFERRED: Partial<Ports> = { gateway: 54_321, worker: 8_787 };

/** Below the range from which systems take the local ends of outgoing connections (32,768 up, macOS 49,152 up). */
const RANDOM_RANGE = { min: 20_000, max: 32_000 };
const RANDOM_CANDIDATES = 20;

const portsSchema = z.partialRecord(z.enum(PORT_NAMES), z.int().min(1).max(65_535));

/**
 * @param memoryPath file of the last run's ports
 * @param preferUsual false for throw-away stacks, which should leave the usual ports to a person's own stack
 */
export async function reservePorts(memoryPath: string, preferUsual: boolean): Promise<PortReservation> {
  const remembered = portsSchema.catch({}).parse(readJsonIfThere(memoryPath) ?? {});
  const holders = new Map<PortName, Server>();
  const release = async (name: PortName): Promise<void> => {
    const holder = holders.get(name);
    holders.delete(name);
    if (holder) await new Promise((done) => holder.close(done));
  };
  const chosen = new Map<PortName, number>();
  for (const name of PORT_NAMES) {
    const wanted = preferUsual ? [remembered[name], PREFERRED[name]].filter((port) => port !== undefined) : [];
    const { port, holder } = await holdOne(wanted);
    chosen.set(name, port);
    holders.set(name, holder);
  }
  const ports = z.record(z.enum(PORT_NAMES), z.number()).parse(Object.fromEntries(chosen));
  writeFileAtomic(memoryPath, JSON.stringify(ports));
  return {
    ports,
    release,
    releaseAll: async () => {
      await Promise.all(PORT_NAMES.map(release));
    },
  };
}

async function holdOne(wanted: readonly number[]): Promise<{ port: number; holder: Server }> {
  for (;;) {
    const random = Array.from({ length: RANDOM_CANDIDATES }, () => randomInt(RANDOM_RANGE.min, RANDOM_RANGE.max));
    // Its memory of ports it gave out lately would hide those of a stack that has just stopped.
    clearLockedPorts();
    // Looks at every local address, not only ours: a server on 0.0.0.0 has the port too.
    const port = await getPort({ port: [...wanted, ...random] });
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
