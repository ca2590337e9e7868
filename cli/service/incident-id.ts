// Finds the id that a person means: a whole id, its first characters, or `last`.

import { z } from "zod";
import { callFor } from "./client.ts";
import { CommandError } from "./command-error.ts";
import type { Service } from "./find-service.ts";
import { readLast } from "./last-incident.ts";
import type { Environment } from "./private-file.ts";
import { printable } from "./problem-error.ts";

export const LAST = "last";
export const MIN_ID_LENGTH = 4;
const MAX_CANDIDATES = 5;
const ID_LENGTH = 36;
const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const ID_PREFIX = /^[0-9a-f-]+$/;

const listSchema = z.object({
  incidents: z.array(z.object({ id: z.string(), title: z.string(), created_at: z.string() })),
});

/** As in lists; long enough for every command. */
export function shortId(id: string): string {
  return id.slice(0, 8);
}

export interface Candidate {
  readonly id: string;
  /** Distinguishes it from the others, for people. */
  readonly label: string;
}

/** @param text an id, its first characters, or `last` @throws CommandError */
export async function incidentId(service: Service, env: Environment, text: string): Promise<string> {
  if (text === LAST) return lastIncidentId(service, env);
  const prefix = idPrefixOf(text, `, or ${LAST}`);
  if (ID.test(prefix)) return prefix;
  const query = { id_prefix: prefix, limit: String(MAX_CANDIDATES + 1) };
  const { incidents } = await callFor(service, { path: "/v1/incidents", query }, listSchema);
  const candidates = incidents.map(({ id, title, created_at }) => ({
    id,
    label: `${created_at.slice(0, 16).replace("T", " ")}  ${title}`,
  }));
  return onlyCandidate(candidates, text, { noun: "incident", listCommand: "dejavu list" });
}

/** The lower-case beginning of an id. @throws CommandError for any other text */
export function idPrefixOf(text: string, alternative = ""): string {
  const prefix = text.toLowerCase();
  const digits = prefix.replaceAll("-", "").length;
  if (ID_PREFIX.test(prefix) && digits >= MIN_ID_LENGTH && prefix.length <= ID_LENGTH) return prefix;
  throw new CommandError(
    "usage",
    `"${text}" is no id. Use an id, its first ${MIN_ID_LENGTH} or more characters${alternative}.`,
  );
}

export function isWholeId(text: string): boolean {
  return ID.test(text);
}

/** @throws CommandError if there is none, or more than one */
export function onlyCandidate(
  candidates: readonly Candidate[],
  text: string,
  { noun, listCommand }: { readonly noun: string; readonly listCommand: string },
): string {
  const [candidate, another] = candidates;
  if (candidate === undefined)
    throw new CommandError("notFound", `No ${noun} has an id that begins with ${text}. List them with: ${listCommand}`);
  if (another === undefined) return candidate.id;
  const shown = candidates.slice(0, MAX_CANDIDATES).map(({ id, label }) => `\n  ${id}  ${printable(label)}`);
  const more = candidates.length > MAX_CANDIDATES ? "\n  …" : "";
  throw new CommandError(
    "usage",
    `More than one ${noun} begins with ${text}. Use more characters:${shown.join("")}${more}`,
  );
}

async function lastIncidentId(service: Service, env: Environment): Promise<string> {
  const id = readLast(env, service.key)?.incident_id ?? null;
  if (id !== null) return id;
  if (service.isLocal) {
    const { incidents } = await callFor(service, { path: "/v1/incidents", query: { limit: "1" } }, listSchema);
    const [newest] = incidents;
    if (newest !== undefined) return newest.id;
  }
  throw new CommandError(
    "notFound",
    `There is no last incident: nothing was triaged on ${service.url} from here. List incidents with: dejavu list`,
  );
}
