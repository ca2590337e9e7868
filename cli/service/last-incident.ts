// The last incident and session of each service, in the user's state file.

import { z } from "zod";
import { type Environment, readPrivateFile, userFile, writePrivateFile } from "./private-file.ts";

/** More are forgotten, oldest first. */
const MAX_SERVICES = 50;

const lastSchema = z.object({ incident_id: z.string().nullable(), session_id: z.string(), at: z.string() });
export type LastIncident = z.infer<typeof lastSchema>;
const stateSchema = z.record(z.string(), lastSchema);

/** Null if this command line has not triaged on that service. */
export function readLast(env: Environment, serviceKey: string): LastIncident | null {
  const state = readState(env);
  return Object.hasOwn(state, serviceKey) ? (state[serviceKey] ?? null) : null;
}

/** @throws CommandError */
export function storeLast(env: Environment, serviceKey: string, last: LastIncident): void {
  const others = Object.entries(readState(env)).filter(([key]) => key !== serviceKey);
  const newest = others.sort(([, a], [, b]) => (a.at < b.at ? 1 : -1)).slice(0, MAX_SERVICES - 1);
  writePrivateFile(stateFile(env), { [serviceKey]: last, ...Object.fromEntries(newest) });
}

function stateFile(env: Environment): string {
  return userFile(env, "XDG_STATE_HOME", "last.json");
}

function readState(env: Environment): z.infer<typeof stateSchema> {
  return readPrivateFile(stateFile(env), stateSchema) ?? {};
}
