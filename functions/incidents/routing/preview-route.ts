// Where a text would be routed, without creating an incident. Pure functions.

import { findHeadline } from "../../../lib/logs/find-headline.ts";
import type { DomainCatalog } from "../../knowledge/domains/domain-catalog.ts";
import type { Incident } from "../../schemas/incident.ts";
import { createIncident } from "../create-incident.ts";
import { guardRequest } from "../guard-request.ts";

export interface RouteText {
  /** A title, a question or a log; at least one visible character. */
  readonly text: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** One line is a title. Several lines are a log, and the line that says what failed is the title. */
export function previewRoute(
  catalog: DomainCatalog,
  { text, labels }: RouteText,
  now: Date,
): Pick<Incident, "title" | "domain" | "type"> {
  const isLog = text.trim().includes("\n");
  const report = isLog ? { title: findHeadline(text), logs: text, labels } : { title: text.trim(), labels };
  return createIncident(guardRequest(report).request, { catalog, now, newId: () => "" });
}
