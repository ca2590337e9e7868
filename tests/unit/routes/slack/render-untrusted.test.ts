import fc from "fast-check";
import { describe, it } from "vitest";
import { describeHit } from "../../../../functions/answer-view/past-incident-text.ts";
import type { IncidentWithHistory } from "../../../../functions/incidents/incident-records.ts";
import { fixEntry } from "../../../../functions/memory/fixes.ts";
import { fixDialog } from "../../../../functions/routes/slack/fix-dialog.ts";
import { renderFix, renderNoDialog } from "../../../../functions/routes/slack/render-fix.ts";
import { renderIncident, renderResolved, renderSimilar } from "../../../../functions/routes/slack/render-records.ts";
import { renderTriage } from "../../../../functions/routes/slack/render-triage.ts";
import { EMPTY_ANSWER, type Evidence, type Step } from "../../../../functions/schemas/answer.ts";
import type { FixEntry } from "../../../../functions/schemas/fix.ts";
import { OUTCOMES } from "../../../../functions/schemas/outcome.ts";
import type { TriageResult } from "../../../../functions/schemas/triage-result.ts";
import { samplePastFix } from "../../investigation/samples.ts";
import { sampleFix } from "../../memory/samples.ts";
import { INCIDENT, NO_ALERTS, pastOf, result } from "./samples.ts";
import { expectValidDialog, expectValidMessage } from "./slack-limits.ts";

const untrusted = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.string({ unit: "binary" }),
  fc.constantFrom(
    "",
    " ",
    "<!channel> <@U061F7AUR> <https://evil.example|log in> &lt;!here&gt;",
    "```\n<!here>\n``` `` ` *a _b ~c",
    // Longer than a text of a block.
    "&".repeat(4_000),
    "`".repeat(4_000),
    "😀 \n".repeat(2_000),
  ),
);
const ids = fc.array(fc.constantFrom("r1", "past-1", "unknown"), { maxLength: 30 });
const optional = fc.option(untrusted);
const statement = fc.record({ text: untrusted, citations: ids, supported: fc.boolean() });
const step = fc
  .tuple(
    statement,
    fc.record({ command: optional, undo: optional, from_source: fc.boolean() }),
    fc.constantFrom("changes_state", null),
  )
  .map(([text, action, effect]): Step => ({ ...text, ...action, effect }));
const evidence = fc
  .tuple(statement, optional)
  .map(([text, quote]): Evidence => ({ ...text, quote, place: { line: 1, count: 1, time: null } }));
const possibleCause = fc.record({
  text: untrusted,
  title: untrusted,
  probability: fc.double({ min: 0, max: 1, noNaN: true }),
  citations: ids,
  confirm: fc.array(step, { maxLength: 3 }),
});
const few = <T>(one: fc.Arbitrary<T>) => fc.array(one, { maxLength: 5 });
const fix = fc
  .record({
    text: untrusted,
    conditions: optional,
    tried: fc.nat(),
    worked: fc.nat(),
    last_worked_by: optional,
    last_worked_at: optional,
    came_back_at: optional,
    retired: fc.option(fc.record({ at: untrusted, reason: untrusted })),
  })
  .map((changes): FixEntry => ({ ...fixEntry(sampleFix()), ...changes }));
const past = fc
  .record({
    title: untrusted,
    target: optional,
    resolution: optional,
    resolved_by: optional,
    resolved_at: optional,
    last_seen_at: untrusted,
    occurrences: fc.nat(),
    relevant: fc.boolean(),
    alike: few(untrusted),
    differs: few(untrusted),
    targets: few(untrusted),
    fixes: few(fix),
  })
  .map((changes) => pastOf(changes));
const many = <T>(one: fc.Arbitrary<T>) => fc.array(one, { maxLength: 100, size: "max" });
/** As an answer shows it, and with a text that does not contain its fixes. */
const pastFix = fc.tuple(past, ids, fc.option(untrusted)).map(([hit, citations, text]) => {
  const described = describeHit(hit);
  return samplePastFix({ ...described, citations, text: text ?? described.text });
});
const pastAnswer = fc
  .record({ question: untrusted, answer: untrusted, asked_at: untrusted, relevant: fc.boolean() })
  .map((hit) => ({
    ...{ id: "m", session_id: "s", is_summary: false, net_rating: 0, score: 0, ranking, probability: 1 },
    ...hit,
  }));
