// A short state with a colour that repeats what its text says. `good`, green, means one thing: it works, or it worked.

import type { ComponentChildren } from "preact";

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
