// Services of a stack: their names, which requires which, and how one is run.

import { baseEnvironment, type UserIds } from "../system/child-process.ts";

/** In start order; they stop in reverse. */
export const SERVICE_NAMES = ["postgres", "postgrest", "gateway", "chroma", "collector", "worker"] as const;

export type ServiceName = (typeof SERVICE_NAMES)[number];

/** The services that Dejavu needs to run. The collector only receives traces. */
export const REQUIRED_SERVICES: readonly ServiceName[] = SERVICE_NAMES.filter((name) => name !== "collector");

const REQUIRES: Record<ServiceName, readonly ServiceName[]> = {
  postgres: [],
  postgrest: ["postgres"],
  gateway: ["postgrest"],
  chroma: [],
  collector: [],
  worker: ["gateway", "chroma"],
};

/**
 * These services and all that they require, in start order.
 * @param without services that run elsewhere
 */
export function withDependencies(
  names: readonly ServiceName[],
  without: readonly ServiceName[] = [],
): readonly ServiceName[] {
  const required = new Set<ServiceName>();
  const add = (name: ServiceName): void => {
    if (without.includes(name)) return;
    required.add(name);
    for (const dependency of REQUIRES[name]) add(dependency);
  };
  for (const name of names) add(name);
  return SERVICE_NAMES.filter((name) => required.has(name));
}

/** How to start, check and stop a service. */
export interface ServiceSpec {
  name: ServiceName;
  port: number;
  command: string;
  args: readonly string[];
  cwd: string;
  /** The whole environment: nothing else is inherited. */
  env: Record<string, string>;
  /** Run as another user; only root can. */
  runAs?: UserIds | undefined;
  stopSignal: NodeJS.Signals;
  /** From the stop signal to SIGKILL. */
  graceMs: number;
  /** Runs before every start: writes the files that the process reads. */
  prepare?(): void | Promise<void>;
  /** For a service that keeps running when its start fails, but logs the failure. */
  failureInLog?: readonly { pattern: RegExp; message: (match: RegExpExecArray) => string }[];
  /** Checks once, until the signal is aborted. False or an error means not yet. */
  isHealthy(signal: AbortSignal): Promise<boolean>;
}

/** A running service as callers of the stack see it. */
export interface ServiceHandle {
  readonly name: ServiceName;
  /** Process id of the group's leader, or undefined while the service is down. */
  readonly pid: number | undefined;
  readonly port: number;
  /** Sends the stop signal, and SIGKILL after the grace. Does nothing when the service is down. */
  stop(): Promise<void>;
  /** Sends SIGKILL to the service and its children, and waits until all have exited. */
  kill(): Promise<void>;
  /** Sends SIGSTOP to the service and its children: connections stay open and nothing answers. */
  pause(): void;
  resume(): void;
  /** Starts a service that is down, with the same port and data, and waits until it is healthy. */
  start(): Promise<void>;
}

/** A service that is one of our own scripts with `GET /health` on the port in `PORT`. */
export function nodeService(
  name: ServiceName,
  port: number,
  { script, env }: { readonly script: string; readonly env: Readonly<Record<string, string>> },
): ServiceSpec {
  return {
    name,
    port,
    command: process.execPath,
    args: [script],
    cwd: "/",
    env: { ...baseEnvironment(), PORT: String(port), ...env },
    stopSignal: "SIGTERM",
    graceMs: 2_000,
    isHealthy: (signal) => respondsWith200(`http://127.0.0.1:${port}/health`, signal),
  };
}

/** One GET request. @throws the reason of the signal when that is aborted */
export async function respondsWith200(url: string, signal: AbortSignal): Promise<boolean> {
  const response = await fetch(url, { signal });
  await response.body?.cancel();
  return response.status === 200;
}
