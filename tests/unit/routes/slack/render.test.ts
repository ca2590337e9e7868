import { describe, expect, it } from "vitest";
import { plainMessage } from "../../../../functions/adapters/block-kit.ts";
import { pastIncidentItem } from "../../../../functions/answer-view/answer-view.ts";
import { DependencyError } from "../../../../functions/dependencies.ts";
import { RecallUnavailable } from "../../../../functions/investigation/recall/recall-result.ts";
import { failure, helpMessage } from "../../../../functions/routes/slack/notices.ts";
import { renderFix, renderNoDialog, renderRating } from "../../../../functions/routes/slack/render-fix.ts";
import { renderIncident, renderSimilar } from "../../../../functions/routes/slack/render-records.ts";
import { itemText, renderTriage } from "../../../../functions/routes/slack/render-triage.ts";
import { EMPTY_ANSWER } from "../../../../functions/schemas/answer.ts";
import type { IncidentHit, TriageResult } from "../../../../functions/schemas/triage-result.ts";
import { samplePastFix, sampleShownFix } from "../../investigation/samples.ts";
import { ID, INCIDENT, NO_ALERTS, OTHER_ID, pastOf, result, stepOf } from "./samples.ts";
import { expectValidMessage, textsOf } from "./slack-limits.ts";

const PROCEDURE = {
  id: "p",
  query: "",
  strategy: "",
  answer: "Look.",
  confidence: 1,
  use_count: 1,
  last_used_at: "",
  cosine: 1,
  probability: 0.8,
  relevant: true,
};

const PAST_ANSWER = {
  id: "m",
  question: "Why does it restart?",
  answer: "Its probe is too strict.",
  asked_at: "2026-02-01T00:00:00Z",
  session_id: "s",
  is_summary: false,
  net_rating: 0,
  score: 0.9,
  ranking: { cosine: 0.9, rating: 0, session: 0, decay: 1 },
  probability: 0.8,
  relevant: true,
};

const shown = (changes: Partial<TriageResult> = {}) => textsOf(renderTriage(result(changes), "C1")).join("\n\n");