const ranking = { cosine: 0, rating: 0, session: 0, decay: 1 };
const procedure = fc.option(
  fc.record({ query: untrusted, answer: untrusted, relevant: fc.boolean() }).map((hit) => ({
    ...{ id: "p", strategy: "", confidence: 1, use_count: 1, last_used_at: "", cosine: 1, probability: 1 },
    ...hit,
  })),
);
const warning = untrusted.map((message) => ({ code: "cancelled", dependency: "language_model", message }) as const);
const domain = fc.record({
  name: fc.constant("docker"),
  rule: untrusted,
  decided_by: fc.constant("words" as const),
  looked_further: fc.boolean(),
});
const triageResult = fc
  .record({
    mode: fc.constantFrom("model", "extractive"),
    title: untrusted,
    target: optional,
    domain,
    incident_type: fc.record({ name: untrusted, rule: untrusted }),
    outcome: fc.constantFrom(...OUTCOMES),
    confidence: fc.double({ min: 0, max: 1, noNaN: true }),
    answer: fc
      .record({
        summary: fc.record({ text: untrusted, citations: ids }),
        evidence: many(evidence),
        likely_causes: many(statement),
        possible_causes: many(possibleCause),
        confirm: many(step),
        mitigate: many(step),
        worked_before: many(pastFix),
        look_next: many(step),
      })
      .map((answer): TriageResult["answer"] => ({ ...EMPTY_ANSWER, ...answer })),
    sources: many(
      fc.record({
        id: fc.constantFrom("r1", "past-1"),
        kind: fc.constantFrom("runbook", "incident"),
        title: untrusted,
        source: optional,
        heading: untrusted,
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

/** A run has hundreds of texts. */
const FEW = { numRuns: Math.ceil((fc.readConfigureGlobal().numRuns ?? 100) / 2) };
/** As long as an id may be. */
const CHANNEL = "C".repeat(64);

describe("a message with untrusted text", () => {
  it("of a triage is within Slack's limits and holds no mentions or links", () => {
    fc.assert(
      fc.property(triageResult, (triage) => expectValidMessage(renderTriage(triage, CHANNEL))),
      FEW,
    );
  });

  it("of an incident is within Slack's limits and holds no mentions or links", () => {
    const incident = fc.record({
      title: untrusted,
      target: optional,
      resolution: optional,
      resolved_by: optional,
      resolved_at: optional,
      created_at: untrusted,
      status: fc.constantFrom("queued", "investigating", "triaged", "failed", "resolved"),
    });
    const events = many(fc.record({ at: untrusted, kind: untrusted }));
    fc.assert(
      fc.property(incident, events, fc.option(triageResult), (row, timeline, triage) => {
        const record: IncidentWithHistory = {
          incident: { ...INCIDENT, ...row },
          alerts: NO_ALERTS,
          events: timeline.map((event) => ({ ...event, detail: {} })),
          triage,
          observation: null,
          steps: [],
          run: null,
          mute: null,
          days_seen: [],
          shown_fixes: [],
          merged_ids: [],
        };
        expectValidMessage(renderIncident(record, CHANNEL));
        expectValidMessage(
          renderResolved({ state: "replaced", record, former: row.resolution ?? "" }, "Restarted it."),
        );
        expectValidMessage(renderFix({ state: "resolved", record }, { netRating: 1 }, "slack:T1:U1"));
      }),
      FEW,
    );
  });

  it("of a fix that was not recorded, and its dialog, are within Slack's limits and hold no mentions or links", () => {
    const fixId = fc.option(fc.uuid());
    fc.assert(
      fc.property(untrusted, untrusted, fixId, (title, text, id) => {
        const record = {
          incident: INCIDENT,
          alerts: NO_ALERTS,
          events: [],
          triage: null,
          observation: null,
          steps: [],
          run: null,
          mute: null,
          days_seen: [],
          shown_fixes: [],
          merged_ids: [],
        };
        expectValidMessage(renderFix({ state: "already_resolved", record, submitted: text }, "failed", "slack:T1:U1"));
        expectValidMessage(renderNoDialog("failed", INCIDENT.id, text));
        const responseUrl = `https://hooks.slack.com/${"x".repeat(1_900)}`;
        const thread = { channel: "C".repeat(64), ts: "1".repeat(64) };
        const place = { triageId: INCIDENT.id, incidentId: INCIDENT.id, channel: CHANNEL, responseUrl, thread };
        expectValidDialog(fixDialog({ title, suggestion: { text, origin: "past_fix", fixId: id }, place }));
      }),
      FEW,
    );
  });

  it("of similar records is within Slack's limits and holds no mentions or links", () => {
    const hits = fc.record({
      incidents: many(past),
      past_answers: many(pastAnswer),
      procedure,
      domain,
      warnings: many(warning),
    });
    fc.assert(
      fc.property(hits, (similar) => expectValidMessage(renderSimilar(similar))),
      FEW,
    );
  });
});
