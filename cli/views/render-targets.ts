// Notification targets, for people. Pure functions.

import { z } from "zod";
import { displayText } from "../../lib/text/display-text.ts";
import type { RenderOptions } from "../render-options.ts";
import { renderTable } from "../table.ts";

export const targetSchema = z.object({
  name: z.string(),
  kind: z.string(),
  options: z.record(z.string(), z.unknown()),
  credential: z.string().nullable(),
  problem: z.string().nullable(),
  domains: z.array(z.string()),
  matchers: z.array(z.string()),
  min_severity: z.string(),
  handover: z.string().nullable(),
  pending: z.number(),
  last_error: z.string().nullable(),
});
type Target = z.infer<typeof targetSchema>;

export function renderTargets(targets: readonly Target[], size: RenderOptions): string {
  if (targets.length === 0) return "There are no notification targets. Define one with: dejavu notify add --help";
  const rows = targets.map((target) => [target.name, target.kind, placeOf(target), getsOf(target), stateOf(target)]);
  const table = renderTable(["name", "kind", "place", "gets", "state"], rows, { ...size, whole: ["name"] });
  const failing = targets.flatMap(({ name, problem, last_error }) => {
    const reason = problem ?? last_error;
    return reason === null ? [] : [displayText(`${name}: ${reason}.`)];
  });
  return [table, ...(failing.length === 0 ? [] : ["", ...failing])].join("\n");
}

function placeOf({ options, credential }: Target): string {
  const values = Object.values(options).filter((value) => typeof value === "string");
  return values.length === 0 ? (credential ?? "-") : values.join(" ");
}

function getsOf({ domains, matchers, min_severity, handover }: Target): string {
  const parts = [
    ...(domains.length === 0 ? [] : [`domains ${domains.join("|")}`]),
    ...matchers,
    ...(min_severity === "info" ? [] : [`${min_severity} and worse`]),
  ];
  const incidents = parts.length === 0 ? "all" : parts.join(", ");
  return handover === null ? incidents : `${incidents}; handover ${handover}`;
}

function stateOf({ problem, pending, last_error }: Target): string {
  if (problem !== null) return "can send nothing";
  if (pending > 0) return `${pending} pending`;
  return last_error === null ? "ok" : "failed";
}
