import { describe, expect, it } from "vitest";
import { nextHandover } from "../../../functions/notifications/handover-time.ts";
import { restrictionProblem, targetInputSchema } from "../../../functions/notifications/target-definition.ts";
import { NOTIFICATION_KINDS } from "../../../functions/notifications/targets/index.ts";
import { sampleTarget } from "./samples.ts";

describe("a definition", () => {
  it.each([
    [{ kind: "slack", options: { channel: "#oncall" } }, "options.channel"],
    [{ kind: "slack", options: { channel: "C024BE91L", url: "https://x.example" } }, "options"],
    [{ kind: "slack", options: { channel: "C024BE91L" }, credential: "SLACK_BOT_TOKEN" }, "credential"],
    [{ kind: "teams" }, "credential"],
    [{ kind: "webhook", options: { url: "http://events.example.org" }, credential: "NOTIFY_X" }, "options.url"],
    [{ kind: "webhook", options: { url: "https://169.254.169.254/latest" }, credential: "NOTIFY_X" }, "options.url"],
    [
      { kind: "webhook", options: { url: "https://user:pw@events.example.org" }, credential: "NOTIFY_X" },
      "options.url",
    ],
    [{ kind: "pagerduty", options: { from: "nobody" }, credential: "NOTIFY_X" }, "options.from"],
    [{ kind: "slack", options: { channel: "C024BE91L" }, matchers: ["team"] }, "matchers.0"],
    [{ kind: "slack", options: { channel: "C024BE91L" }, window_minutes: 0 }, "window_minutes"],
    [{ kind: "slack", options: { channel: "C024BE91L" }, handover: "daily 24:00" }, "handover"],
    [
      {
        ...{ kind: "pagerduty", options: { from: "a@example.com" }, credential: "NOTIFY_X" },
        handover: "daily 08:00",
      },
      "handover",
    ],
    [{ kind: "pigeon" }, "kind"],
  ])("%j is refused", (input, field) => {
    const parsed = targetInputSchema.safeParse(input);
    expect(parsed.error?.issues.map(({ path }) => path.join("."))).toEqual([field]);
  });

  it("has defaults", () => {
    expect(targetInputSchema.parse({ kind: "slack", options: { channel: "C024BE91L" } })).toMatchObject({
      ...{ credential: null, domains: [], min_severity: "info", per_minute: 5, window_minutes: 1_440 },
      outcomes: ["cause", "possible", "unknown"],
    });
  });

  it("of each kind has a name of its own", () => {
    expect(new Set(NOTIFICATION_KINDS.map(({ name }) => name)).size).toBe(NOTIFICATION_KINDS.length);
  });
});

describe("the next handover", () => {
  const SUNDAY_NOON = new Date("2026-03-01T12:00:00.500Z");
  it.each([
    ["daily 12:01", "2026-03-01T12:01:00.000Z"],
    ["daily 12:00", "2026-03-02T12:00:00.000Z"],
    ["sunday 08:00", "2026-03-08T08:00:00.000Z"],
    ["saturday 23:59", "2026-03-07T23:59:00.000Z"],
  ])("of %s is later than now", (text, next) => {
    expect(nextHandover(text, SUNDAY_NOON)?.toISOString()).toBe(next);
  });
});

describe("a caller who is limited to domains", () => {
  const allowed = ["db", "web-shop"];
  const own = { domains: ["web-shop"], credential: "NOTIFY_WEB_SHOP__ONCALL" };
  it.each([
    [own, null],
    [{ ...own, credential: null }, "credential"],
    [{ ...own, credential: "NOTIFY_KAFKA__ONCALL" }, "credential"],
    [{ ...own, options: { url: "http://10.0.0.7/hook" } }, "options.url"],
    [{ ...own, options: { url: "https://events.example.com/hook" } }, null],
  ])("may define %j: %s", (target, field) => {
    expect(restrictionProblem(sampleTarget(target), allowed)?.field ?? null).toBe(field);
  });
});
