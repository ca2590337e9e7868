import { describe, expect, it } from "vitest";
import {
  type ChangedIncident,
  messagesOf,
  mutedAt,
  onePerSubject,
} from "../../../functions/notifications/choose-targets.ts";
import type { NotificationTarget } from "../../../functions/notifications/target-definition.ts";
import { ID, sampleChanged, sampleTarget } from "./samples.ts";

const opens = (target: Partial<NotificationTarget>, incident: Partial<ChangedIncident> = {}) =>
  messagesOf([sampleTarget(target)], sampleChanged(incident)).map((message) => message.opens);

describe("a target", () => {
  it.each<readonly [string, Partial<NotificationTarget>, Partial<ChangedIncident>, boolean]>([
    ["without conditions gets an answer", {}, {}, true],
    ["of the domain gets it", { domains: ["kafka", "docker"] }, {}, true],
    ["of other domains does not", { domains: ["kafka"] }, {}, false],
    ["with a matcher that matches gets it", { matchers: ['team="db"', "target=~check.*"] }, {}, true],
    ["with one that does not match does not", { matchers: ['team="db"', "target!=checkout"] }, {}, false],
    ["of this severity and worse gets it", { min_severity: "high" }, { severity: "critical" }, true],
    ["of a worse severity does not", { min_severity: "critical" }, {}, false],
    ["of other outcomes does not", { outcomes: ["possible"] }, {}, false],
    [
      "of unknown outcomes gets a failed investigation",
      { outcomes: ["unknown"] },
      { outcome: null, status: "failed" },
      true,
    ],
    ["gets nothing before the investigation has ended", {}, { outcome: null, status: "investigating" }, false],
    ["gets no message that begins with the end", {}, { status: "resolved" }, false],
    ["of resolutions alone gets it then", { events: ["resolved"] }, { status: "resolved" }, true],
    ["of resolutions alone does not get the answer", { events: ["resolved"] }, {}, false],
    ["of recurrences gets the second incident", { events: ["recurred"] }, { is_repeat: true }, true],
    ["of fixes that did not hold gets one", { events: ["fix_did_not_hold"] }, { came_back: true }, true],
  ])("%s", (_name, target, incident, expected) => {
    expect(opens(target, incident)).toEqual([expected]);
  });

  it("that writes on tickets gets incidents of its system, one message an incident", () => {
    const pagerduty = { kind: "pagerduty" };
    expect(opens(pagerduty)).toEqual([]);
    const incident = sampleChanged({ sources: ["pagerduty"], record: "another" });
    expect(messagesOf([sampleTarget(pagerduty)], incident)).toMatchObject([{ subject: ID, opens: true }]);
    expect(messagesOf([sampleTarget()], incident)).toMatchObject([{ subject: "another" }]);
  });

  it("counts a mute if it would have shown the incident", () => {
    const targets = [sampleTarget(), sampleTarget({ name: "kafka", domains: ["kafka"] })];
    const tickets = sampleTarget({ name: "pd", kind: "pagerduty" });
    const messages = messagesOf([...targets, tickets], sampleChanged({ sources: ["pagerduty"] }));
    expect(mutedAt(messages, [...targets, tickets], "m").map(({ target, is_counted }) => [target, is_counted])).toEqual(
      [
        ["oncall", true],
        ["kafka", false],
        ["pd", false],
      ],
    );
  });

  it("gets no question and no evaluation, and nothing if this version lacks its kind", () => {
    expect(opens({}, { is_announced: false })).toEqual([]);
    expect(opens({ kind: "pager-of-next-year" })).toEqual([]);
  });
});

it("one failure has one message, that of its latest incident", () => {
  const target = sampleTarget();
  const incidents = ["2026-03-01T03:05:00Z", "2026-03-01T03:00:00Z"].map((opened_at, i) =>
    sampleChanged({ incident_id: `${i}`, opened_at, severity: i === 0 ? "info" : "high" }),
  );
  const messages = onePerSubject(incidents.flatMap((incident) => messagesOf([target], incident)));
  expect(messages).toMatchObject([{ incident_id: "0", opens: true }]);
  const ofTeam = sampleTarget({ matchers: ['team="db"'] });
  const [latest, earlier] = incidents.map((incident, i) => ({ ...incident, labels: { team: i === 0 ? "web" : "db" } }));
  const joined = onePerSubject([earlier, latest].flatMap((each) => (each ? messagesOf([ofTeam], each) : [])));
  expect(joined).toMatchObject([{ incident_id: "1", joins: true }]);
});
