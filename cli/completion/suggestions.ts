// Values that completion offers besides closed lists. None calls a service.

import { JOB_NAMES } from "../../functions/jobs/schedule.ts";
import { LAST } from "../service/incident-id.ts";
import type { Environment } from "../service/private-file.ts";
import { readProfiles } from "../service/profiles.ts";

const VALUES: Readonly<Record<string, (env: Environment) => readonly string[]>> = {
  "show <id>": () => [LAST],
  "resolve <id>": () => [LAST],
  "feedback <id>": () => [LAST],
  "similar <text>": () => [LAST],
  "memory split <incident>": () => [LAST],
  "jobs run <name>": () => JOB_NAMES,
  "job <name>": () => JOB_NAMES,
  "logout <profile>": profileNames,
  "--profile": profileNames,
};

/** @param place a command with an argument, such as `show <id>`, or an option */
export function suggestionsFor(place: string, env: Environment): readonly string[] {
  return Object.hasOwn(VALUES, place) ? (VALUES[place]?.(env) ?? []) : [];
}

function profileNames(env: Environment): readonly string[] {
  try {
    return [...readProfiles(env).all.keys()];
  } catch {
    // Completion prints no errors.
    return [];
  }
}
