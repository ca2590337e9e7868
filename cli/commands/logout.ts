// `dejavu logout`: deletes a profile with its token.

import { CommandError } from "../service/command-error.ts";
import type { Invocation } from "../service/invocation.ts";
import { readProfiles, removeProfile } from "../service/profiles.ts";

export async function run({ args, cli }: Invocation): Promise<void> {
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
