// A triage result as text for a terminal: brief by default, or all of it. Pure functions.

import { answerView } from "../functions/answer-view/answer-view.ts";
import { type TriageResult, triageResultSchema } from "../functions/schemas/triage-result.ts";
import { answerLines } from "./render/answer-lines.ts";
import { createWriter, printable } from "./render/terminal-text.ts";
import type { RenderOptions } from "./render-options.ts";

export interface TriageRenderOptions extends RenderOptions {
  /** Prints all of the answer. */
  readonly full?: boolean;
  /** How the commands of the next steps name the incident; `last` by default. */
  readonly incident?: string;
  /** Title, severity and place stand above it. */
  readonly isBelowIncident?: boolean;
}

/** Renders the verdict first, then evidence, causes and steps, and ends with the next steps. Only commands are wider. */
export function renderTriage(
  result: TriageResult,
  { full = false, incident = "last", isBelowIncident = false, ...options }: TriageRenderOptions,
): string {
  const shown = printableResult(result);
  const view = answerView(shown, { brief: !full });
  const next = full ? view.next.filter(({ action }) => action !== "show") : view.next;
  const writer = createWriter(options);
  const names = { incident, isStored: shown.persisted === true };
  const lines = answerLines({ ...view, next }, writer, { full, isBelowIncident, ...names });
  const origin = [`incident ${shown.incident_id}`, ...modelFacts(shown)].join(" · ");
  return [...lines, ...(full ? ["", ...writer.block(writer.paint("dim", origin), 0)] : [])].join("\n");
}

function modelFacts({ model, usage }: TriageResult): string[] {
  if (usage.calls === 0) return [];
  const cost = usage.cost_usd === null ? "" : `, $${usage.cost_usd.toFixed(4)}`;
  const calls = `${usage.calls} call${usage.calls === 1 ? "" : "s"}`;
  return [`${model?.answer ?? "model"}: ${calls}, ${usage.input_tokens + usage.output_tokens} tokens${cost}`];
}

/** Stored texts of another deployment may be older than its checks of characters. */
function printableResult(result: TriageResult): TriageResult {
  const reviver = (_key: string, value: unknown) => (typeof value === "string" ? printable(value) : value);
  return triageResultSchema.parse(JSON.parse(JSON.stringify(result), reviver));
}
