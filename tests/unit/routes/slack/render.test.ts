import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DependencyError } from "../../../../functions/dependencies.ts";
import type { IncidentWithHistory } from "../../../../functions/incidents/incident-records.ts";
import { RecallUnavailable } from "../../../../functions/investigation/recall/recall-result.ts";
import { plainMessage } from "../../../../functions/routes/slack/block-kit.ts";
import { advice, failure } from "../../../../functions/routes/slack/notices.ts";
import {
  renderIncident,
  renderPress,
  renderResolved,
  renderSimilar,
} from "../../../../functions/routes/slack/render-records.ts";
import { renderTriage, verdictOf } from "../../../../functions/routes/slack/render-triage.ts";
import {
  EMPTY_ANSWER,
  type IncidentHit,
  incidentHitSchema,
  type Step,
  type TriageResult,
} from "../../../../functions/schemas/triage-result.ts";
import { sampleResult } from "../../investigation/samples.ts";
import { expectSlackTakes, textsOf } from "./slack-limits.ts";

const ID = "3f2a91bc-0d4e-4f5a-8b6c-7d8e9f001122";
const OTHER_ID = "9c1d2e3f-0d4e-4f5a-8b6c-7d8e9f001122";

function stepOf(changes: Partial<Step> = {}): Step {
  return { text: "Look.", citations: [], supported: true, command: null, effect: null, undo: null, ...changes };
}

function pastOf(changes: Partial<IncidentHit> = {}): IncidentHit {
  return {
    ...incidentHitSchema.parse({
      id: "past-1",
      title: "worker was OOMKilled",
      target: "worker",
      severity: "high",
      incident_type: "oom_killed",
      reported_at: "2026-01-15T08:30:00Z",
      resolution: null,
      resolved_by: null,
      resolved_at: null,
      score: 0.8,
      features: {},
      grounding: 0.8,
      relevant: true,
    }),
    ...changes,
  };
}

const result = (changes: Partial<TriageResult> = {}) =>
  sampleResult({ triage_id: OTHER_ID, incident_id: ID, ...changes });
const shown = (changes: Partial<TriageResult> = {}) => textsOf(renderTriage(result(changes))).join("\n\n");

