// What to say of a domain with no results: it may be misspelt.

import { pathOf, send } from "./service/client.ts";
import { CommandError, EXIT_CODES } from "./service/command-error.ts";
import type { Service } from "./service/find-service.ts";
import type { Cli } from "./service/invocation.ts";

/** Notes on standard error that the domain does not exist. Says less if the token may not read domains. */
export async function noteIfNoDomain({ note }: Pick<Cli, "note">, service: Service, name: string): Promise<void> {
  try {
    await send(service, { path: pathOf("domains", name) });
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    const isMissing = error.exitCode === EXIT_CODES.notFound || error.exitCode === EXIT_CODES.usage;
    note(
      isMissing
        ? `There is no domain "${name}". List the domains with: dejavu domains list`
        : `Nothing is stored in the domain "${name}", or it does not exist.`,
    );
  }
}
