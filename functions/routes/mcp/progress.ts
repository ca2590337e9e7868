// Owns what a client hears while a triage runs: one short line a step, from the triage's own events.

import type { EmitEvent, TriageEvent } from "../../investigation/run/events.ts";

/** Turns events into lines: each part of the answer is told once a draft, not each of its words. */
export function progressOf(report: (message: string) => void): EmitEvent {
  let told = "";
  return (event) => {
    const line = lineOf(event);
    if (line === told) return;
    told = line;
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
      return `Thought over into draft ${data.draft}.`;
  }
}

function count(amount: number, what: string): string {
  return `${amount} ${what}${amount === 1 ? "" : "s"}`;
}