describe("a triage in Slack", () => {
  it("shows the cause, steps with commands, past incidents with fixes, sources and warnings", () => {
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
          worked_before: [
            samplePastFix({
              text: "Words. Fixed by: Bounded the cache. (dana, 2026-02-02). Replaced: A restart (a newer fix). 80 % likely.",
              citations: ["past-1"],
              alike: ["exit 137", "the alert <A>"],
              differs: ["service api-gateway, then worker"],
              fix: sampleShownFix({ text: "Bounded the cache." }),
              retired: [{ text: "A restart", reason: "a newer fix", at: "2026-02-02T00:00:00Z" }],
            }),
            samplePastFix({ text: "Other words. No fix recorded." }),
          ],
        },
        sources: [
          { id: "r1", kind: "runbook", title: "Exit 137", source: "docker/exit-137.md", heading: "Root causes" },
          { id: "past-1", kind: "incident", title: "worker was OOMKilled", source: null, heading: "" },
        ],
        warnings: [
          { code: "dependency_timeout", dependency: "vector_store", message: "The vector store did not answer." },
        ],
      }),
      "C1",
    );
    expectValidMessage(message);
    expect(message.text).toBe("Known failure, 72 %. Incident 3f2a91bc.");
    expect(textsOf(message)).toEqual([
      "Known failure, 72 %",
      "*api-gateway container exited with code 137*",
      "*Fixed before*\n" +
        "• Bounded the cache. (dana, 2026-02-02). Replaced: ~A restart~ (a newer fix). 80 % likely. Words. [2]\n" +
        "Alike: exit 137; the alert &lt;A&gt;.\nDiffers: service api-gateway, then worker.\n" +
        "• Other words. No fix recorded.",
      'fairly sure of this answer, as a critic scored it · severity high · target api-gateway · domain docker (words "docker") · type oom_killed (words "exited with code 137")',
      "It was killed at its limit. [1]",
      "*Likely causes*\n1. A leak. [1]",
      "*Confirm*\n1. Ask Docker. [1]\n```\ndocker inspect &lt;container&gt;\n```",
      "*Mitigate*\n1. *Changes state:* Raise the limit. [2]\n_Undo:_ Set it back.\n2. Pray. _(no source says this)_",
      "*Names in the commands*\nReplace &lt;container&gt;.",
      '*Sources*\n[1] docker/exit-137.md › Root causes\n[2] past incident "worker was OOMKilled"',
      "*Warnings*\n• The vector store did not answer.",
      "This resolved it",
      "Helpful",
      "Not helpful",
      `Incident \`${ID}\``,
    ]);
    const elementsOf = (type: string) => message.blocks.find((block) => block.type === type);
    expect(elementsOf("actions")).toMatchObject({
      elements: [{ action_id: "resolved", value: `${OTHER_ID} ${ID} C1` }],
    });
    expect(elementsOf("context_actions")).toMatchObject({
      elements: [
        {
          type: "feedback_buttons",
          action_id: "rating",
          positive_button: { value: `helpful ${OTHER_ID} ${ID} C1` },
          negative_button: { value: `not_helpful ${OTHER_ID} ${ID} C1` },
        },
      ],
    });
  });

  it("says that the search left a domain that held nothing relevant", () => {
    const domain = { name: "redis", rule: "label job=redis", decided_by: "label", looked_further: true } as const;
    expect(textsOf(renderTriage(result({ domain }), "C1"))[2]).toContain(
      "domain redis (label job=redis) · nothing relevant in redis; other domains were searched",
    );
  });

  it("shows next steps without a note about support", () => {
    const summary = { text: "Unknown.", citations: [] };
    const look_next = [stepOf({ text: "List them.", command: "docker ps", supported: false })];
    expect(shown({ outcome: "unknown", answer: { ...EMPTY_ANSWER, summary, look_next } })).toContain(
      "*Look next*\n1. *Not verified as read-only:* List them.\n```\ndocker ps\n```",
    );
  });

  it("shows how many steps are omitted, and where to read them", () => {
    const confirm = Array.from({ length: 100 }, (_, i) => stepOf({ text: `Step ${i + 1}.`, command: "x".repeat(200) }));
    const text = shown({ answer: { ...EMPTY_ANSWER, summary: { text: "", citations: [] }, confirm } });
    expect(text).toMatch(/_\d\d more items: in `GET \/v1\/incidents\/3f2a91bc-/);
    const left = Number(/_(\d+) more items/.exec(text)?.[1]);
    expect(text).toContain(` Step ${100 - left}.`);
    expect(text).not.toContain(` Step ${101 - left}.`);
  });

  const summary = { text: "It was killed at its limit.", citations: [] };
  const cause = { text: "A leak.", citations: [], supported: true };
  const fix = { ...EMPTY_ANSWER, summary, mitigate: [stepOf({ text: "Raise the limit." })] };

  it.each<[string, Partial<TriageResult>, boolean]>([
    ["a mitigation", { answer: fix }, true],
    [
      "a past fix",
      { answer: { ...EMPTY_ANSWER, summary, worked_before: [samplePastFix({ fix: sampleShownFix() })] } },
      true,
    ],
    ["a candidate", { outcome: "possible", answer: fix }, false],
    ["only a cause", { answer: { ...EMPTY_ANSWER, summary, likely_causes: [cause], confirm: [stepOf()] } }, false],
    ["a mitigation without text", { answer: { ...fix, mitigate: [stepOf({ text: " " })] } }, false],
    ["an unknown cause", { outcome: "unknown", answer: fix }, false],
    ["a benign outcome", { outcome: "benign", answer: fix }, false],
  ])("with %s offers 'This resolved it' only if it contains a fix", (_, changes, isOffered) => {
    expect(shown(changes).includes("This resolved it")).toBe(isOffered);
    expect(shown(changes)).toContain("Not helpful");
  });
});

describe("a past incident in Slack", () => {
  const retired = [{ text: "Kill ~everything~ with `kill`", reason: "a newer fix", at: "2026-02-02T00:00:00Z" }];

  it("cuts a long fix and keeps what follows it", () => {
    const fix = sampleShownFix({ text: "More memory. ".repeat(300).trim() });
    const text = `Words. Fixed by: ${fix.text} (dana). It came back 3 days later.`;
    const shown = itemText(pastIncidentItem(samplePastFix({ text, fix })));
    expect(shown).toMatch(/^Words\. Fixed by: More memory\..{200,250}… \(dana\)\. It came back 3 days later\.$/);
  });

  it("keeps marks of a struck fix from ending the strike", () => {
    const text = `Replaced: ${retired[0]?.text} (a newer fix).`;
    expect(itemText(pastIncidentItem(samplePastFix({ text, retired })))).toBe(
      "Replaced: ~Kill \u223ceverything\u223c with 'kill'~ (a newer fix).",
    );
  });
});

describe("similar records in Slack", () => {
  const hits = { domain: { ...result().domain, rule: "default" }, past_answers: [], procedure: null, warnings: [] };
  const textOf = (incidents: readonly IncidentHit[]) =>
    textsOf(renderSimilar({ ...hits, incidents: [...incidents] })).join("\n");

  it("are only those that are alike, with probability, likeness and differences", () => {
    const near = pastOf({ probability: 0.45, alike: ["exit 137"], differs: ["exit code 1, then 2"] });
    const text = textOf([near, pastOf({ title: "something else", relevant: false })]);
    expect(text).toContain("45 % likely the same failure.\nAlike: exit 137.\nDiffers: exit code 1, then 2.");
    expect(text).not.toContain("something else");
  });

  it("are past answers and a procedure only if they are about such a failure", () => {
    const [other, unknown] = [
      { ...PAST_ANSWER, answer: "Prune it.", relevant: false, probability: 0.1 },
      { ...PAST_ANSWER, answer: "Wait.", relevant: false, probability: null },
    ];
    const shown = textsOf(renderSimilar({ ...hits, incidents: [], past_answers: [PAST_ANSWER, other, unknown] }));
    expect(shown.join("\n")).toContain("Its probe is too strict.");
    expect(shown.join("\n")).not.toMatch(/Prune it|Wait/);
    const procedure = { ...PROCEDURE, relevant: false };
    const none = renderSimilar({ ...hits, incidents: [], past_answers: [other, unknown], procedure });
    expect(none.text).toBe("Nothing alike is on record.");
    expect(textsOf(none)).toHaveLength(2);
  });

  it("are reported to be none if nothing is alike", () => {
    expect(textOf([pastOf({ relevant: false })])).toMatch(/^Nothing alike is on record\n/);
    const procedure = { ...PROCEDURE, query: "Look." };
    expect(textsOf(renderSimilar({ ...hits, incidents: [], procedure })).join("\n")).toContain(
      "No past incident on record is alike.",
    );
  });
});

describe("an incident in Slack", () => {
  it("shows its status, its fix and its timeline", () => {
    const events = [{ at: "2026-03-01T03:00:00Z", kind: "reported", detail: {} }];
    const message = renderIncident(
      {
        incident: INCIDENT,
        events,
        alerts: NO_ALERTS,
        triage: null,
        observation: null,
        steps: [],
        run: null,
        mute: null,
        days_seen: [],
        shown_fixes: [],
        merged_ids: [],
      },
      "C1",
    );
    expect(message.text).toBe("Resolved: incident 3f2a91bc.");
    expect(textsOf(message)).toEqual([
      "Resolved",
      "*disk full*",
      "severity high · domain docker · reported 2026-03-01 03:00 UTC",
      "*Resolved by dana on 2026-03-01 04:05 UTC:* Pruned the images.",
      "*Timeline*\n• 2026-03-01 03:00 UTC Reported",
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
    const message = renderIncident(
      {
        incident: open,
        events: [],
        alerts: NO_ALERTS,
        triage: result({ answer }),
        observation: null,
        steps: [],
        run: null,
        mute: null,
        days_seen: [],
        shown_fixes: [],
        merged_ids: [],
      },
      "C1",
    );
    expect(textsOf(message)).toEqual([
      "Open, answered",
      "*disk full*",
      "severity high · domain docker · reported 2026-03-01 03:00 UTC",
      "*Known failure, 90 %*\nThe disk is full.",
      "*First mitigation*\n*Changes state:* Prune.\n```\ndocker image prune\n```",
      "This resolved it",
      "Helpful",
      "Not helpful",
      `Incident \`${ID}\``,
    ]);
  });
});