describe("a triage in Slack", () => {
  it("shows cause, steps with commands, past incidents with what fixed them, sources and warnings", () => {
    const message = renderTriage(
      result({
        confidence: 0.72,
        answer: {
          ...EMPTY_ANSWER,
          summary: { text: "It was killed at its limit.", citations: ["r1"] },
          likely_causes: [{ text: "A leak.", citations: ["r1"], supported: true }],
          confirm: [
            stepOf({
              text: "Ask Docker.",
              command: "docker inspect <container>",
              effect: "read_only",
              citations: ["r1"],
            }),
          ],
          mitigate: [
            stepOf({ text: "Raise the limit.", effect: "changes_state", undo: "Set it back.", citations: ["past-1"] }),
            stepOf({ text: "Pray.", supported: false }),
          ],
        },
        sources: [
          { id: "r1", kind: "runbook", title: "Exit 137", source: "docker/exit-137.md", heading: "Root causes" },
          { id: "past-1", kind: "incident", title: "worker was OOMKilled", source: null, heading: "" },
        ],
        recalled: {
          runbooks: [],
          incidents: [
            pastOf({
              occurrences: 3,
              last_seen_at: "2026-02-01T00:00:00Z",
              resolution: "Bounded the cache.",
              resolved_by: "dana",
              resolved_at: "2026-02-02T00:00:00Z",
            }),
            pastOf({ id: "past-2", title: "another one" }),
            pastOf({ id: "past-3", title: "something else", relevant: false }),
          ],
          past_answers: [],
          procedure: null,
          reranking: null,
        },
        warnings: [
          { code: "dependency_timeout", dependency: "vector_store", message: "The vector store did not answer." },
        ],
      }),
    );
    expectSlackTakes(message);
    expect(message.text).toBe("Likely cause: fairly sure, 0.72. Incident 3f2a91bc.");
    expect(textsOf(message)).toEqual([
      "Likely cause: fairly sure, 0.72",
      "*api-gateway container exited with code 137*",
      'severity high · target api-gateway · domain docker (text cue "container") · type oom_killed (text cue "exited with code 137")',
      "It was killed at its limit. [1]",
      "*Likely causes*\n1. A leak. [1]",
      "*Confirm*\n1. Ask Docker. [1]\n```\ndocker inspect &lt;container&gt;\n```",
      "*Mitigate*\n1. *Changes state:* Raise the limit. [2]\n_Undo:_ Set it back.\n2. Pray. _(no source says this)_",
      "*Past incidents*\n• *worker was OOMKilled* on worker, seen 3 times, last on 2026-02-01. Fixed by: Bounded the cache. (dana, 2026-02-02) [2]\n• *another one* on worker, seen once on 2026-01-15. No fix on record.",
      "*Sources*\n[1] runbook: docker/exit-137.md › Root causes\n[2] past incident: worker was OOMKilled",
      "*Warnings*\n• The vector store did not answer.",
      "Helpful",
      "Not helpful",
      "This resolved it",
      `Incident \`${ID}\``,
    ]);
    expect(message.blocks.find(({ type }) => type === "actions")).toMatchObject({
      elements: ["helpful", "not_helpful", "resolved"].map((action_id) => ({ action_id, value: `${OTHER_ID} ${ID}` })),
    });
  });

  it.each([
    [{ confidence: 0.9 }, "Likely cause: very sure, 0.90"],
    [{ confidence: 0.5 }, "Likely cause: rather sure, 0.50"],
    [{ confidence: 0.49 }, "Possible cause: not sure, 0.49"],
    [{ confidence: 0.66, mode: "extractive" }, "Known failure: fairly sure, 0.66"],
    [{ confidence: 1, outcome: "benign" }, "No incident: very sure, 1.00"],
    [{ confidence: 0, outcome: "unknown" }, "Unknown: nothing like it is on record"],
  ] as const)("says how sure it is: %j", (changes, verdict) => {
    expect(verdictOf(result(changes))).toBe(verdict);
  });

  it("says that it does not know, and how near the nearest was", () => {
    const recalled = { runbooks: [], incidents: [pastOf()], past_answers: [], procedure: null, reranking: null };
    expect(verdictOf(result({ outcome: "unknown", confidence: 0.31, recalled }))).toBe(
      "Unknown: nothing on record fits well enough, 0.31",
    );
  });

  it("suggests what to look at next, and excuses no suggestion", () => {
    const summary = { text: "Unknown.", citations: [] };
    const look_next = [stepOf({ text: "List them.", command: "docker ps", supported: false })];
    expect(shown({ outcome: "unknown", answer: { ...EMPTY_ANSWER, summary, look_next } })).toContain(
      "*Look next*\n1. *Not verified as read-only:* List them.\n```\ndocker ps\n```",
    );
  });

  it("says that it does not follow instructions", () => {
    const guardrails = { ...result().guardrails, injection_blocked: "jailbreak" as const };
    expect(verdictOf(result({ guardrails }))).toMatch(/^Not answered/);
  });

  it.each([
    ["runbook", "docker/exit-137.md", "runbook: docker/exit-137.md › Cause"],
    ["note", "notes/deploys.md", "note: notes/deploys.md › Cause"],
    ["log", "gateway.log", "log: gateway.log › Cause"],
    ["postmortem", null, "postmortem: A title › Cause"],
    ["incident", null, "past incident: A title"],
  ] as const)("says of a cited %s what it is", (kind, source, name) => {
    expect(shown({ sources: [{ id: "x", kind, title: "A title", source, heading: "Cause" }] })).toContain(
      `[1] ${name}`,
    );
  });

  it("says how many steps it leaves out, and where they are", () => {
    const confirm = Array.from({ length: 100 }, (_, i) => stepOf({ text: `Step ${i + 1}.`, command: "x".repeat(200) }));
    const text = shown({ answer: { ...EMPTY_ANSWER, summary: { text: "", citations: [] }, confirm } });
    expect(text).toMatch(/_\d\d more steps: in `GET \/v1\/incidents\/3f2a91bc-/);
    const left = Number(/_(\d+) more steps/.exec(text)?.[1]);
    expect(text).toContain(` Step ${100 - left}.`);
    expect(text).not.toContain(` Step ${101 - left}.`);
  });

  const summary = { text: "It was killed at its limit.", citations: [] };
  const cause = { text: "A leak.", citations: [], supported: true };
  const fix = { ...EMPTY_ANSWER, summary, mitigate: [stepOf({ text: "Raise the limit." })] };

  it.each<[string, Partial<TriageResult>, boolean]>([
    ["a mitigation", { answer: fix }, true],
    ["what worked before", { answer: { ...EMPTY_ANSWER, summary, worked_before: [cause] } }, true],
    ["a cause alone", { answer: { ...EMPTY_ANSWER, summary, likely_causes: [cause], confirm: [stepOf()] } }, false],
    ["a mitigation without words", { answer: { ...fix, mitigate: [stepOf({ text: " " })] } }, false],
    ["that nothing is known", { outcome: "unknown", answer: fix }, false],
    ["that nothing was wrong", { outcome: "benign", answer: fix }, false],
  ])("that says %s asks whether it resolved it only if there was a fix to follow", (_, changes, isAsked) => {
    expect(shown(changes).includes("This resolved it")).toBe(isAsked);
    expect(shown(changes)).toContain("Not helpful");
  });
});

const hostile = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.string({ unit: "binary" }),
  fc.constantFrom(
    "",
    " ",
    "<!channel> <@U061F7AUR> <https://evil.example|log in> &lt;!here&gt;",
    "```\n<!here>\n``` `` ` *a _b ~c",
    "&".repeat(20_000),
    "`".repeat(20_000),
    "😀 \n".repeat(10_000),
  ),
);
const ids = fc.array(fc.constantFrom("r1", "past-1", "unknown"), { maxLength: 30 });
const optional = fc.option(hostile);
const statement = fc.record({ text: hostile, citations: ids, supported: fc.boolean() });
const step = fc
  .tuple(statement, fc.record({ command: optional, undo: optional }), fc.constantFrom("changes_state", null))
  .map(([said, done, effect]): Step => ({ ...said, ...done, effect }));
const past = fc
  .record({
    title: hostile,
    target: optional,
    resolution: optional,
    resolved_by: optional,
    resolved_at: optional,
    last_seen_at: optional,
    occurrences: fc.nat(),
    relevant: fc.boolean(),
  })
  .map((changes) => pastOf(changes));
const many = <T>(one: fc.Arbitrary<T>) => fc.array(one, { maxLength: 100, size: "max" });
const memory = fc
  .record({ question: hostile, answer: hostile, asked_at: hostile })
  .map((said) => ({ id: "m", session_id: "s", is_summary: false, net_rating: 0, score: 0, ranking, ...said }));
const ranking = { cosine: 0, rating: 0, session: 0, decay: 1 };
const procedure = fc.option(
  fc
    .record({ query: hostile, answer: hostile })
    .map((said) => ({ id: "p", strategy: "", confidence: 1, use_count: 1, last_used_at: "", cosine: 1, ...said })),
);
const warning = hostile.map((message) => ({ code: "cancelled", dependency: "language_model", message }) as const);
const domain = fc.record({ name: fc.constant("docker" as const), rule: hostile });
const triageResult = fc
  .record({
    mode: fc.constantFrom("model", "extractive"),
    title: hostile,
    target: optional,
    domain,
    incident_type: fc.record({ name: hostile, rule: hostile }),
    outcome: fc.constantFrom("cause", "benign", "unknown"),
    confidence: fc.double({ min: 0, max: 1, noNaN: true }),
    answer: fc
      .record({
        summary: fc.record({ text: hostile, citations: ids }),
        likely_causes: many(statement),
        confirm: many(step),
        mitigate: many(step),
        look_next: many(step),
      })
      .map((answer): TriageResult["answer"] => ({ ...EMPTY_ANSWER, ...answer })),
    sources: many(
      fc.record({
        id: fc.constantFrom("r1", "past-1"),
        kind: fc.constantFrom("runbook", "incident"),
        title: hostile,
        source: optional,
        heading: hostile,
      }),
    ),
    recalled: many(past).map((incidents) => ({
      runbooks: [],
      incidents,
      past_answers: [],
      procedure: null,
      reranking: null,
    })),
    warnings: many(warning),
  })
  .map((changes) => result(changes));

const FEW = { numRuns: 60 };

describe("whatever a triage says", () => {
  it("is a message that Slack takes, which mentions nobody and links nowhere", () => {
    fc.assert(
      fc.property(triageResult, (any) => expectSlackTakes(renderTriage(any))),
      FEW,
    );
  });

  it("is one, too, of all that is on record", () => {
    const incident = fc.record({
      title: hostile,
      target: optional,
      resolution: optional,
      resolved_by: optional,
      resolved_at: optional,
      created_at: hostile,
      status: fc.constantFrom("queued", "investigating", "triaged", "failed", "resolved"),
    });
    const events = many(fc.record({ at: hostile, kind: hostile }));
    fc.assert(
      fc.property(incident, events, fc.option(triageResult), (row, timeline, triage) => {
        const found: IncidentWithHistory = {
          incident: { ...INCIDENT, ...row },
          alerts: NO_ALERTS,
          events: timeline.map((event) => ({ ...event, detail: {} })),
          triage,
          observation: null,
        };
        expectSlackTakes(renderIncident(found));
        expectSlackTakes(renderResolved(found));
        expectSlackTakes(renderPress("resolved", { rating: 1 }, { state: "resolved", found }));
      }),
      FEW,
    );
  });

  it("is one, too, of all that is similar", () => {
    const found = fc.record({
      incidents: many(past),
      past_answers: many(memory),
      procedure,
      domain,
      warnings: many(warning),
    });
    fc.assert(
      fc.property(found, (similar) => expectSlackTakes(renderSimilar(similar))),
      FEW,
    );
  });
});

const NO_ALERTS = { total: 0, firing: 0, targets: [], latest: [] };

const INCIDENT: IncidentWithHistory["incident"] = {
  id: ID,
  created_at: "2026-03-01T03:00:00+00:00",
  title: "disk full",
  question: null,
  target: null,
  severity: "high",
  labels: {},
  session_id: "s",
  domain: "docker",
  domain_rule: "default",
  incident_type: "unknown",
  incident_type_rule: "default",
  status: "resolved",
  resolution: "Pruned the images.",
  resolved_by: "dana",
  resolved_at: "2026-03-01T04:05:06+00:00",
  worked: true,
  benign: false,
  logs: null,
  runbook: null,
  previous_id: null,
  reported_by: null,
};

describe("an incident in Slack", () => {
  it("shows how it stands, what fixed it, and its timeline", () => {
    const events = [{ at: "2026-03-01T03:00:00Z", kind: "reported", detail: {} }];
    const message = renderIncident({ incident: INCIDENT, events, alerts: NO_ALERTS, triage: null, observation: null });
    expect(message.text).toBe("Resolved: incident 3f2a91bc.");
    expect(textsOf(message)).toEqual([
      "Resolved",
      "*disk full*",
      "severity high · domain docker · reported 2026-03-01 03:00 UTC",
      "*Resolved by dana on 2026-03-01 04:05 UTC:* Pruned the images.",
      "*Timeline*\n• 2026-03-01 03:00 UTC reported",
      `Incident \`${ID}\``,
    ]);
  });

  it("shows its triage with the first step and the buttons", () => {
    const answer = {
      ...EMPTY_ANSWER,
      summary: { text: "The disk is full.", citations: [] },
      mitigate: [
        stepOf({ text: "Prune.", command: "docker image prune", effect: "changes_state" }),
        stepOf({ text: "Wait." }),
      ],
    };
    const open = { ...INCIDENT, status: "triaged" as const, resolution: null };
    const message = renderIncident({
      incident: open,
      events: [],
      alerts: NO_ALERTS,
      triage: result({ answer }),
      observation: null,
    });
    expect(textsOf(message)).toEqual([
      "Open, triaged",
      "*disk full*",
      "severity high · domain docker · reported 2026-03-01 03:00 UTC",
      "*Likely cause: very sure, 0.90*\nThe disk is full.",
      "*First step*\n*Changes state:* Prune.\n```\ndocker image prune\n```",
      "Helpful",
      "Not helpful",
      "This resolved it",
      `Incident \`${ID}\``,
    ]);
  });
});

describe("notices", () => {
  it.each([
    advice({ name: "help" }, "/triage"),
    advice({ name: "unclear", meant: "resolve" }, "@dejavu"),
    failure(new RecallUnavailable([new DependencyError("database", "timeout", "x")]), "request-1"),
    failure(new DependencyError("vector_store", "busy", "x"), "request-1"),
    failure(new Error("secret"), "request-1"),
    plainMessage("Ours."),
    renderPress("helpful", null, null),
    renderPress("not_helpful", { rating: null }, null),
    renderPress("resolved", { rating: 1 }, { state: "not_found" }),
    renderPress("resolved", { rating: 1 }, { state: "no_fix", incidentId: ID }),
    renderPress("resolved", null, { state: "superseded", incidentId: ID }),
  ])("are messages that Slack takes: %j", expectSlackTakes);

  it("tell an unexpected error by the request's id, and never by its words", () => {
    const { text } = failure(new Error("secret"), "request-1");
    expect(text).toContain("request-1");
    expect(text).not.toContain("secret");
  });
});
