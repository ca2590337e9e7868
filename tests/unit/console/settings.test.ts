import { describe, expect, it } from "vitest";
import { testAlert } from "../../../console/src/views/settings/connect-systems.ts";
import { labelsOf, labelsText, pairsOf, pairsText, wordsOf } from "../../../console/src/views/settings/form-text.ts";
import { type Target, targetDefinition, targetText } from "../../../console/src/views/settings/target-text.ts";
import { stateOf, validDescendants } from "../../../console/src/views/settings/token-family.ts";

import { alertmanager } from "../../../functions/incidents/webhooks/alertmanager.ts";

const NOW = Date.parse("2026-03-01T03:00:00Z");

function token(id: string, created_by: string, more: { revoked_at?: string; expires_at?: string } = {}) {
  return { id, created_by, revoked_at: null, expires_at: null, ...more };
}

describe("the tokens that end with one", () => {
  it("are the valid ones that were made with it, and with those", () => {
    const tokens = [
      token("a", "service"),
      token("b", "a"),
      token("c", "b"),
      token("d", "b", { revoked_at: "2026-02-01T00:00:00Z" }),
      token("e", "a", { expires_at: "2026-03-01T02:59:59Z" }),
      token("f", "service"),
    ];
    expect(validDescendants("a", tokens, NOW).map(({ id }) => id)).toEqual(["b", "c"]);
    expect(validDescendants("f", tokens, NOW)).toEqual([]);
  });

  it("have a state by the time", () => {
    expect(stateOf(token("a", "service", { expires_at: "2026-03-01T03:00:01Z" }), NOW)).toBe("valid");
    expect(stateOf(token("a", "service", { expires_at: "2026-03-01T03:00:00Z" }), NOW)).toBe("expired");
    expect(stateOf(token("a", "service", { revoked_at: "2026-03-01T02:00:00Z" }), NOW)).toBe("revoked");
  });
});

describe("a notification target", () => {
  it("has the options of its kind, and keeps what the form does not show", () => {
    const text = { ...targetText(null), name: "on-call", channel: " C024BE91L ", matchers: "team=db\n\n" };
    expect(targetDefinition(text, null)).toEqual({
      kind: "slack",
      options: { channel: "C024BE91L" },
      credential: null,
      min_severity: "info",
      domains: [],
      matchers: ["team=db"],
      handover: null,
    });
    const before = { kind: "pagerduty", options: { from: "a@example.com", url: "https://api.eu.pagerduty.com" } };
    const stored = { ...before, per_minute: 9 } as unknown as Target;
    const edited = { ...text, kind: "pagerduty" as const, from: "b@example.com" };
    expect(targetDefinition(edited, stored)).toMatchObject({
      options: { from: "b@example.com", url: "https://api.eu.pagerduty.com" },
      per_minute: 9,
    });
  });
});

describe("the test alert", () => {
  it("is one that the webhook takes", () => {
    const { alerts } = alertmanager.schema.parse(testAlert(NOW));
    expect(alerts).toMatchObject({ refused: [], readable: [{ labels: { alertname: "Watchdog" }, status: "firing" }] });
  });
});

describe("lists and pairs", () => {
  it("are read as people type them, and written back", () => {
    expect(wordsOf(" a, b\nc,,")).toEqual(["a", "b", "c"]);
    expect(pairsOf("X-Scope-OrgID = prod \n\nflag")).toEqual({ "X-Scope-OrgID": "prod", flag: "" });
    expect(labelsOf("cluster=eu| us\nquery=a=b")).toEqual({ cluster: ["eu", "us"], query: ["a=b"] });
    expect(pairsText({ a: "1", b: "2" })).toBe("a=1\nb=2");
    expect(labelsText({ cluster: ["eu", "us"] })).toBe("cluster=eu|us");
  });
});
