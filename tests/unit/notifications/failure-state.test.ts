import { describe, expect, it } from "vitest";
import { spanOf } from "../../../functions/answer-view/time-text.ts";
import { DependencyError } from "../../../functions/dependencies.ts";
import {
  changesSince,
  firstEventOf,
  holderOf,
  isMuted,
  isSameState,
  ordinal,
  recurrenceOf,
  resolutionOf,
  shownStateOf,
} from "../../../functions/notifications/failure-state.ts";
import { concernsTarget, retryPauseMs } from "../../../functions/notifications/retry-pause.ts";
import { sampleState } from "./samples.ts";

const shown = shownStateOf(sampleState());
const RESOLVED = {
  status: "resolved",
  resolved_at: "2026-03-01T04:00:00Z",
  resolved_by: "dana",
  resolution: "Raised the limit",
} as const;
const REPEATED = { reports: 3, last_at: "2026-03-01T03:40:00Z", services: 4, place: "4 services" };
const AGAIN = { ...REPEATED, times: 3, since: "2026-03-01T03:40:00Z" };
const MUTE = { reason: "planned", owner: "dana", ends_at: "2026-03-01T18:00:00Z", muted: 1, open: 1 };
const SUCCESSOR = { id: "2", created_at: "2026-03-02T04:00:00Z" };
const ACKNOWLEDGED = { by: "dana", at: "2026-03-01T03:10:00Z" };
const CAME_BACK = { fix: "Raised the limit", helped_at: "2026-03-01T04:00:00Z", at: "2026-03-01T06:00:00Z" };

describe("what is new", () => {
  it.each([
    ["nothing", shown, sampleState(), []],
    [
      "a repeat, which is no other time",
      shown,
      sampleState(REPEATED),
      ["recurred: Still firing, for 40 min, on 4 services."],
    ],
    ["no repeat of what somebody has", shown, sampleState({ ...REPEATED, acknowledged: ACKNOWLEDGED }), []],
    [
      "its return before a message showed the end",
      shown,
      sampleState(AGAIN),
      ["! recurred: Firing again, 3rd time in 40 min, on 4 services."],
    ],
    [
      "its return, also of what somebody has",
      { ...shown, is_resolved: true },
      sampleState({ ...AGAIN, acknowledged: ACKNOWLEDGED }),
      ["! recurred: Firing again, 3rd time in 40 min, on 4 services."],
    ],
    [
      "a person's fix",
      shown,
      sampleState({ incident: RESOLVED }),
      ["resolved: Resolved by dana after 60 min: Raised the limit"],
    ],
    [
      "the end of its alerts",
      shown,
      sampleState({ incident: { ...RESOLVED, resolved_by: "grafana", resolution: null } }),
      ["resolved: Resolved after 60 min: all its alerts have ended."],
    ],
    [
      "that another incident has its alerts",
      shown,
      sampleState({ incident: { status: "resolved", merged_into: { id: "2", title: "The network is down" } } }),
      ["resolved: Merged into another incident: The network is down"],
    ],
    ["no repeat of what is muted", shown, sampleState({ ...REPEATED, mute: MUTE }), []],
    [
      "a repeat of what is muted in part",
      shown,
      sampleState({ ...REPEATED, mute: { ...MUTE, open: 2 } }),
      ["recurred: Still firing, for 40 min, on 4 services."],
    ],
    ["nothing that a later message says", shown, sampleState({ ...AGAIN, succeeded_by: SUCCESSOR }), []],
    ["no end of what is muted", shown, sampleState({ incident: RESOLVED, mute: MUTE }), []],
    [
      "the end of its mute",
      { ...shown, is_muted: true },
      sampleState(REPEATED),
      ["! recurred: The mute has ended, and it is still open, for 40 min, on 4 services."],
    ],
    ["a repeat after its end", { ...shown, is_resolved: true }, sampleState(), ["! recurred: Firing again."]],
    [
      "a fix that did not hold",
      { ...shown, is_resolved: true },
      sampleState({ ...AGAIN, came_back: CAME_BACK }),
      ["! fix_did_not_hold: The fix did not hold, it came back after 2 h: Raised the limit"],
    ],
    [
      "a repeat of a resolved one",
      { ...shown, is_resolved: true, has_fix: true },
      sampleState({ ...AGAIN, incident: RESOLVED }),
      [],
    ],
    [
      "a person's fix of what had ended by itself",
      { ...shown, is_resolved: true },
      sampleState({ incident: RESOLVED }),
      ["resolved: Resolved by dana after 60 min: Raised the limit"],
    ],
    [
      "another outcome",
      { ...shown, outcome: "unknown" as const, triage_id: "1" },
      sampleState(),
      ["answered: There is another answer: see the message."],
    ],
  ])("is %s", (_name, before, state, expected) => {
    expect(
      changesSince(before, state).map(({ event, text, isReturn }) => `${isReturn ? "! " : ""}${event}: ${text}`),
    ).toEqual(expected);
  });

  it("is seen in the state that a message shows", () => {
    expect(isSameState(shown, shownStateOf(sampleState()))).toBe(true);
    for (const changed of [
      sampleState({ incident: { severity: "critical" } }),
      sampleState({ incident: { title: "The cache leaks" } }),
      sampleState({ incident: { owner: "kim" } }),
      sampleState({ acknowledged: ACKNOWLEDGED }),
      sampleState({ mute: MUTE }),
      sampleState({ succeeded_by: SUCCESSOR }),
      sampleState({ incident: { resolution: "Raised the limit to 2 GiB" } }),
    ])
      expect(isSameState(shown, shownStateOf(changed))).toBe(false);
  });
});

