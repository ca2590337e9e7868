// `dejavu login` and `logout`: verifies a token and stores it in a profile, stores the name of the person, and deletes a profile.

import { text } from "node:stream/consumers";
import { z } from "zod";
import { callFor } from "../service/client.ts";
import { CommandError } from "../service/command-error.ts";
import { readSecret } from "../service/confirm.ts";
import { isLoopback, normalUrl, type Service } from "../service/find-service.ts";
import type { Invocation } from "../service/invocation.ts";
import { printable } from "../service/problem-error.ts";
import { readProfiles, removeProfile, requireProfileName, storePerson, storeProfile } from "../service/profiles.ts";
import { renderTable } from "../table.ts";

export interface LoginOptions {
  readonly tokenStdin?: boolean;
  readonly default?: boolean;
  readonly insecure?: boolean;
  readonly list?: boolean;
  readonly name?: string;
}

const MAX_COLUMNS = 160;
const DEFAULT_PROFILE = "default";
/** Visible ASCII, as in a header. */
const TOKEN = /^[\x21-\x7e]+$/;

const incidentsSchema = z.object({ incidents: z.array(z.unknown()) });
const INSUFFICIENT_SCOPE = "urn:dejavu:problem:insufficient-scope";

export async function login({ options, cli }: Invocation<LoginOptions>): Promise<void> {
  if (options.list) return cli.print(options.json ? JSON.stringify(shownProfiles(cli.env), null, 2) : table(cli));
  const person = options.name?.trim();
  if (person === "") throw new CommandError("usage", "--name must be your name, such as dana.");
  if (options.url === undefined && person !== undefined) {
    const { path } = storePerson(cli.env, person);
    return cli.print(`What you record is in the name of ${printable(person)}, on every service. Stored in ${path}.`);
  }
  if (options.url === undefined)
    throw new CommandError("usage", "Name the service: dejavu login --url https://dejavu.example.workers.dev");
  const url = normalUrl(options.url, "--url");
  const name = options.profile ?? DEFAULT_PROFILE;
  requireProfileName(name);
  if (url.startsWith("http:") && !isLoopback(url) && !options.insecure)
    throw new CommandError(
      "usage",
      `${url} is not encrypted: others on the network could read the token. Use https, or add --insecure.`,
    );
  const input = options.tokenStdin ? await text(cli.stdin) : await readSecret(cli, `Token of ${url}: `);
  const token = input.trim();
  if (!TOKEN.test(token))
    throw new CommandError("usage", "This is no token: it must be one word of visible ASCII characters.");
  await verify({ url, token, chosenBy: "--url", key: url, isLocal: false });
  const profiles = storeProfile(cli.env, name, { url, token }, options.default ?? false);
  if (person !== undefined) storePerson(cli.env, person);
  const isDefault = profiles.default === name ? "It is the default." : `Use it with --profile ${name}.`;
  cli.print(`Signed in to ${url}. Stored as the profile ${name} in ${profiles.path}. ${isDefault}`);
}

/** Any scope will do: a token that only triages may not read. @throws CommandError for a token that is not valid */
async function verify(service: Service): Promise<void> {
  try {
    await callFor(service, { path: "/v1/incidents", query: { limit: "1" } }, incidentsSchema);
  } catch (error) {
    if (error instanceof CommandError && error.problem === INSUFFICIENT_SCOPE) return;
    throw error;
  }
}

function shownProfiles(env: Parameters<typeof readProfiles>[0]) {
  const profiles = readProfiles(env);
  return [...profiles.all].map(([name, { url }]) => ({ name, url, default: name === profiles.default }));
}

function table({ env, terminal }: Pick<Invocation["cli"], "env" | "terminal">): string {
  const rows = shownProfiles(env).map((profile) => [profile.name, profile.url, profile.default ? "default" : ""]);
  if (rows.length === 0) return `There are no profiles. Add one with: dejavu login --url <url>`;
  return renderTable(["profile", "url", ""], rows, { ...terminal(MAX_COLUMNS), whole: ["profile", "url"] });
}

export async function logout({ args, cli }: Invocation): Promise<void> {
  const profiles = readProfiles(cli.env);
  const name = args[0] ?? profiles.default;
  if (name === null) throw new CommandError("notFound", "There is no profile to delete.");
  const left = removeProfile(cli.env, name);
  if (left === null)
    throw new CommandError(
      "notFound",
      `${profiles.path} has no profile "${name}". List them with: dejavu login --list`,
    );
  const next = profiles.default === name && left.default !== null ? ` The default is ${left.default} now.` : "";
  cli.print(`Deleted the profile ${name} with its token.${next}`);
}
