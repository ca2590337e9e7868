// Lines about a cluster's object that several kinds share. Pure functions.

import type { Container, ObjectCondition, ObjectMetadata } from "./object-schemas.ts";

/** What an observation says of an object itself. */
export interface Description {
  /** One line. */
  readonly state: string;
  /** Such as "ReplicaSet checkout-7d9"; null without an owner. */
  readonly owner: string | null;
  /** One line each. */
  readonly facts: readonly string[];
}

const MAX_TEXT = 300;
export const MAX_OBJECT_FACTS = 12;

/** One line of at most `length` characters, without half a surrogate pair. */
export function factText(text: string, length = MAX_TEXT): string {
  const line = text.trim().replace(/\s{1,1000}/g, " ");
  return line.length <= length ? line : `${line.slice(0, length - 1).toWellFormed()}…`;
}

/** The controller, else the first owner. */
export function ownerOf({ ownerReferences }: ObjectMetadata): { readonly kind: string; readonly name: string } | null {
  return ownerReferences.find(({ controller }) => controller === true) ?? ownerReferences[0] ?? null;
}

export function ownerText(metadata: ObjectMetadata): string | null {
  const owner = ownerOf(metadata);
  return owner === null ? null : `${owner.kind} ${owner.name}`;
}

/** "Ready is False since 2026-03-01T03:00:00Z: ContainersNotReady: containers with unready status: [checkout]". */
export function conditionFact({ type, status, reason, message, lastTransitionTime }: ObjectCondition): string {
  const since = lastTransitionTime ? ` since ${lastTransitionTime}` : "";
  const why = [reason, message].filter((part) => part !== undefined && part !== null && part !== "");
  return factText([`${type} is ${status}${since}`, ...why].join(": "));
}

/** "checkout: requests cpu 100m, memory 128Mi; limits memory 256Mi". */
export function resourcesFact({ name, resources }: Container): string {
  const part = (title: string, values: Readonly<Record<string, string | number>> | null | undefined) => {
    const entries = Object.entries(values ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
    return entries.length === 0 ? `no ${title}` : `${title} ${entries.map((entry) => entry.join(" ")).join(", ")}`;
  };
  return factText(`${name}: ${part("requests", resources?.requests)}; ${part("limits", resources?.limits)}`);
}
