import { describe, expect, it } from "vitest";
import { endOf } from "../../../cli/commands/mute.ts";
import { findMute, type Mute } from "../../../functions/notifications/mutes.ts";
import { sampleChanged } from "./samples.ts";

function mute(changes: Partial<Mute>): Mute {
  return {
    id: "one",
    incident_id: null,
    fingerprints: [],
    domain: null,
    matchers: [],
    reason: "planned",
    owner: "dana",
    starts_at: "2026-03-01T03:00:00Z",
    ends_at: "2026-03-01T04:00:00Z",
    muted: 0,
    failures: [],
    more_failures: 0,
    ...changes,
  };
}

describe("a mute", () => {
  it.each<readonly [string, Partial<Mute>, boolean]>([
    ["of the domain mutes", { domain: "docker" }, true],
    ["of another domain does not", { domain: "kafka" }, false],
    ["with labels that match mutes", { matchers: ['team="db"'] }, true],
    ["of the domain with other labels does not", { domain: "docker", matchers: ['team="web"'] }, false],
    ["of another incident with its fingerprint mutes", { incident_id: "other", fingerprints: ["e0e0", "4f1c"] }, true],
    ["of another incident does not", { incident_id: "other", fingerprints: ["e0e0"] }, false],
    ["of another incident without a fingerprint does not", { incident_id: "other" }, false],
    [
      "of the fingerprint in another domain does not",
      { incident_id: "other", fingerprints: ["e0e0", "4f1c"], domain: "kafka" },
      false,
    ],
  ])("%s", (_name, changes, expected) => {
    expect(findMute([mute(changes)], sampleChanged()) !== undefined).toBe(expected);
  });

  it("that ends last counts", () => {
    expect(findMute([mute({}), mute({ id: "two" })], sampleChanged())?.id).toBe("two");
  });
});

describe("the end of a mute", () => {
  const now = new Date("2026-03-01T03:00:00Z");

  it("is a time, or a span from now", () => {
    expect(endOf({ for: "90m" }, now)).toBe("2026-03-01T04:30:00.000Z");
    expect(endOf({ for: "2d" }, now)).toBe("2026-03-03T03:00:00.000Z");
    expect(endOf({ until: "2026-03-01T18:00Z" }, now)).toBe("2026-03-01T18:00:00.000Z");
  });

  it.each([{}, { for: "2h", until: "2026-03-01T18:00Z" }, { for: "tomorrow" }, { for: "2w" }, { until: "later" }])(
    "is refused as %o",
    (options) => {
      expect(() => endOf(options, now)).toThrow(/--(for|until)/);
    },
  );
});
