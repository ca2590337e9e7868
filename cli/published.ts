// Takes the place of checkout.ts in a published build.

import type { Checkout } from "./program/command-builder.ts";
import { CommandError } from "./service/command-error.ts";
import type { LocalService } from "./service/find-service.ts";
import type { Command } from "./service/invocation.ts";

export function localService(): LocalService | null {
  return null;
}

const needsClone: Command = async () => {
  throw new CommandError(
    "failed",
    "This command needs a clone of Dejavu: it reads files of it. The clone has the command in its folder bin.",
  );
};

const load = async () => needsClone;
export const commands: Checkout["commands"] = {
  trace: load,
  eval: load,
  seed: load,
  reindex: load,
  backup: load,
  restore: load,
};
