// Finds the id that a person means: a whole id, its first characters, or `last`.

import { z } from "zod";
import { callFor } from "./client.ts";
import { CommandError } from "./command-error.ts";
import type { Service } from "./find-service.ts";
import type { Cli } from "./invocation.ts";
import { readLast } from "./last-incident.ts";
import { printable } from "./problem-error.ts";

export const LAST = "last";
export const MIN_ID_LENGTH = 4;
const MAX_CANDIDATES = 5;
/** So long `last` is what this person triaged, also when alerts arrive. */
const OWN_FOR_MS = 3_600_000;
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
export async function incidentId(service: Service, cli: Pick<Cli, "env" | "note">, text: string): Promise<string> {
  if (text === LAST) return lastIncidentId(service, cli);
  const prefix = idPrefixOf(text, `, or ${LAST}`);
  if (ID.test(prefix)) return prefix;
  const query = { id_prefix: prefix, limit: String(MAX_CANDIDATES + 1) };
  const { incidents } = await callFor(service, { path: "/v1/incidents", query }, listSchema);
  const candidates = incidents.map((incident) => ({ id: incident.id, label: labelOf(incident) }));
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

function labelOf({ title, created_at }: z.infer<typeof listSchema>["incidents"][number]): string {
  return `${created_at.slice(0, 16).replace("T", " ")}  ${title}`;
}

/** The incident that was triaged from here within the hour; otherwise the newest, such as that of an alert. */
async function lastIncidentId(service: Service, { env, note }: Pick<Cli, "env" | "note">): Promise<string> {
  const own = readLast(env, service.key);
  if (own?.incident_id != null && Date.now() - Date.parse(own.at) < OWN_FOR_MS) return own.incident_id;
  const { incidents } = await callFor(service, { path: "/v1/incidents", query: { limit: "1" } }, listSchema);
  const [newest] = incidents;
  if (newest !== undefined) {
    note(printable(`The last incident is ${shortId(newest.id)}  ${labelOf(newest)}`));
    return newest.id;
  }
  throw new CommandError("notFound", `There is no last incident: none is recorded on ${service.url}.`);
}
