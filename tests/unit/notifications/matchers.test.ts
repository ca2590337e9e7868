import { describe, expect, it } from "vitest";
import { matchesAll, parseMatcher } from "../../../functions/notifications/matchers.ts";

const LABELS = { team: "db", service: "api-gateway", quote: 'a "b" \\', "k8s.pod.name": "web", "größe (m)": "3" };

describe("a matcher", () => {
  it.each([
    ['team="db"', true],
    ["team=db", true],
    [' team="web" ', false],
    ['team!="web"', true],
    ['missing=""', true],
    ['missing!=""', false],
    ['service=~"api-.+"', true],
    ['service=~"api"', false],
    ['service=~"web|api-gateway"', true],
    ['service!~"api-.*"', false],
    ['missing!~".+"', true],
    ['quote="a \\"b\\" \\\\"', true],
    ['service=~"[a-z]+-(?:gateway|proxy)"', true],
    ["constructor=~.+", false],
    ['"k8s.pod.name"="web"', true],
    ["k8s.pod.name=~w.+", true],
    ['"größe (m)" != "4"', true],
  ])("%s", (matcher, expected) => {
    expect(parseMatcher(matcher)).toMatchObject({ ok: true });
    expect(matchesAll([matcher], LABELS)).toBe(expected);
  });

  it.each([
    ["team", "must be a matcher"],
    ["=db", "must be a matcher"],
    ["team=db web", "must be a matcher"],
    ['größe (m)="3"', "must be a matcher"],
    ['""="db"', "must be a matcher"],
    ['team=~"("', "must have a valid regular expression"],
    ['team=~"(a+)+b"', "must not repeat a group"],
    ['team=~"(?=a)b"', "must have no back-reference"],
    ['team=~"(a)\\1"', "must have no back-reference"],
    ['team=~".*a.*b.*c.*"', "must have at most 3 repetitions"],
  ])("%s is refused", (matcher, message) => {
    expect(parseMatcher(matcher)).toEqual({ ok: false, message: expect.stringContaining(message) });
    expect(matchesAll([matcher], LABELS)).toBe(false);
  });

  it("ends soon with the dearest pattern and value", () => {
    const started = performance.now();
    expect(matchesAll(['team=~".*a.*a.*ab"'], { team: "a".repeat(100_000) })).toBe(false);
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});
