// Events of a cluster's object, for an observation. Pure functions.

import type { ObservedObject } from "../../schemas/live-evidence.ts";
import { factText } from "./object-facts.ts";
import { eventSchema } from "./object-schemas.ts";

export type ObservedEvent = ObservedObject["events"][number];

const MAX_EVENTS = 10;

/** Warnings before others, the newest first; the same reason and message once. Objects of another shape are left out. */
export function observedEvents(objects: readonly unknown[]): ObservedEvent[] {
  const byText = new Map<string, ObservedEvent>();
  for (const event of objects.flatMap(readEvent)) {
    const key = JSON.stringify([event.type, event.reason, event.message]);
    const other = byText.get(key);
    byText.set(key, other === undefined ? event : { ...newer(event, other), count: event.count + other.count });
  }
  return [...byText.values()].sort((a, b) => rankOf(a) - rankOf(b) || timeOf(b) - timeOf(a)).slice(0, MAX_EVENTS);
}

function readEvent(object: unknown): ObservedEvent[] {
  const parsed = eventSchema.safeParse(object);
  if (!parsed.success) return [];
  const { metadata, type, reason, message, note, count, lastTimestamp, eventTime, series } = parsed.data;
  const at = isoTime(series?.lastObservedTime ?? lastTimestamp ?? eventTime ?? metadata.creationTimestamp);
  return [
    {
      at,
      type: factText(type ?? "Normal", 20),
      reason: factText(reason ?? "", 80),
      message: factText(message ?? note ?? ""),
      count: Math.max(1, Math.trunc(series?.count ?? count ?? 1)),
    },
  ];
}

function isoTime(text: string | null | undefined): string | null {
  const time = Date.parse(text ?? "");
  return Number.isNaN(time) ? null : new Date(time).toISOString();
}

function newer(a: ObservedEvent, b: ObservedEvent): ObservedEvent {
  return timeOf(a) >= timeOf(b) ? a : b;
}

function rankOf({ type }: ObservedEvent): number {
  return type === "Warning" ? 0 : 1;
}

function timeOf({ at }: ObservedEvent): number {
  return at === null ? 0 : Date.parse(at);
}
