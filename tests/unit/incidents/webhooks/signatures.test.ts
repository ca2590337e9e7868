import { describe, expect, it } from "vitest";
import { isSignedByGrafana, isSignedByPagerDuty } from "../../../../functions/incidents/webhooks/signatures.ts";

// Computed with: printf '%s' '{"event":{}}' | openssl dgst -sha256 -hmac a-secret-of-the-webhooks
const BODY = new TextEncoder().encode('{"event":{}}');
const SECRET = "a-secret-of-the-webhooks";
const PAGERDUTY = "16889e168182bb3cadf077c6d7ab0c9812da1cdaf0b4963332f367552cedd5dd";
const GRAFANA_TIMED = "5b9af55b9eedc2b5d52d0e98fa644642bcb9b275f2becbebe0c2935ede23ff81";
const now = new Date("2026-03-01T03:00:00Z");
const TIME = "1772334000";

describe("a signature of PagerDuty", () => {
  it.each([`v1=${PAGERDUTY}`, `v1=00,v1=${PAGERDUTY}`, `v1=${PAGERDUTY}, v1=00`, `v2=00,v1=${PAGERDUTY}`])(
    "is good: %s",
    (header) => {
      expect(isSignedByPagerDuty(BODY, header, SECRET)).toBe(true);
    },
  );

  it.each([undefined, "", "v1=", PAGERDUTY, `v0=${PAGERDUTY}`, `v1=${PAGERDUTY}0`, `v1=${PAGERDUTY.toUpperCase()}`])(
    "is bad: %s",
    (header) => {
      expect(isSignedByPagerDuty(BODY, header, SECRET)).toBe(false);
    },
  );
});

describe("a signature of Grafana", () => {
  const check = (signature: string | undefined, timestamp?: string) =>
    isSignedByGrafana(BODY, { signature, timestamp }, { secret: SECRET, now });

  it("covers the body, or its time and the body", () => {
    expect(check(PAGERDUTY)).toBe(true);
    expect(check(GRAFANA_TIMED, TIME)).toBe(true);
  });

  it("is bad for another time, none, or one that is no number", () => {
    expect(check(GRAFANA_TIMED, "1772334001")).toBe(false);
    expect(check(GRAFANA_TIMED)).toBe(false);
    expect(check(PAGERDUTY, TIME)).toBe(false);
    expect(check(GRAFANA_TIMED, "")).toBe(false);
    expect(check(undefined, TIME)).toBe(false);
  });

  it("is bad when it is older than five minutes", () => {
    const later = new Date(now.getTime() + 301_000);
    const given = { signature: GRAFANA_TIMED, timestamp: TIME };
    expect(isSignedByGrafana(BODY, given, { secret: SECRET, now: later })).toBe(false);
  });
});
