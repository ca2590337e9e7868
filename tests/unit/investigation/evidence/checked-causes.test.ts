import { describe, expect, it } from "vitest";
import { createExtractiveAnswer } from "../../../../functions/investigation/answer/extractive-answer.ts";
import type { RunCheck } from "../../../../functions/investigation/recall/recall-result.ts";
import type { CheckVerdict } from "../../../../lib/checks/check.ts";
import type { ErrorLine } from "../../../../lib/logs/evidence.ts";
import { recallOf, sampleIncident, sampleRunbook, THRESHOLDS } from "../samples.ts";

const RUNBOOK = sampleRunbook(
  `# Volume is not attached

## Root causes

- **Zone.** The node is in another zone than the volume.
- **Node.** The node keeps the volume.
- **Quota.** The storage quota is used up.

## Confirm

1. Look at the events of the node and of the volume.

## Mitigate

1. Restart the node.
`,
  { probability: 0.9 },
);
const LINE: ErrorLine = { text: "exceeded quota", line: 1, time: null, count: 1, weight: 0.9 };

/** @param cause null for a check of the whole runbook */
function check(cause: string | null, verdict: CheckVerdict): RunCheck {
  const name = `check-${cause?.toLowerCase() ?? "whole"}`;
  const { source } = RUNBOOK;
  return {
    definition: {
      ...{ name, language: "promql", query: "up{}", match: null, cause, section: `${source}#0` },
      ...{ confirms: null, refutes: null, otherwise: null },
    },
    result: {
      ...{ id: `check:${source}#${name}`, name, language: "promql", verdict, statement: "it is so", rule: null },
      ...{ value: null, query: "up{}", cause, runbook: source, citations: [`${source}#0`], source: "metrics" },
      ...{ checked_at: "2026-03-01T03:00:00.000Z", server: null, as_of: null, link: null },
    },
  };
}

function answerWith(checks: readonly RunCheck[], lines: readonly ErrorLine[] = []) {
  const incident = sampleIncident({ title: "it hangs", evidence: { lines, state: null } });
  const recall = { ...recallOf({ runbooks: [RUNBOOK] }), checks };
  const { outcome, answer } = createExtractiveAnswer(incident, recall, { thresholds: THRESHOLDS });
  return { outcome, first: answer.likely_causes[0]?.text.split(".")[0] };
}

describe("a runbook of which a check refutes a cause", () => {
  const REFUTED = check("Zone", "refuted");

  it("states no other cause if nothing speaks for one", () => {
    expect(answerWith([REFUTED])).toEqual({ outcome: "possible", first: undefined });
  });

  it("states the cause that a line speaks for", () => {
    expect(answerWith([REFUTED], [LINE])).toEqual({ outcome: "cause", first: "Quota" });
  });

  it("states the cause that another check confirms", () => {
    expect(answerWith([REFUTED, check("Node", "confirmed")])).toEqual({ outcome: "cause", first: "Node" });
  });

  it("states the next cause if a check confirms the whole runbook", () => {
    expect(answerWith([REFUTED, check(null, "confirmed")])).toEqual({ outcome: "cause", first: "Node" });
  });
});

it("a check without a result changes no answer", () => {
  const unchecked = answerWith([]);
  expect(unchecked).toEqual({ outcome: "cause", first: "Zone" });
  expect(answerWith([check("Zone", "inconclusive"), check("Node", "not_run")])).toEqual(unchecked);
});
