import { describe, expect, it } from "vitest";
import { postmortem, statedFacts } from "../../../../functions/incidents/reports/postmortem.ts";
import type { PostmortemFacts } from "../../../../functions/incidents/reports/postmortem-facts.ts";
import { TRIAGE_EXAMPLE } from "../../../../functions/routes/v1/triage-examples.ts";
import type { ReportedIncident } from "../../../../functions/schemas/reports.ts";

const ID = "3f2a8c1e-5b7d-4e9f-8a6c-2d1b0e9f8c7a";
const at = (time: string) => `2026-03-01T${time}:00+00:00`;

const incident: PostmortemFacts["incident"] = {
  id: ID,
  created_at: at("03:00"),
  title: "api-gateway container exited with code 137",
  reported_title: null,
  owner: "dana",
  acknowledged_at: null,
  acknowledged_by: null,
  question: null,
  target: "api-gateway",
  runbook: null,
  expression: null,
  severity: "high",
  labels: { alertname: "ContainerKilled" },
  session_id: "on-call",
  domain: "docker",
  domain_rule: "label",
  answer_domain: null,
  incident_type: "oom_killed",
  incident_type_rule: "words",
  status: "resolved",
  resolution: "Raised the memory limit to 1 GiB",
  resolved_by: "dana",
  resolved_at: at("03:40"),
  worked: true,
  reported_by: "service",
  previous_id: null,
  benign: false,
  imported: null,
  merged_into: null,
  split_from: null,
  logs: null,
  queued_at: null,
  resolved_by_caller: "service",
};
const later: ReportedIncident = {
  id: "8d3c2a64-0f1b-4a55-8c22-b9b1f3a0c7d2",
  title: incident.title,
  severity: "high",
  status: "triaged",
  domain: "docker",
  target: "api-gateway",
  started_at: at("09:00"),
  ended_at: null,
  alerts: { total: 1, firing: 1 },
  outcome: "cause",
  failure_id: "f",
  owner: null,
  acknowledged_by: null,
  resolution: null,
  resolved_by: null,
  came_back_at: null,
};
const facts = (changes: Partial<PostmortemFacts> = {}): PostmortemFacts => ({
  read_at: new Date("2026-03-01T10:00:00Z"),
  mute: null,
  days_seen: [],
  incident,
  started_at: at("02:58"),
  ended_at: at("03:40"),
  events: [
    { at: at("03:00"), kind: "reported", detail: {} },
    { at: at("03:01"), kind: "triaged", detail: { outcome: "cause", confidence: 0.86 } },
    { at: at("03:02"), kind: "acknowledged", detail: { by: "dana" } },
    { at: at("03:10"), kind: "tried", detail: { by: "kim", action: "Restarted it", helped: false } },
    {
      at: at("03:40"),
      kind: "resolved",
      detail: { resolved_by: "dana", resolution: "Raised the memory limit to 1 GiB" },
    },
  ],
  alerts: { total: 2, firing: 0, targets: ["api-gateway", "cart"], place: null, latest: [] },
  triage: TRIAGE_EXAMPLE,
  observation: null,
  steps: [],
  shown_fixes: [],
  merged_ids: [],
  services: {
    total: 2,
    first: [
      {
        target: "api-gateway",
        alerts: 1,
        notifications: 4,
        started_at: at("02:58"),
        ended_at: at("03:40"),
        minutes: 42,
      },
      { target: "cart", alerts: 1, notifications: 1, started_at: at("03:05"), ended_at: at("03:35"), minutes: 30 },
    ],
  },
  tries: [
    {
      text: "Raised the memory limit to 1 GiB",
      conditions: null,
      at: at("03:40"),
      by: "dana",
      helped: true,
      resolved: true,
      came_back_at: at("09:00"),
      checked_at: null,
      tried: 4,
      worked: 3,
    },
    {
      text: "Restarted it",
      conditions: null,
      at: at("03:10"),
      by: "kim",
      helped: false,
      resolved: false,
      came_back_at: null,
      checked_at: null,
      tried: 2,
      worked: 0,
    },
  ],
  reports: { before: 0, after: 1 },
  nearest_reports: [later],
  ...changes,
});

