// The results of checks as features of the relevance of their runbooks. Pure functions.

import type { Calibration } from "../../schemas/calibration.ts";
import { type JointVerdict, runbookVerdict } from "../evidence/check-verdicts.ts";
import type { Recall, RunCheck } from "../recall/recall-result.ts";
import weights from "../relevance/check-weights.json" with { type: "json" };
import { type Relevance, withContribution } from "../relevance/relevance.ts";

/** Log-odds that a verdict on a whole runbook adds. The file names the command that fits them. */
const WEIGHTS = { confirmed: weights.confirmed, refuted: weights.refuted, conflicting: 0, open: 0 } as const;

/** The relevance of a runbook with a verdict of its checks. */
export function withVerdict(relevance: Relevance, verdict: JointVerdict, calibration: Calibration): Relevance {
  const value = WEIGHTS[verdict];
  return value === 0 ? relevance : withContribution(relevance, "checks", value, calibration);
}

/** The recall with its checks, and with their contribution to the relevance of each runbook. */
export function withChecks(recall: Recall, checks: readonly RunCheck[], calibration: Calibration): Recall {
  const checked = { ...recall, checks };
  return {
    ...checked,
    runbooks: recall.runbooks.map((runbook) => ({
      ...runbook,
      relevance: withVerdict(runbook.relevance, runbookVerdict(checked, runbook), calibration),
    })),
  };
}
