// Answers of the API that the view shows.

import type { paths } from "../../../../client/client.js";

type Ok<Operation> = Operation extends { responses: { 200: { content: { "application/json": infer Body } } } }
  ? Body
  : never;

export type DomainList = Ok<paths["/v1/domains"]["get"]>;
export type DomainRecord = DomainList["domains"][number];
export type Definition = DomainRecord["definition"];
export type LabelRule = Definition["labels"][number];
export type Hint = Definition["hints"][number];
export type IncidentType = Definition["incident_types"][number];
export type Look = Definition["first_looks"][number];
export type Routed = Ok<paths["/v1/domains/route"]["post"]>;
