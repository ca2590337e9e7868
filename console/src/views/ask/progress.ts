// What a triage has done so far, from its events. Pure functions.

import type { TriageEvent } from "./follow-triage.ts";

export interface Progress {
  readonly steps: readonly string[];
  /** Stored with the recall; null before. */
  readonly incidentId: string | null;
  /** Number of the draft that is being written. */
  readonly draft: number;
  /** The texts of the draft by their place in the answer, in order. */
  readonly texts: readonly { readonly path: string; readonly text: string }[];
}

export const NO_PROGRESS: Progress = {
  steps: ["Searching runbooks and past incidents"],
  incidentId: null,
  draft: 0,
  texts: [],
};

export function withEvent(progress: Progress, event: TriageEvent): Progress {
  switch (event.event) {
    case "recall": {
      const { runbooks, incidents } = event.data.recalled;
      const recalled = `Recalled ${count(runbooks.length, "runbook section")} and ${count(incidents.length, "past incident")}`;
      return {
        ...progress,
        steps: [`Routed to the domain ${event.data.domain.name}`, recalled, "Writing the answer"],
        incidentId: event.data.incident_id,
      };
    }
    case "token": {
      const { draft, path, text } = event.data;
      const texts = draft > progress.draft ? [] : progress.texts;
      const at = texts.findIndex((each) => each.path === path);
      const changed =
        at === -1
          ? [...texts, { path, text }]
          : texts.map((each, index) => (index === at ? { path, text: each.text + text } : each));
      return { ...progress, draft: Math.max(draft, progress.draft), texts: changed };
    }
    case "critique":
      return { ...progress, steps: [...progress.steps, `A critic gives ${Math.round(event.data.score * 100)} of 100`] };
    case "reflection":
      return { ...progress, steps: [...progress.steps, "Improving the answer"] };
    default:
      return progress;
  }
}

function count(number: number, name: string): string {
  return `${number} ${name}${number === 1 ? "" : "s"}`;
}
