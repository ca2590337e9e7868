import { describe, expect, it } from "vitest";
import type { IncidentWithHistory } from "../../../../functions/incidents/incident-records.ts";
import { answerText } from "../../../../functions/routes/mcp/answer-text.ts";
import { incidentText } from "../../../../functions/routes/mcp/incident-text.ts";
import { progressOf } from "../../../../functions/routes/mcp/progress.ts";
import { EMPTY_ANSWER, type Step } from "../../../../functions/schemas/answer.ts";
import { sampleResult } from "../../investigation/samples.ts";

describe("an answer as text", () => {
  it("cites sources by number, marks state changes and unsupported statements, and ends with the confidence", () => {
    const step: Step = {
      text: "Restart it.",
      citations: [],
      supported: false,
      command: "docker restart `web`",
      effect: "unverified" as const,
      undo: null,
      from_source: true,
    };
    const text = answerText(
      sampleResult({
        confidence: 0.456,
        answer: {
          ...EMPTY_ANSWER,
          summary: { text: "It was killed.", citations: ["b", "a"] },
          evidence: [{ text: "SIGKILL.", citations: ["a"], supported: true, quote: "code 137", place: null }],
          mitigate: [{ ...step, effect: "changes_state", undo: "none" }],
          look_next: [step, { ...step, effect: "read_only", command: null }],
        },
        sources: [
          { id: "a", kind: "runbook", title: "T", source: "docker/oom.md", heading: "Confirm" },
          { id: "b", kind: "incident", title: "web was killed", source: null, heading: "" },
        ],
        warnings: [
          { code: "dependency_timeout", dependency: "vector_store", message: "The vector store did not answer." },
        ],
      }),
    );
    expect(text).toBe(
      [
        "Known failure, 46 %: not sure; confirm before you act.",
        'severity high; target api-gateway; domain docker (words "docker"); type oom_killed (words "exited with code 137").',
        "It was killed. [2][1]",
        'Evidence:\n- "code 137": SIGKILL. [1]',
        "Mitigate:\n- CHANGES STATE: Restart it. (no source says this)\n  ```\n  docker restart `web`\n  ```\n  Undo: none",
        "Look next:\n- NOT VERIFIED AS READ-ONLY: Restart it.\n  ```\n  docker restart `web`\n  ```\n- Restart it.",
        'Sources:\n[1] docker/oom.md › Confirm (id a)\n[2] past incident "web was killed" (id b)',
        "Warnings:\n- The vector store did not answer.",
        "Incident incident-now, triage triage-1.",
        "(confidence: 0.46)",
      ].join("\n\n"),
    );
  });

  it("says that the search left a domain that held nothing relevant", () => {
    const domain = { name: "redis", rule: "label job=redis", decided_by: "label", looked_further: true } as const;
    expect(answerText(sampleResult({ domain }))).toContain(
      "domain redis (label job=redis); nothing relevant in redis; other domains were searched;",
    );
  });
});

describe("an incident as text", () => {
  const record: IncidentWithHistory = {
    incident: {
      id: "i-1",
      created_at: "2026-03-01T03:00:00Z",
      title: "Why does web restart?",
      question: "Why does web restart?",
      target: null,
      severity: "high",
      labels: { namespace: "shop" },
      session_id: "s",
      domain: "docker",
      domain_rule: "default",
      answer_domain: null,
      incident_type: "unknown",
      incident_type_rule: "default",
      status: "investigating",
      resolution: null,
      resolved_by: null,
      resolved_at: null,
      resolved_by_caller: null,
      queued_at: null,
      worked: null,
      benign: false,
      imported: null,
      merged_into: null,
      split_from: null,
      logs: null,
      runbook: null,
      expression: null,
      previous_id: null,
      reported_by: null,
      reported_title: null,
      owner: "kim",
      acknowledged_at: null,
      acknowledged_by: null,
    },
    alerts: { total: 0, firing: 0, targets: [], place: null, latest: [] },
    events: [{ at: "2026-03-01T03:00:00Z", kind: "reported", detail: {} }],
    triage: null,
    observation: null,
    steps: [],
    run: null,
    mute: null,
    days_seen: [],
    shown_fixes: [],
    merged_ids: [],
  };

  it("shows that there is no answer yet, and the question once", () => {
    expect(incidentText(record)).toBe(
      "# Why does web restart?\n\n- Status: investigating\n- Severity: high\n- Domain: docker, type: unknown\n" +
        "- Reported: 2026-03-01T03:00:00Z\n- Owner: kim\n- Labels: namespace=shop\n- Id: i-1\n\n## Answer\n\nNo answer yet.\n\n" +
        "## Timeline\n\n- 2026-03-01 03:00 UTC Reported",
    );
  });

  it("shows the end of a long log, in a fence that it cannot close", () => {
    const logs = `${"x".repeat(20_000)}😀${"y".repeat(7_990)}\n\`\`\`\`\nend`;
    const text = incidentText({ ...record, incident: { ...record.incident, logs } });
    expect(text.length).toBeLessThan(8_500);
    expect(text).toMatch(/\n`````\n….+\nend\n`````$/s);
    expect(text.isWellFormed()).toBe(true);
  });
});

describe("progress", () => {
  it("reports each part of a draft once", () => {
    const lines: string[] = [];
    const emit = progressOf((line) => lines.push(line));
    for (const [draft, path] of [
      [1, "summary.text"],
      [1, "summary.text"],
      [1, "likely_causes.0.text"],
      [1, "likely_causes.1.text"],
      [2, "summary.text"],
    ] as const)
      emit({ event: "token", data: { draft, path, text: "word" } });
    emit({ event: "critique", data: { draft: 2, score: 0.5, feedback: "planted" } });
    emit({ event: "reflection", data: { draft: 3, changes: "planted" } });
    expect(lines).toEqual([
      "Writing: summary.",
      "Writing: likely causes.",
      "Writing draft 2: summary.",
      "A critic gives draft 2 0.50.",
      "Reflected into draft 3.",
    ]);
  });
});