/** Without the sections whose words the view of an answer chooses. */
const ownSections = (text: string) => text.replace(/## (?:Cause|Similar incidents)\n[\s\S]*?(?=## )/g, "");

describe("the draft of a postmortem", () => {
  it("says to an engineer who was not there what happened, from the recorded facts", async () => {
    const text = postmortem(facts());
    await expect(ownSections(text)).toMatchFileSnapshot("golden/postmortem.md");
    for (const words of [
      "Known failure",
      "It led to the fix.",
      "### Likely causes",
      "### Checked",
      "[2]",
      "Query: `max",
    ])
      expect(text).toContain(words);
    expect(text).toContain('## Similar incidents\n\n- 2026-02-18 "cart container exited with code 137"');
  });

  it("says what is not recorded", () => {
    const text = postmortem(
      facts({
        incident: {
          ...incident,
          status: "triaged",
          resolution: null,
          resolved_by: null,
          resolved_at: null,
          worked: null,
          labels: {},
        },
        ended_at: null,
        events: [],
        triage: null,
        alerts: { total: 0, firing: 0, targets: [], place: null, latest: [] },
        services: { total: 0, first: [] },
        tries: [],
        reports: { before: 0, after: 0 },
        nearest_reports: [],
      }),
    );
    expect(text).toContain(
      "It was reported on api-gateway, and open since 2026-03-01 02:58 UTC. No cause is established. It is still open.",
    );
    expect(text).toContain("## Cause\n\nNo answer is recorded.");
    expect(text).toContain("## Fix\n\n*not recorded*");
  });

  const [fix, failedTry] = facts().tries;
  if (!fix || !failedTry) throw new Error("the sample has a fix and a failed try");
  const [cause] = TRIAGE_EXAMPLE.answer.likely_causes;
  if (!cause) throw new Error("the sample has a cause");
  const service = { target: null, alerts: 1, notifications: 1, started_at: at("02:58"), ended_at: null, minutes: 5 };

  it.each<[string, Partial<PostmortemFacts>, string]>([
    [
      "a fix that was looked at",
      { tries: [{ ...fix, came_back_at: null, checked_at: at("09:00") }] },
      "The fix held at least until 2026-03-01 09:00 UTC.",
    ],
    [
      "a fix that was not looked at",
      { tries: [{ ...fix, came_back_at: null }] },
      "Whether the fix held was not looked at yet.",
    ],
    [
      "no fix",
      { incident: { ...incident, resolution: null }, tries: [] },
      "It ended 42 min after its start; no fix is recorded.",
    ],
    ["a fix without a record of the failure", { tries: [] }, "## Fix\n\n- Raised the memory limit to 1 GiB. By dana."],
    [
      "the conditions of a fix",
      { tries: [{ ...fix, conditions: "Only on the old kernel" }] },
      "Conditions: Only on the old kernel.",
    ],
    ["nobody for a try without a name", { tries: [{ ...failedTry, by: null }] }, "By somebody on"],
    [
      "earlier reports",
      { reports: { before: 2, after: 0 }, nearest_reports: [] },
      "The failure was also reported 2 times before this incident.",
    ],
    ["reports that are not listed", { reports: { before: 3, after: 1 } }, "- and 3 more"],
    [
      "an earlier report with a fix",
      {
        reports: { before: 1, after: 0 },
        nearest_reports: [
          {
            ...later,
            target: null,
            // An alert of the same webhook.
            started_at: at("02:58"),
            ended_at: at("03:30"),
            resolution: "Restarted it",
            resolved_by: "kim",
          },
        ],
      },
      "- Before, 2026-03-01 02:58 to 03:30 UTC: api-gateway container exited with code 137. Fixed by kim: Restarted it.",
    ],
    [
      "a later report that ended by itself",
      { nearest_reports: [{ ...later, ended_at: at("09:30") }] },
      "It ended without a recorded fix.",
    ],
    [
      "alerts that still fire",
      { alerts: { total: 2, firing: 1, targets: [], place: null, latest: [] } },
      "- Alerts: 2, 1 still firing",
    ],
    ["no owner", { incident: { ...incident, owner: null } }, "type oom_killed\n- Alert: ContainerKilled"],
    [
      "services without a name, and more than are listed",
      { services: { total: 3, first: [service] } },
      "- No service named: 1 alert, since 2026-03-01 02:58 UTC, fired for 5 min\n- and 2 more services",
    ],
    [
      "the services that do not fit into a sentence",
      { services: { total: 3, first: [{ ...service, target: "cart" }] } },
      "fired on cart and 2 more services from",
    ],
    [
      "no place",
      { incident: { ...incident, target: null, labels: {} }, services: { total: 1, first: [service] } },
      "An alert fired from 2026-03-01 02:58 to 03:40 UTC.",
    ],
    [
      "repeated events",
      { events: [1, 2].map((minute) => ({ at: at(`03:0${minute}`), kind: "alert_repeated", detail: {} })) },
      "- 2026-03-01 03:02 An alert was reported again (2 times)",
    ],
    ["an answer that nobody judged", { incident: { ...incident, worked: null } }, "Likely cause (not confirmed):"],
    [
      "that a runbook lists several causes",
      {
        triage: {
          ...TRIAGE_EXAMPLE,
          live: { ...TRIAGE_EXAMPLE.live, checks: [], hypotheses: [] },
          answer: { ...TRIAGE_EXAMPLE.answer, causes_ordered_by: "runbook", likely_causes: [cause, cause, cause] },
        } as PostmortemFacts["triage"],
      },
      "Which of 3 likely causes it was is not established.",
    ],
  ])("says %s", (_, changes, words) => {
    expect(postmortem(facts(changes))).toContain(words);
  });

  it("does not take an answer that was wrong for the cause", () => {
    const text = postmortem(facts({ incident: { ...incident, worked: false } }));
    expect(text).toContain("No cause is established. Dejavu's answer did not lead to the fix.");
  });

  it("shows foreign text as text", () => {
    const evil =
      "# Fixed\n\n- [ ] [click](javascript:alert(1)) ![x](http://evil.example/x.png) <img src=x> `open \u001b[31m";
    const text = postmortem(
      facts({
        incident: { ...incident, title: evil, resolution: evil, resolved_by: evil, labels: { alertname: evil } },
        events: [{ at: at("03:40"), kind: "resolved", detail: { resolved_by: evil, resolution: evil } }],
        services: {
          total: 1,
          first: [{ target: evil, alerts: 1, notifications: 1, started_at: at("03:00"), ended_at: null, minutes: 1 }],
        },
        nearest_reports: [{ ...later, title: evil, target: evil }],
      }),
    );
    const outsideCode = text.replace(/(?<!\\)`[^`]*`/g, "");
    expect(outsideCode).not.toMatch(/(?<!\\)\[(?! \])[^\d]|(?<!\\)</);
    expect(text).not.toContain("\u001b");
    expect(postmortem(facts(), { summary: [evil], impact: [], cause: [] })).toContain(
      "## Summary\n\n\\# Fixed - \\[ \\] \\[click\\](javascript",
    );
    expect(text.split("\n").filter((line) => line.startsWith("#") && !/^#{1,3} [A-Z]/.test(line))).toEqual([]);
  });
});

it("statedFacts names the section of each item, and the sentences of the summary before them", () => {
  const stated = statedFacts(facts());
  expect(stated[0]).toMatch(/^The alert `ContainerKilled` fired on api-gateway and cart/);
  for (const fact of [
    "Impact: cart: 1 alert, 2026-03-01 03:05 to 03:35 UTC, fired for 30 min",
    "Likely causes: Runtime heap larger than the container limit. A Node.js process sizes itself past the limit. [2]",
  ])
    expect(stated).toContain(fact);
  expect(stated.find((fact) => fact.startsWith("What did not help: "))).toContain("Restarted it.");
});
