// An answer as plain text.

import type { FinalAnswer } from "./composition.ts";
/** The answer as text: what is remembered of it, and what the episode log keeps. */
export function plainAnswer({ answer }: Pick<FinalAnswer, "answer">): string {
  const causes = answer.likely_causes.map((cause) => `- ${cause.text}`);
  return [answer.summary.text, ...(causes.length > 0 ? ["Likely causes:", ...causes] : [])].join("\n");
}
