import { describe, expect, it } from "vitest";
import { silenceChanges } from "../../../functions/notifications/silence-events.ts";

const NOW = new Date("2026-03-01T03:00:00Z");
const ID = "7a1e6c52-9d0b-4c3e-8a4f-2b5d6e7f8091";
const EQUAL = { type: "TYPE_EQUAL", name: "alertname", pattern: "DiskFull" };

/** A silence as protojson writes it: empty fields are missing, 64-bit numbers are texts. */
const silence = (parts: object = {}) => ({
  id: ID,
  matchers: [EQUAL],
  matcherSets: [{ matchers: [EQUAL] }],
  startsAt: "2026-03-01T02:00:00.123456789Z",
  endsAt: "2026-03-01T05:00:00Z",
  createdBy: "dana",
  comment: "planned",
  ...parts,
});
const event = (name: string, parts?: object) => ({
  "@timestamp": "2026-03-01T02:59:00Z",
  clusterPosition: "1",
  data: { [name]: { silence: silence(parts), mutedAlert: { fingerprint: "1234", labels: {} } } },
});
const changeBy = (parts: object) => silenceChanges([event("silenceCreated", parts)], NOW)[0];

describe("the silences of Alertmanager's events", () => {
  it.each(["silenceCreated", "silenceUpdated", "silenceMutedAlert"])("mute by %s", (name) => {
    expect(silenceChanges([event(name)], NOW)).toEqual([
      {
        change: "mute",
        mute: {
          ...{ id: ID, incident_id: null, domain: null, reason: "planned", owner: "dana" },
          matchers: ['"alertname"="DiskFull"'],
          ends_at: "2026-03-01T05:00:00.000Z",
        },
      },
    ]);
  });

  it("end with the silence, and the last event of a silence counts", () => {
    const events = [event("silenceCreated"), event("silenceUpdated", { endsAt: "2026-03-01T02:59:00Z" })];
    expect(silenceChanges(events, NOW)).toEqual([{ change: "end", id: ID, by: "dana" }]);
  });

  it("keep the operators and any characters of their matchers", () => {
    const matchers = [
      { type: "TYPE_REGEXP", name: "my.label", pattern: "a|b" },
      { type: "TYPE_NOT_EQUAL", name: "team", pattern: 'x"y\\z' },
      { type: "TYPE_NOT_REGEXP", name: "pod" },
    ];
    expect(changeBy({ matchers, matcherSets: [] })).toMatchObject({
      mute: { matchers: ['"my.label"=~"a|b"', '"team"!="x\\"y\\\\z"', '"pod"!~""'] },
    });
  });

  it("are cut to 30 days, and have a reason and an owner", () => {
    expect(changeBy({ endsAt: "2027-01-01T00:00:00Z", comment: " ", createdBy: undefined })).toMatchObject({
      mute: { ends_at: "2026-03-31T03:00:00.000Z", reason: "silenced in Alertmanager", owner: "Alertmanager" },
    });
  });

  it.each<readonly [string, object]>([
    ["it has not begun", { startsAt: "2026-03-01T04:00:00Z" }],
    ["some receivers only", { receiverMatcherSets: [{ matchers: [EQUAL] }] }],
    ["several sets", { matcherSets: [{ matchers: [EQUAL] }, { matchers: [EQUAL] }] }],
    ["1 to 10 matchers", { matchers: [], matcherSets: [] }],
    ["repeat a group", { matcherSets: [{ matchers: [{ ...EQUAL, type: "TYPE_REGEXP", pattern: "(a+)+" }] }] }],
    ["cannot be read", { id: "x" }],
  ])("are left out where a mute would be another: %s", (reason, parts) => {
    expect(changeBy(parts)).toMatchObject({ change: "none", reason: expect.stringContaining(reason) });
  });

  it("are none of other events and of what is no event", () => {
    const created = { data: { alertCreated: { alert: { name: "DiskFull" } } } };
    expect(silenceChanges([created, {}, null, "x", { data: null }], NOW)).toEqual([]);
  });
});
