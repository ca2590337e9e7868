// Profiles: services with their tokens, in the user's config file.

import { z } from "zod";
import { CommandError } from "./command-error.ts";
import { type Environment, readPrivateFile, userFile, writePrivateFile } from "./private-file.ts";

export interface Profile {
  readonly url: string;
  readonly token: string;
}

export interface Profiles {
  readonly path: string;
  /** The name in which commands record something, of all profiles; null if the token's name is used. */
  readonly person: string | null;
  /** The profile that is used if none is named; null if there is none. */
  readonly default: string | null;
  readonly all: ReadonlyMap<string, Profile>;
}

const PROFILE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

const configSchema = z.object({
  person: z.string().nullable().default(null),
  default: z.string().nullable().default(null),
  profiles: z.record(z.string(), z.object({ url: z.url(), token: z.string().min(1) })).default({}),
});

/** @throws CommandError if the file is readable by others, or not valid */
export function readProfiles(env: Environment): Profiles {
  const path = userFile(env, "XDG_CONFIG_HOME", "config.json");
  const config = readPrivateFile(path, configSchema) ?? { person: null, default: null, profiles: {} };
  return { path, person: config.person, default: config.default, all: new Map(Object.entries(config.profiles)) };
}

/** Adds or replaces a profile. The first one becomes the default. @throws CommandError */
export function storeProfile(env: Environment, name: string, profile: Profile, isDefault: boolean): Profiles {
  requireProfileName(name);
  const profiles = readProfiles(env);
  const all = new Map(profiles.all).set(name, profile);
  const hasDefault = profiles.default !== null && profiles.all.has(profiles.default);
  return write({ ...profiles, all, default: isDefault || !hasDefault ? name : profiles.default });
}

/** @throws CommandError */
export function storePerson(env: Environment, person: string): Profiles {
  return write({ ...readProfiles(env), person });
}

/** Null if there is no such profile. @throws CommandError */
export function removeProfile(env: Environment, name: string): Profiles | null {
  const profiles = readProfiles(env);
  const all = new Map(profiles.all);
  if (!all.delete(name)) return null;
  const [next] = all.keys();
  return write({ ...profiles, all, default: profiles.default === name ? (next ?? null) : profiles.default });
}

/** @throws CommandError */
export function requireProfileName(name: string): void {
  if (!PROFILE_NAME.test(name))
    throw new CommandError(
      "usage",
      `"${name}" cannot be the name of a profile: use at most 63 letters, digits, dots, hyphens and underscores.`,
    );
}

function write(profiles: Profiles): Profiles {
  const { path, person, all } = profiles;
  writePrivateFile(path, { person, default: profiles.default, profiles: Object.fromEntries(all) });
  return profiles;
}
