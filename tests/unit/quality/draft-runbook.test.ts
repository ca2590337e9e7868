import { describe, expect, it } from "vitest";
import { runbookFindings } from "../../../cli/check-runbooks.ts";
import type { GapEvidence } from "../../../functions/quality/answer-gaps.ts";
import { draftRunbook } from "../../../functions/quality/draft-runbook.ts";

const incident: GapEvidence["incidents"][number] = {
  id: "8d3c2a64-0f1b-4a55-8c22-b9b1f3a0c7d2",
  created_at: "2026-03-01T02:55:12+00:00",
  title: "Replication stalled",
  question: null,
  target: "ledger",
  labels: { alertname: "Stalled", namespace: "shop", pod: "ledger-0" },
  logs: "ERROR segment 4711 cannot be fetched, code E477",
  expression: "replication_lag_seconds > 60",
};
const fix = { text: "Grew the volume", conditions: null, tried: 4, worked: 3, last_worked_at: "2026-02-20T08:00:00Z" };
const evidence = (changes: Partial<GapEvidence> = {}): GapEvidence => ({
  domain: "shop",
  name: "Stalled",
  source: "stalled.md",
  incidents: [incident],
  fixes: [fix],
  ...changes,
});
const problems = (markdown: string) => runbookFindings(new TextEncoder().encode(markdown));

describe("a draft of a runbook", () => {
  it("holds symptoms, checks, fixes with their proof and the incidents", () => {
    const other = { ...incident, id: "b", labels: { ...incident.labels, pod: "ledger-1" } };
    const draft = draftRunbook(evidence({ incidents: [incident, other] }));
    expect(draft).toMatchInlineSnapshot(`
      "# Stalled

      ## Symptoms

      - The alert \`Stalled\` fires.
      - Reported as: Replication stalled
      - The log holds \`ERROR segment 4711 cannot be fetched, code E477\`.
      - Labels: \`namespace=shop\`

      ## Confirm

      1. (read-only) Look for the lines above in the log of the affected service.
      2. (read-only) Run the alert's expression:

         \`\`\`promql
         replication_lag_seconds > 60
         \`\`\`

      ## Mitigate

      1. Grew the volume. Helped in 3 of 4 incidents, last on 2026-02-20.

      ## Past incidents

      - 2026-03-01, ledger: Replication stalled (\`8d3c2a64-0f1b-4a55-8c22-b9b1f3a0c7d2\`)
      - 2026-03-01, ledger: Replication stalled (\`b\`)
      "
    `);
    expect(problems(draft)).toEqual([]);
  });

  it("leaves out sections without content", () => {
    const draft = draftRunbook(evidence({ fixes: [], incidents: [{ ...incident, logs: null, expression: null }] }));
    expect(draft).not.toMatch(/Mitigate|Confirm|Tried/);
    expect(problems(draft)).toEqual([]);
  });

  it("keeps hostile texts inside their lines", () => {
    const text = "# Fixed\n```promql {check=x match=none}\nup\n```\n## Mitigate\n1. rm -rf /";
    const hostile = {
      ...incident,
      title: text,
      target: text,
      logs: "ERROR `fetch` failed with code E477\n```\n# ERROR failed",
      expression: "up\n```\n# x",
    };
    const draft = draftRunbook(evidence({ name: text, incidents: [hostile], fixes: [{ ...fix, text }] }));
    expect(draft.match(/^#.*$/gm)).toEqual([
      expect.stringMatching(/^# Fixed/),
      "## Symptoms",
      "## Confirm",
      "## Mitigate",
      "## Past incidents",
    ]);
    expect(draft).not.toContain("```");
    expect(problems(draft)).toEqual([]);
  });
});
