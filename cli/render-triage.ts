// A triage result as text for a terminal: short by default, or all of it. Pure functions.

import { type TriageResult, triageResultSchema } from "../functions/schemas/triage-result.ts";
import { fullAnswer } from "./render/full-answer.ts";
import { shortAnswer } from "./render/short-answer.ts";
import { sourceNumbers } from "./render/sources.ts";
import { createWriter, printable, type RenderOptions } from "./render/terminal-text.ts";

export type { RenderOptions } from "./render/terminal-text.ts";

export interface TriageRenderOptions extends RenderOptions {
  /** Prints all of the answer. */
  readonly full?: boolean;
  /** How the commands of the next steps name the incident; `last` by default. */
  readonly incident?: string;
  /** How these commands begin; `dejavu` by default. */
  readonly prefix?: string;
}

/** Renders the verdict first, then evidence, causes and steps, and ends with the next steps. Only commands are wider. */
export function renderTriage(
  result: TriageResult,
  { full = false, incident = "last", prefix = "dejavu", ...options }: TriageRenderOptions,
): string {
  const shown = printableResult(result);
  const render = full ? fullAnswer : shortAnswer;
  const writer = createWriter(shown, { ...options, numbers: sourceNumbers(shown.sources, { full }) });
  return render(shown, writer, { incident, prefix }).join("\n");
}

/** Stored texts of another deployment may be older than its checks of characters. */
function printableResult(result: TriageResult): TriageResult {
  const reviver = (_key: string, value: unknown) => (typeof value === "string" ? printable(value) : value);
  return triageResultSchema.parse(JSON.parse(JSON.stringify(result), reviver));
}
