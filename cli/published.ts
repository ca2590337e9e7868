// Takes the place of checkout.ts in a published build.

import { CommandError } from "./service/command-error.ts";
import type { LocalService } from "./service/find-service.ts";
import type { Command } from "./service/invocation.ts";

export function localService(): LocalService | null {
  return null;
}

const needsClone: Command = async () => {
  throw new CommandError(
    "failed",
    "This command needs a clone of Dejavu: it reads the files of its local stack. In the clone, run it with: npm run -s dejavu -- <command>",
  );
};

export const loadTrace = async () => needsClone;
export const loadEval = async () => needsClone;
