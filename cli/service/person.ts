// The name in which a command records something.

import type { Environment } from "./private-file.ts";
import { readProfiles } from "./profiles.ts";

/**
 * The option `--by`, else the name of `dejavu login --name`; undefined without one: the service takes the name of the token.
 * @throws CommandError for an unreadable config file
 */
export function personOf(env: Environment, by: string | undefined): string | undefined {
  return by ?? readProfiles(env).person ?? undefined;
}
