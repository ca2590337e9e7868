// Step "observe": what can be seen of the running system without a runbook. It starts with the run and needs the report
// alone. A part that fails is missing from the answer.

import type { LiveEvidence } from "../../schemas/live-evidence.ts";
import type { StartedRun } from "../run/run-outcome.ts";

export async function observeSystem({ surroundings }: Pick<StartedRun, "surroundings">): Promise<LiveEvidence> {
  const { changes, other_alerts } = surroundings;
  return { expression: null, object: null, changes, other_alerts };
}
