// A short state with a colour that repeats what its text says. `good`, green, means one thing: it works, or it worked.

import type { ComponentChildren } from "preact";
import type { INCIDENT_STATUSES } from "../../../functions/schemas/incident-values.ts";

export type Tone = "neutral" | "good" | "warn" | "bad" | "info";

export function Badge({ tone = "neutral", children }: { readonly tone?: Tone; readonly children: ComponentChildren }) {
  return <span class={`badge tone-${tone}`}>{children}</span>;
}

export const SEVERITY_TONES: Readonly<Record<string, Tone>> = {
  critical: "bad",
  high: "warn",
  medium: "info",
  low: "neutral",
};

export function SeverityBadge({ severity }: { readonly severity: string }) {
  return <Badge tone={SEVERITY_TONES[severity] ?? "neutral"}>{severity}</Badge>;
}

type Status = (typeof INCIDENT_STATUSES)[number];

export const STATUS_NAMES: Readonly<Record<Status, { readonly name: string; readonly tone: Tone }>> = {
  queued: { name: "Waiting", tone: "info" },
  investigating: { name: "Investigating", tone: "info" },
  triaged: { name: "Open", tone: "warn" },
  failed: { name: "Open, not answered", tone: "bad" },
  resolved: { name: "Resolved", tone: "good" },
};

export function StatusBadge({ status }: { readonly status: Status }) {
  return <Badge tone={STATUS_NAMES[status].tone}>{STATUS_NAMES[status].name}</Badge>;
}
