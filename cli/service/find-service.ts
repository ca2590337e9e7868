// Chooses the service that a command calls. A token goes only to the origin that it belongs to.

import { CommandError } from "./command-error.ts";
import type { Environment } from "./private-file.ts";
import { type Profile, type Profiles, readProfiles } from "./profiles.ts";

export interface ServiceAddress {
  readonly url: string;
  readonly token: string;
}

export interface Service extends ServiceAddress {
  /** Where the address comes from, for error messages. */
  readonly chosenBy: string;
  /** Names the service in the state file. */
  readonly key: string;
  /** Whether `npm start` runs it in this checkout. */
  readonly isLocal: boolean;
}

/** The stack that `npm start` runs. */
export interface LocalService extends ServiceAddress {
  /** Folder of the checkout. Its port changes, so the folder names it. */
  readonly folder: string;
}

export interface ServiceChoice {
  readonly url?: string | undefined;
  readonly profile?: string | undefined;
}

export interface ServiceSources {
  readonly env: Environment;
  /** Null if none runs. */
  readonly localService: () => LocalService | null;
}

/**
 * In this order: `--url`, `--profile`, `DEJAVU_URL`, the default profile, the local stack.
 * @throws CommandError that says what is missing
 */
export function findService({ url, profile }: ServiceChoice, sources: ServiceSources): Service {
  const { env } = sources;
  if (url !== undefined) return serviceAt(url, profile, sources);
  if (profile !== undefined) return ofProfile(profile, namedProfile(profile, readProfiles(env)));
  const environmentUrl = env.DEJAVU_URL || undefined;
  if (environmentUrl !== undefined) {
    const address = normalUrl(environmentUrl, "DEJAVU_URL");
    const token = env.DEJAVU_TOKEN || undefined;
    if (token === undefined)
      throw new CommandError(
        "notAllowed",
        `DEJAVU_URL is set, and DEJAVU_TOKEN is not. Set it to a token of ${address}.`,
      );
    return remote(address, token, "DEJAVU_URL");
  }
  const profiles = readProfiles(env);
  if (profiles.default !== null) return ofProfile(profiles.default, namedProfile(profiles.default, profiles));
  const local = sources.localService();
  if (local !== null) return ofLocalService(local);
  const unused = unusedToken({}, env);
  throw new CommandError("failed", `${unused === null ? "" : `${unused} `}${NO_SERVICE}`);
}

const NO_SERVICE =
  'No service to call. Start a local stack with "npm start" in a clone of Dejavu, or sign in to one: dejavu login --url <url>';

/** What to say of a DEJAVU_TOKEN that is not used, since nothing says whose it is; null if there is none. */
export function unusedToken({ url, profile }: ServiceChoice, env: Environment): string | null {
  if (!env.DEJAVU_TOKEN || env.DEJAVU_URL || url !== undefined || profile !== undefined) return null;
  return "DEJAVU_TOKEN is set but not used: set DEJAVU_URL to the service that it belongs to, or add --url.";
}

/** @throws CommandError for an address that is no http or https URL */
export function normalUrl(text: string, name: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.host === "")
    throw new CommandError(
      "usage",
      `${name} must be an address such as https://dejavu.example.workers.dev, not "${text}".`,
    );
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "")
    throw new CommandError("usage", `${name} must hold no user name, password, query or fragment.`);
  return url.href.endsWith("/") ? url.href.slice(0, -1) : url.href;
}

export function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}

function serviceAt(text: string, profileName: string | undefined, { env, localService }: ServiceSources): Service {
  const url = normalUrl(text, "--url");
  const isThere = (other: string | undefined) =>
    other !== undefined && URL.canParse(other) && new URL(other).origin === new URL(url).origin;
  if (profileName !== undefined) {
    const profile = namedProfile(profileName, readProfiles(env));
    if (isThere(profile.url)) return remote(url, profile.token, "--url");
    throw new CommandError(
      "usage",
      `The profile ${profileName} belongs to ${profile.url}, so its token is not sent to ${url}. Use one of --url and --profile.`,
    );
  }
  // With DEJAVU_URL, the token belongs to that address.
  if (env.DEJAVU_TOKEN && (!env.DEJAVU_URL || isThere(env.DEJAVU_URL))) return remote(url, env.DEJAVU_TOKEN, "--url");
  const local = localService();
  if (local !== null && isThere(local.url)) return { ...ofLocalService(local), chosenBy: "--url" };
  const profile = [...readProfiles(env).all.values()].find((each) => isThere(each.url));
  if (profile !== undefined) return remote(url, profile.token, "--url");
  throw new CommandError(
    "notAllowed",
    `There is no token for ${url}. Set DEJAVU_TOKEN to one of its tokens, or run: dejavu login --url ${url}`,
  );
}

function namedProfile(name: string, { all, path }: Profiles): Profile {
  const profile = all.get(name);
  if (profile !== undefined) return profile;
  const names = [...all.keys()].join(", ");
  const hint = names === "" ? "There are none yet." : `There are: ${names}.`;
  throw new CommandError(
    "usage",
    `${path} has no profile "${name}". ${hint} Add one with: dejavu login --url <url> --profile ${name}`,
  );
}

function ofProfile(name: string, { url, token }: Profile): Service {
  return remote(normalUrl(url, `The address of the profile ${name}`), token, `the profile ${name}`);
}

function remote(url: string, token: string, chosenBy: string): Service {
  return { url, token, chosenBy, key: new URL(url).origin, isLocal: false };
}

function ofLocalService({ url, token, folder }: LocalService): Service {
  return { url, token, chosenBy: "the local stack", key: `checkout ${folder}`, isLocal: true };
}
