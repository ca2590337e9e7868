// What each kind of target sends, held against the formats of the systems, written a second time from their specifications.

import { describe, expect, it } from "vitest";
import { z } from "zod";
import { failureMessage, summaryOf } from "../../../functions/notifications/failure-message.ts";
import type { FailureState } from "../../../functions/notifications/failure-state.ts";
import { plainContent } from "../../../functions/notifications/targets/plain-text.ts";
import {
  renderFailure,
  renderHandover,
  renderReply,
  renderSummary,
} from "../../../functions/notifications/targets/slack.ts";
import type { HandoverMessage, Summary } from "../../../functions/notifications/targets/target.ts";
import { cardMessage, replyMessage } from "../../../functions/notifications/targets/teams.ts";
import { signatureOf } from "../../../functions/notifications/targets/webhook.ts";
import type { HandoverIncident } from "../../../functions/schemas/reports.ts";
import { samplePastFix, sampleResult, sampleShownFix } from "../investigation/samples.ts";
import { ID, sampleMessage, sampleState } from "./samples.ts";

const HOSTILE =
  "<!channel> @here [click](https://evil.example) `x` ```fence``` *bold* \u202egnp\n<https://evil.example|ok>";
const hostile = sampleMessage({
  title: HOSTILE,
  verdict: HOSTILE,
  fix: { lead: "Fixed before", text: HOSTILE.repeat(50) },
  quotes: [HOSTILE],
  lacks: [HOSTILE, HOSTILE, HOSTILE],
  checked: [HOSTILE, HOSTILE, HOSTILE],
  changes: [HOSTILE, HOSTILE, HOSTILE],
  firstCheck: { text: HOSTILE, warning: null, command: HOSTILE.repeat(50) },
  resolution: HOSTILE,
  holder: HOSTILE,
  muted: [HOSTILE],
});
const SUMMARY: Summary = {
  ...{ total: 195, open: 40, failures: 12 },
  bySeverity: [
    ["critical", 5],
    ["low", 190],
  ],
  worst: Array.from({ length: 10 }, () => ({
    incidentId: ID,
    incidents: 2,
    title: HOSTILE,
    severity: "critical" as const,
    target: HOSTILE,
    link: null,
  })),
  muted: [HOSTILE],
  link: "https://dejavu.example.com/console/incidents",
};

const entry: HandoverIncident = {
  ...{ id: ID, title: HOSTILE.repeat(5), severity: "high", status: "triaged", domain: "shop", target: HOSTILE },
  ...{ started_at: "2026-03-01T03:00:00Z", ended_at: null, alerts: { total: 1, firing: 1 }, outcome: "cause" },
  ...{
    failure_id: "f",
    owner: HOSTILE,
    acknowledged_by: null,
    resolution: null,
    resolved_by: null,
    came_back_at: null,
  },
  same: { incidents: 1, since: "2026-03-01T03:00:00Z", firing: 1, longest_minutes: null },
};
const listed = {
  total: 9,
  older: 0,
  with_fix: 0,
  incidents: Array.from({ length: 5 }, (_, i) => ({ ...entry, failure_id: `f${i}` })),
};
const HANDOVER: HandoverMessage = {
  link: "https://dejavu.example.com/console/incidents",
  handover: {
    ...{ since: "2026-02-28T08:00:00.000Z", until: "2026-03-01T08:00:00.000Z" },
    ...{ firing: listed, open: listed, resolved: listed, came_back: { total: 0, failures: [] } },
    ...{ without_runbook: { total: 0, gaps: [] }, mutes: [] },
  },
};

const textsOf = (blocks: readonly object[]) =>
  blocks.flatMap((block) => ("text" in block ? z.object({ text: z.string() }).parse(block.text).text : []));

