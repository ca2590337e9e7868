// Texts that show which words of a prompt are names: labels and targets. They are not sent.

import type { Incident } from "../../schemas/incident.ts";
import type { CitableText } from "../evidence/citable-texts.ts";

/** For example `pod="checkout-0"`, `target="checkout"`; of the report, and of the past incidents beside it. */
export function nameHints({ labels, target }: Pick<Incident, "labels" | "target">, texts: readonly CitableText[] = []) {
  const ofPast = texts.flatMap((text) => (text.kind === "incident" ? text.observation.targets : []));
  const targets = [...(target === null ? [] : [target]), ...ofPast];
  return [
    ...Object.entries(labels).map(([key, value]) => `${key}="${value}"`),
    ...targets.map((name) => `target="${name}"`),
  ];
}
