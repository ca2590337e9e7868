// Answers of the API that the view shows.

import type { paths } from "../../../../client/client.js";

type Answer<Path extends keyof paths, Method extends "get" | "post"> = paths[Path] extends {
  readonly [M in Method]: { responses: { 200: { content: { "application/json": infer Body } } } };
}
  ? Body
  : never;

export type RunbookList = Answer<"/v1/runbooks", "get">;
export type RunbookEntry = RunbookList["runbooks"][number];
export type RunbookDetail = Answer<"/v1/runbooks/{domain}/{source}", "get">;
export type SearchAnswer = Answer<"/v1/runbooks/search", "get">;
export type SearchHit = SearchAnswer["hits"][number];
export type Inspection = Answer<"/v1/runbooks/check", "post">;
export type VersionList = Answer<"/v1/runbooks/{domain}/{source}/versions", "get">;
export type RunbookVersion = VersionList["versions"][number];
export type VersionText = Answer<"/v1/runbooks/{domain}/{source}/versions/{number}", "get">;
export type Uses = Answer<"/v1/runbooks/{domain}/{source}/uses", "get">;