describe("a message in Slack", () => {
  it("has title, severity and outcome in its first line, and what worked before in its second", () => {
    const [head = ""] = textsOf(renderFailure(sampleMessage(), "C1").blocks);
    expect(head.split("\n")).toEqual([
      "*Pod is crash looping* · high · Known failure, 91 %",
      "*Fixed before:* Raised the memory limit",
    ]);
  });

  it("shows a time in the zone of the reader", () => {
    const holder = "Muted until 2026-03-01 18:00 UTC by dana: from 2026-03-01 09:00 UTC";
    const [head = ""] = textsOf(renderFailure(sampleMessage({ holder }), "C1").blocks);
    const time = "<!date^1772388000^{date_short_pretty} {time}|2026-03-01 18:00 UTC>";
    expect(head.split("\n")[2]).toBe(`Muted until ${time} by dana: from 2026-03-01 09:00 UTC`);
  });

  it("has the buttons of an answer, with its ids and channel", () => {
    const { blocks } = renderFailure(sampleMessage(), "C1");
    const actions = blocks.find(({ type }) => type === "actions");
    expect(actions).toMatchObject({
      elements: [
        { action_id: "open", url: expect.stringContaining(ID) },
        { action_id: "acknowledge", text: { text: "Acknowledge" }, value: `${ID} C1` },
        { action_id: "helpful", text: { text: "Same as before" }, value: expect.stringMatching(/ C1$/) },
        { action_id: "resolved", text: { text: "This resolved it" } },
        { action_id: "not_helpful", text: { text: "Not this" } },
        { action_id: "expected", text: { text: "This is expected" }, value: `${ID} C1` },
      ],
    });
  });

  it.each([
    ["that ended by itself", { lacksFix: true }, ["open", "helpful", "resolved", "not_helpful"]],
    ["with a fix", { lacksFix: false }, ["open", "helpful", "not_helpful"]],
    ["with a fix, of an unknown cause", { lacksFix: false, outcome: "unknown" as const }, ["open"]],
    ["that a later message has", { status: "superseded" as const }, ["open"]],
  ])("of a failure %s asks for no more than it lacks", (_name, changes, expected) => {
    const { blocks } = renderFailure(sampleMessage({ status: "resolved", ...changes }), "C1");
    const elements = blocks.flatMap((block) => (block.type === "actions" ? block.elements : []));
    expect(elements.map(({ action_id }) => action_id)).toEqual(expected);
  });

  it("without answer, address and anything to acknowledge has no buttons", () => {
    const empty = { triageId: null, outcome: null, link: null };
    for (const state of [{ isAcknowledged: true, isMuted: true }, { status: "resolved" as const }]) {
      const { blocks } = renderFailure(sampleMessage({ ...empty, ...state }), "C1");
      expect(blocks.map(({ type }) => type)).not.toContain("actions");
    }
  });

  it.each([
    ["message", renderFailure(hostile, "C1")],
    ["reply", renderReply({ event: "recurred", text: HOSTILE, isReturn: true, message: hostile })],
    ["summary", renderSummary(SUMMARY)],
    [
      "summary with long links",
      renderSummary({
        ...SUMMARY,
        worst: SUMMARY.worst.map((each) => ({ ...each, link: `https://d.example/${"a".repeat(200)}` })),
      }),
    ],
    ["handover", renderHandover(HANDOVER)],
  ])("with foreign text is within Slack's limits and mentions nobody: a %s", (_name, { text, blocks }) => {
    const texts = textsOf(blocks);
    for (const each of texts) {
      expect(each.length).toBeLessThanOrEqual(3_000);
      // Slack reads no mention in a code block. A time is no mention.
      const prose = each
        .replace(/<!date\^\d+\^[^|>]*\|[-\d]{10} [:\d]{5} UTC>/g, "")
        .replace(/```[^`]*(?:`{1,2}[^`]+)*```/g, "");
      expect(prose).not.toMatch(/<[!@#]|<https:\/\/evil|@here|\u202e/);
      expect((each.split("```").length - 1) % 2).toBe(0);
    }
    expect(blocks.length).toBeLessThanOrEqual(50);
    expect(texts.join("").length).toBeLessThanOrEqual(10_000);
    expect(text).not.toMatch(/<[!@#]|<https:\/\/evil|@here|\u202e/);
  });
});

/** Adaptive Cards 1.5, https://adaptivecards.io/explorer: the elements in use. */
const textRun = z.strictObject({
  type: z.literal("TextRun"),
  text: z.string().min(1),
  weight: z.enum(["Lighter", "Default", "Bolder"]).optional(),
  fontType: z.enum(["Default", "Monospace"]).optional(),
  isSubtle: z.boolean().optional(),
});
const card = z.strictObject({
  type: z.literal("message"),
  attachments: z
    .array(
      z.strictObject({
        contentType: z.literal("application/vnd.microsoft.card.adaptive"),
        contentUrl: z.null(),
        content: z.strictObject({
          $schema: z.url(),
          type: z.literal("AdaptiveCard"),
          version: z.literal("1.5"),
          msteams: z.strictObject({ width: z.literal("Full") }),
          body: z.array(z.strictObject({ type: z.literal("RichTextBlock"), inlines: z.array(textRun).min(1) })).min(1),
          actions: z
            .array(z.strictObject({ type: z.literal("Action.OpenUrl"), title: z.string(), url: z.url() }))
            .optional(),
        }),
      }),
    )
    .length(1),
});

it.each([
  ["a message", cardMessage({ kind: "failure", message: hostile })],
  ["a message without an address", cardMessage({ kind: "failure", message: sampleMessage({ link: null }) })],
  ["a summary", cardMessage({ kind: "summary", summary: SUMMARY })],
  ["a handover", cardMessage({ kind: "handover", handover: HANDOVER })],
  ["a reply", replyMessage({ event: "resolved", text: "Resolved.", isReturn: false, message: hostile })],
])("%s is an Adaptive Card of at most 28 kB", (_name, sent) => {
  const text = JSON.stringify(sent);
  expect(card.parse(JSON.parse(text)).attachments).toHaveLength(1);
  // The limit of Teams.
  expect(Buffer.byteLength(text)).toBeLessThan(28_000);
});

it("plain text has one line a fact, and the fix in the second", () => {
  const lines = plainContent({ kind: "failure", message: sampleMessage() }).split("\n");
  expect(lines.slice(0, 3)).toEqual([
    ...["Pod is crash looping (high): Known failure, 91 %", "Fixed before: Raised the memory limit"],
    "> OOMKilled, Exit Code: 137",
  ]);
  expect(plainContent({ kind: "failure", message: hostile })).not.toContain("\u202e");
  const handover = plainContent({ kind: "handover", handover: HANDOVER }).split("\n");
  expect(handover.slice(0, 2)).toEqual([
    "Handover, 2026-02-28 08:00 to 2026-03-01 08:00 UTC, without repeats, questions and samples",
    "Firing: 9",
  ]);
  expect(handover).toContain("- and 4 more");
});

it("a webhook is signed as Standard Webhooks has it", () => {
  // The example of the specification's libraries.
  const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  const signed = 'msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330.{"test": 2432232314}';
  expect(signatureOf(secret, signed)).toBe("g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
});

describe("the message of a failure", () => {
  const origin = "https://dejavu.example.com";
  const options = { event: "answered", origin, ticketOf: "pagerduty", mutes: [] } as const;

  it("names a fix of a failure that is only possibly the same, with its probability", () => {
    const result = sampleResult();
    const past = samplePastFix({ same_failure: false, probability: 0.4, fix: sampleShownFix() });
    const triage = { ...result, answer: { ...result.answer, worked_before: [past] } };
    const { fix, verdict } = failureMessage(sampleState({ triage }), options);
    expect(fix?.lead).toBe("Fixed before, 40 % the same failure");
    expect(fix?.text).toContain(past.fix?.text);
    expect(verdict).toMatch(/, \d+ %$/);
  });

  it("says once on how many services a group fires", () => {
    const group = (times: number) =>
      failureMessage(
        sampleState({
          times,
          services: 3,
          place: "3 services",
          incident: { title: "i/o timeout on 3 services", target: null },
        }),
        options,
      );
    expect([group(1).recurrence, group(2).recurrence]).toEqual([null, "2nd time in 1 min"]);
  });

  it("says of a duration or a place that stands alone that it fires so", () => {
    const state = sampleState();
    const recurrence = (each: typeof state) => failureMessage(each, options).recurrence;
    const since = new Date(Date.parse(state.last_at) - 4 * 60_000).toISOString();
    const long = { ...state, since, place: null };
    expect([long, { ...state, place: "2 pods" }, { ...long, place: "2 pods" }].map(recurrence)).toEqual([
      "Firing for 4 min",
      "Firing on 2 pods",
      "Firing for 4 min, on 2 pods",
    ]);
  });

  it("says in its title what fails, and where", () => {
    const { answer, ...others } = sampleResult();
    const evidence = [
      { quote: "exited with code 137", citations: [], text: "The kernel killed it.", supported: true, place: null },
    ];
    const triage = { ...others, answer: { ...answer, evidence } };
    const titleOf = (incident: Partial<FailureState["incident"]>, services = 1) =>
      failureMessage(sampleState({ triage, incident, services }), options).title;
    const titles = [
      { title: "HighErrorRate" },
      { title: "HighErrorRate on 3 services", target: null },
      { title: "HighErrorRate on 3 pods of checkout", target: null },
      { title: "Disk on db-1 is full", target: "db-1" },
      { title: "checkout restarts" },
      { title: "Pod is crash looping." },
      { title: "Ours", is_titled: true },
    ].map((incident) => titleOf(incident));
    expect(titleOf({ title: "Target is down on 25 services" }, 25)).toBe("Target is down on 25 services");
    expect(titles).toEqual([
      "HighErrorRate on checkout: exited with code 137",
      "HighErrorRate on 3 services: exited with code 137",
      "HighErrorRate on 3 pods of checkout: exited with code 137",
      "Disk on db-1 is full",
      "checkout restarts",
      "Pod is crash looping on checkout",
      "Ours",
    ]);
  });

  it("says what the answer lacks because a dependency was down, and nothing of other warnings", () => {
    const warnings = [
      { code: "dependency_timeout", dependency: "vector_store", message: "The vector store did not answer in time." },
      { code: "uncalibrated", dependency: "embedder", message: "Take them for an order." },
    ] as const;
    const message = failureMessage(sampleState({ triage: { ...sampleResult(), warnings } }), options);
    expect(textsOf(renderFailure(message, "C1").blocks).join("\n")).toContain(
      "*Incomplete:* The vector store did not answer in time.",
    );
    expect(message.lacks).toHaveLength(1);
  });

  it("without an answer says so", () => {
    const message = failureMessage(sampleState({ incident: { status: "failed" } }), { ...options, origin: null });
    expect(message).toMatchObject({
      verdict: "No answer: the investigation failed",
      triageId: null,
      link: null,
      fix: null,
    });
  });

  it("has the ticket of the target's system", () => {
    const tickets = [{ source: "pagerduty", fingerprint: "Q1", labels: {} }];
    expect(failureMessage(sampleState({ tickets }), options).ticket).toMatchObject({ fingerprint: "Q1" });
    expect(failureMessage(sampleState({ tickets }), { ...options, ticketOf: "opsgenie" }).ticket).toBeNull();
  });
});

const MUTE = { reason: "planned migration", owner: "dana", ends_at: "2026-03-01T18:00:00Z", muted: 12 };

it("a summary counts from the worst severity on", () => {
  const stored = { total: 3, open: 3, failures: 3, by_severity: { low: 1, critical: 2 }, worst: [] };
  expect(summaryOf(stored, { origin: null, mutes: [MUTE] })).toMatchObject({
    bySeverity: [
      ["critical", 2],
      ["low", 1],
    ],
    muted: ["Not shown here: 12 incidents muted: planned migration, until 2026-03-01 18:00 UTC, by dana"],
    link: null,
  });
});

it("of many mutes, ten have a line, and the others are counted", () => {
  const stored = { total: 1, open: 1, failures: 1, by_severity: { low: 1 }, worst: [] };
  const { muted } = summaryOf(stored, { origin: null, mutes: Array.from({ length: 12 }, () => MUTE) });
  expect(muted).toHaveLength(11);
  expect(muted.at(-1)).toBe("Not shown here: incidents of 2 more mutes");
});

it.each([
  [{}, "195 more incidents of 12 failures: 5 critical, 190 low; 40 are open"],
  [{ failures: 195, open: 195 }, "195 more incidents: 5 critical, 190 low"],
  [{ open: 0, failures: 1 }, "195 more incidents of 1 failure: 5 critical, 190 low; all have ended"],
])("the first line of a summary counts incidents, failures and what is open: %j", (changes, head) => {
  expect(renderSummary({ ...SUMMARY, ...changes }).text).toBe(head);
});
