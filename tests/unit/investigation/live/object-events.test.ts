import { describe, expect, it } from "vitest";
import { observedEvents } from "../../../../functions/investigation/live/object-events.ts";
import { event } from "../../../support/cluster-objects.ts";

const at = (minute: number) => `2026-03-01T03:${String(minute).padStart(2, "0")}:00Z`;

describe("observedEvents", () => {
  it("begins with warnings, the newest first", () => {
    const events = [
      event({ reason: "Pulled", type: "Normal", last: at(9) }),
      event({ reason: "Unhealthy", last: at(1) }),
      event({ reason: "BackOff", last: at(5) }),
    ];
    expect(observedEvents(events).map(({ reason }) => reason)).toEqual(["BackOff", "Unhealthy", "Pulled"]);
  });

  it("adds the counts of events with the same text", () => {
    const events = [event({ count: 3, last: at(1) }), event({ count: 4, last: at(2) })];
    expect(observedEvents(events)).toMatchObject([{ count: 7, at: "2026-03-01T03:02:00.000Z" }]);
  });

  it("reads the newer form, in which a series counts", () => {
    const rest = { count: undefined, eventTime: at(1), series: { count: 12, lastObservedTime: at(8) } };
    expect(observedEvents([event({ last: null, rest })])).toMatchObject([
      { count: 12, at: "2026-03-01T03:08:00.000Z" },
    ]);
    const once = { count: undefined, eventTime: at(1) };
    expect(observedEvents([event({ last: null, rest: once })])).toMatchObject([
      { count: 1, at: "2026-03-01T03:01:00.000Z" },
    ]);
  });

  it("has at most 10, and none of another shape", () => {
    const many = Array.from({ length: 30 }, (_, i) => event({ message: `m${i}`, last: at(i) }));
    const events = observedEvents([...many, "text", null, { metadata: null }, event({ last: "never", message: "x" })]);
    expect(events).toHaveLength(10);
    expect(events[0]).toMatchObject({ message: "m29" });
  });
});
