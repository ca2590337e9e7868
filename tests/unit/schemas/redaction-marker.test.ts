import { describe, expect, it } from "vitest";
import { REMOVED_LINE } from "../../../lib/injection/detect-injection.ts";
import { redact } from "../../../lib/redaction/redact.ts";
import { unmarkedLog, withoutMarkers } from "../../../lib/redaction/redaction-marker.ts";

describe("a text without markers", () => {
  it.each([
    ["login with [REDACTED_AWS_KEY] fails", "login with fails"],
    ["password=[REDACTED_PASSWORD] is wrong", "password= is wrong"],
    ['key "[REDACTED_API_KEY]" is wrong', 'key "" is wrong'],
    ["[REDACTED_EMAIL] cannot log in", "cannot log in"],
    ["it fails for [REDACTED_IP]", "it fails for"],
    ["dial [REDACTED_IP]:5432: refused", "dial :5432: refused"],
    ["a [REDACTED_TOKEN] [REDACTED_TOKEN] b", "a b"],
    ["token: [redacted] was refused", "token: was refused"],
    [`before\n${REMOVED_LINE}\nafter`, "before\n\nafter"],
    ["REDACTED and [REDACTION] stay", "REDACTED and [REDACTION] stay"],
  ])("of %j is %j", (text, expected) => {
    expect(withoutMarkers(text)).toBe(expected);
  });

  it.each([
    "contact jane.doe@acme.example now",
    "dial 203.0.113.77 now",
    "card 4111 1111 1111 1111 now",
    "password=hunter2Geheim now",
    `token ${"ghp_"}16C7e42F292c6912E7710c838347Ae178B4a now`,
  ])("holds none of the redaction of %j", (text) => {
    const { text: redacted, counts } = redact(text);
    expect(Object.keys(counts)).toHaveLength(1);
    expect(withoutMarkers(redacted)).not.toMatch(/redacted/i);
  });
});

describe("a log without markers", () => {
  const LOG = "start\n[REDACTED_TOKEN]\n\n  ERROR [REDACTED_IP] refused\nend";

  it("leaves out the lines that are nothing else, and keeps empty ones", () => {
    expect(unmarkedLog(LOG).text).toBe("start\n\n  ERROR refused\nend");
  });

  it("gives the place and the text of a line in the original log", () => {
    const log = unmarkedLog(LOG);
    expect([1, 2, 3, 4].map(log.lineOf)).toEqual([1, 3, 4, 5]);
    expect([1, 2, 3, 4].map(log.markedLine)).toEqual([
      undefined,
      undefined,
      "  ERROR [REDACTED_IP] refused",
      undefined,
    ]);
  });

  it("is the log itself if it holds none", () => {
    expect(unmarkedLog("a\nb")).toMatchObject({ text: "a\nb" });
    expect(unmarkedLog("a\nb").markedLine(1)).toBeUndefined();
  });
});
