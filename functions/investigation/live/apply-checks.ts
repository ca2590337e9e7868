// The results of checks as features of the relevance of their runbooks. Pure functions.

import type { Calibration } from "../../schemas/calibration.ts";
import { runbookVerdict } from "../evidence/check-verdicts.ts";
import type { Recall, RunCheck } from "../recall/recall-result.ts";
import weights from "../relevance/check-weights.json" with { type: "json" };
import { withContribution } from "../relevance/relevance.ts";

/** Log-odds that a verdict on a whole runbook adds. */
const WEIGHTS = { confirmed: weights.confirmed, refuted: weights.refuted, conflicting: 0, open: 0 } as const;

/** The recall with its checks, and with their contribution to the relevance of each runbook. */
export function withChecks(recall: Recall, checks: readonly RunCheck[], calibration: Calibration): Recall {
  const checked = { ...recall, checks };
  return {
    ...checked,
    runbooks: recall.runbooks.map((runbook) => {
      const value = WEIGHTS[runbookVerdict(checked, runbook)];
      return value === 0
        ? runbook
        : { ...runbook, relevance: withContribution(runbook.relevance, "checks", value, calibration) };
    }),
  };
}
