// Owns what travels with a request through the Hono app.

import type { Services } from "../services.ts";
import type { RunInBackground } from "../triage/services.ts";

export interface AppEnv {
  Variables: {
    services: Services;
    requestId: string;
    runInBackground: RunInBackground;
  };
}