it.each([
  ["answered", sampleState()],
  ["recurred", sampleState({ incidents: 2 })],
  ["resolved", sampleState({ incident: RESOLVED })],
  ["fix_did_not_hold", sampleState({ came_back: CAME_BACK, incidents: 2 })],
])("a first message is for the event %s", (event, state) => {
  expect(firstEventOf(state)).toBe(event);
});

it("who has it are words, until it is resolved", () => {
  const of = (owner: string | null, acknowledged: typeof ACKNOWLEDGED | null, status: "triaged" | "resolved") =>
    holderOf(sampleState({ acknowledged, incident: { owner, status } }));
  expect([of(null, null, "triaged"), of("kim", null, "triaged"), of("dana", ACKNOWLEDGED, "triaged")]).toEqual([
    ...[null, "Owner: kim", "Acknowledged by dana"],
  ]);
  expect([of("kim", ACKNOWLEDGED, "triaged"), of("kim", ACKNOWLEDGED, "resolved")]).toEqual([
    ...["Acknowledged by dana, owner: kim", null],
  ]);
});

it("how it ended names the later message", () => {
  expect(resolutionOf(sampleState({ succeeded_by: SUCCESSOR }))).toBe(
    "It is back since 2026-03-02 04:00 UTC: see the later message.",
  );
  expect(resolutionOf(sampleState({ incident: RESOLVED, succeeded_by: SUCCESSOR }))).toMatch(
    /^Resolved by dana after 60 min: Raised the limit\. It is back since/,
  );
});

it("a mute of some incidents is that of the message for none", () => {
  const some = sampleState({ mute: { ...MUTE, open: 6 } });
  expect([isMuted(some), isMuted(sampleState({ mute: MUTE }))]).toEqual([false, true]);
  expect(holderOf(some)).toBe("Muted until 2026-03-01 18:00 UTC by dana: planned (1 of 6 incidents)");
});

it("recurrence, ordinals and spans are words", () => {
  expect(recurrenceOf(sampleState())).toBeNull();
  expect([1, 2, 3, 4, 11, 12, 13, 21, 112].map(ordinal).join(" ")).toBe("1st 2nd 3rd 4th 11th 12th 13th 21st 112th");
  expect([0, 40, 119, 120, 2_879, 2_880].map((minutes) => spanOf(minutes * 60_000))).toEqual([
    ...["1 min", "40 min", "119 min", "2 h", "48 h", "2 days"],
  ]);
});

describe("the pause before another attempt", () => {
  const pause = (attempts: number, retryAfterMs?: number, random = 0.5) =>
    retryPauseMs(attempts, { retryAfterMs }, random);

  it("doubles up to half an hour, with jitter", () => {
    expect([1, 2, 3, 8, 9, 1_000].map((attempts) => pause(attempts))).toEqual([
      ...[15_000, 30_000, 60_000, 1_800_000, 1_800_000, 1_800_000],
    ]);
    expect([pause(1, undefined, 0), pause(1, undefined, 1)]).toEqual([12_000, 18_000]);
  });

  it("is as long as the target asks, for a day at most", () => {
    expect([pause(1, 600_000), pause(3, 1_000), pause(1, 1e12)]).toEqual([600_000, 60_000, 86_400_000]);
  });

  it.each(["timeout", "unreachable", "busy"] as const)("is that of the whole target after %s", (failure) => {
    expect(concernsTarget(new DependencyError("notification_target", failure, "no"))).toBe(true);
    expect(concernsTarget(new DependencyError("notification_target", "refused", "no"))).toBe(false);
  });
});
