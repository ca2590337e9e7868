// Owns what travels with a request through the Hono app.

import type { Caller } from "../../access/caller.ts";
import type { RunInBackground } from "../../background-tasks.ts";
import type { Services } from "../../services.ts";

export interface AppEnv {
  Variables: {
    services: Services;
    requestId: string;
    /** Who asks; set for every path that is not open to all. */
    caller: Caller;
    runInBackground: RunInBackground;
  };
}
