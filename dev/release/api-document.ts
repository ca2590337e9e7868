// The API document of the last release, and the one of the routes as they are.

import { readFileSync } from "node:fs";
import { z } from "zod";
import { currentDocument } from "../client/client-document.ts";
import { type JsonObject, objectOf } from "./json.ts";

export const RELEASED = new URL("../../releases/openapi.json", import.meta.url);

export function releasedDocument(): JsonObject {
  return objectOf(z.json().parse(JSON.parse(readFileSync(RELEASED, "utf8"))));
}

/** Its version is that of package.json. */
export async function servedDocument(): Promise<JsonObject> {
  return objectOf(await currentDocument());
}

export function versionOf(document: JsonObject): string {
  return String(objectOf(document.info).version);
}