const PERSON = "slack:T1:U1";

describe("notices", () => {
  it.each([
    helpMessage({ name: "help" }, "/triage"),
    helpMessage({ name: "unclear", meant: "resolve" }, "@dejavu"),
    failure(new RecallUnavailable([new DependencyError("database", "timeout", "x")]), "request-1"),
    failure(new DependencyError("vector_store", "busy", "x"), "request-1"),
    failure(new Error("secret"), "request-1"),
    plainMessage("Ours."),
    renderRating(1, null),
    renderRating(-1, { netRating: null }),
    renderRating(1, "pending"),
    renderFix({ state: "pending" }, "pending", PERSON),
    renderFix({ state: "not_found" }, { netRating: 1 }, PERSON),
    renderFix({ state: "not_found" }, null, PERSON),
    renderNoDialog("no_bot_token", ID, null),
    renderNoDialog("expired", ID, "Raise the limit."),
    renderNoDialog("failed", ID, "<!channel> ```".repeat(1_000)),
  ])("are within Slack's limits: %j", expectValidMessage);

  it("say that a rating and a fix are recorded when the database is back", () => {
    expect(renderRating(-1, "pending").text).toContain("recorded when the database is back");
    expect(renderFix({ state: "pending" }, "pending", PERSON).text).toMatch(
      /what fixed the incident is recorded when it is back/,
    );
  });

  it("show an unexpected error by its request id, never by its message", () => {
    const { text } = failure(new Error("secret"), "request-1");
    expect(text).toContain("request-1");
    expect(text).not.toContain("secret");
  });
});
