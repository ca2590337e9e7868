// The row of a reported change: bounded, scrubbed, and with the names and the scope by which an incident finds it.

import { createHash } from "node:crypto";
import type { Guard } from "../incidents/guard-request.ts";
import { boundedLabels, LIMITS, truncateToLimit } from "../incidents/webhooks/alert-limits.ts";
import { isPlausible } from "../incidents/webhooks/alert-times.ts";
import type { DomainCatalog } from "../knowledge/domains/domain-catalog.ts";
import { routeDomain } from "../knowledge/domains/route-domain.ts";
import { changeNames, labelledScope } from "../surroundings/service-names.ts";
import type { ReportedChange } from "./senders/sender.ts";

export type ChangeRow = ReturnType<typeof changeRow>;

/** The same content without an id and a time is a repetition for so long, and at most twice as long. */
const REPETITION_MS = 600_000;
const MAX_ID_LENGTH = 250;

export function changeRow(
  reported: ReportedChange,
  {
    guard,
    now,
    newId,
    catalog,
  }: {
    readonly guard: Guard;
    readonly now: Date;
    readonly newId: () => string;
    readonly catalog: DomainCatalog;
  },
) {
  const line = (text: string | null, limit: number) => lineOf(guard, text, limit);
  const service = line(reported.service, LIMITS.name) ?? "unnamed service";
  const version = line(reported.version, LIMITS.name);
  const title = line(reported.title, LIMITS.title) ?? `${service}${version === null ? "" : ` ${version}`}`;
  const labels = { ...guard.request({ labels: boundedLabels(reported.labels) }).request.labels };
  const environment = line(reported.environment, LIMITS.name);
  const aliases = reported.aliases.map((alias) => line(alias, LIMITS.name) ?? "");
  const content = {
    kind: reported.kind,
    service,
    environment,
    title,
    version,
    changed_by: line(reported.by, LIMITS.name),
    url: webAddress(guard, reported.url),
    labels,
  };
  const reportedAt = reported.at !== null && isPlausible(reported.at) && reported.at <= now ? reported.at : null;
  const event = eventOf(reported.eventId, JSON.stringify(content), { reportedAt, now });
  return {
    ...content,
    ...event,
    subject: reported.subject === null ? event.delivery : boundedId(reported.subject),
    id: newId(),
    at: (reportedAt ?? now).toISOString(),
    scope: { ...labelledScope(labels, { environment, service }) },
    names: changeNames(service, labels, aliases),
    domain: reported.domain ?? routeDomain(catalog, { labels, headline: service, details: title }).name,
  };
}

/** The id by which a repeated event is recognised. */
function eventOf(
  eventId: string | null,
  content: string,
  { reportedAt, now }: { readonly reportedAt: Date | null; readonly now: Date },
): { readonly delivery: string; readonly earlier_delivery: string | null } {
  if (eventId !== null) return { delivery: boundedId(eventId), earlier_delivery: null };
  const digest = createHash("sha256").update(content).digest("hex");
  if (reportedAt !== null) return { delivery: `${digest} ${reportedAt.toISOString()}`, earlier_delivery: null };
  // A repetition may come in the next interval.
  const interval = Math.floor(now.getTime() / REPETITION_MS);
  return { delivery: `${digest} ${interval}`, earlier_delivery: `${digest} ${interval - 1}` };
}

function boundedId(id: string): string {
  const digest = createHash("sha256").update(id).digest("hex");
  return /^[\x20-\x7e]+$/.test(id) && id.length <= MAX_ID_LENGTH ? id : digest;
}

/** One line without secrets and instructions; null when nothing remains. */
function lineOf(guard: Guard, text: string | null, limit: number): string | null {
  const bounded = truncateToLimit(text, limit);
  const line = bounded === null ? "" : guard.text(bounded).replace(/\s+/g, " ").trim();
  return line === "" ? null : line;
}

/** Null for other schemes and for an address with a password. */
function webAddress(guard: Guard, address: string | null): string | null {
  const text = address === null || address.length > LIMITS.runbook ? null : lineOf(guard, address, LIMITS.runbook);
  if (text === null || !URL.canParse(text)) return null;
  const { protocol, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && username === "" && password === "" ? text : null;
}
