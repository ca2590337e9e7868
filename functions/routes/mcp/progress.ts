// Progress messages of a running triage: one short line for each step.

import type { EmitEvent, TriageEvent } from "../../investigation/run/events.ts";

/** Reports a line for each step; each part of the answer once for each draft, not for each token. */
export function progressOf(report: (message: string) => void): EmitEvent {
  let lastLine = "";
  return (event) => {
    const line = lineOf(event);
    if (line === lastLine) return;
    lastLine = line;
    report(line);
  };
}

function lineOf({ event, data }: TriageEvent): string {
  switch (event) {
    case "recall": {
      const { runbooks, incidents } = data.recalled;
      return `Recalled ${count(runbooks.length, "runbook passage")} and ${count(incidents.length, "past incident")}.`;
    }
    case "token": {
      const part = (data.path.split(".", 1)[0] ?? "").replaceAll("_", " ");
      return data.draft === 1 ? `Writing: ${part}.` : `Writing draft ${data.draft}: ${part}.`;
    }
    case "critique":
      return `A critic gives draft ${data.draft} ${data.score.toFixed(2)}.`;
    case "reflection":
      return `Reflected into draft ${data.draft}.`;
  }
}

function count(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? "" : "s"}`;
}
