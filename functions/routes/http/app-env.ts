// The Hono environment: values that each request carries.

import type { Caller } from "../../access/caller.ts";
import type { ConsoleSession } from "../../access/console-sessions.ts";
import type { RunInBackground } from "../../background-tasks.ts";
import type { Services } from "../../services.ts";

export interface AppEnv {
  Variables: {
    services: Services;
    requestId: string;
    /** The authenticated caller; set on every path that requires a token. */
    caller: Caller;
    /** The console's session that authenticated the caller; null for a token. Set with the caller. */
    session: ConsoleSession | null;
    runInBackground: RunInBackground;
  };
}
