// The API document of this checkout. The build stores it beside the pages, and the Worker serves that file.

import { z } from "zod";
import { createApp } from "../../functions/app.ts";
import { createServices } from "../../functions/services.ts";
import { describeApi } from "./document.ts";
import { type JsonObject, objectOf } from "./json.ts";
import { SHARED_SCHEMAS } from "./shared-schemas.ts";

/** Nothing is called. With a signing secret, the routes of Slack are there, too. */
const SETTINGS = {
  SUPABASE_URL: "http://localhost",
  SUPABASE_SERVICE_ROLE_KEY: "unused",
  CHROMA_URL: "http://localhost",
  SLACK_SIGNING_SECRET: "0".repeat(16),
};

/** The same for every setting of the Worker. */
export function currentDocument(): JsonObject {
  const services = createServices(SETTINGS, { log: () => {} });
  const described = describeApi(createApp(services), services.version, SHARED_SCHEMAS);
  return objectOf(z.json().parse(JSON.parse(JSON.stringify(described))));
}
