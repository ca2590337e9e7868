import { describe, expect, it } from "vitest";
import { isSignedByGrafana } from "../../../../functions/incidents/webhooks/grafana.ts";
import { isSignedByPagerDuty } from "../../../../functions/incidents/webhooks/pagerduty.ts";

// Computed with: printf '%s' '{"event":{}}' | openssl dgst -sha256 -hmac a-secret-of-the-webhooks
const BODY = new TextEncoder().encode('{"event":{}}');
const secret = "a-secret-of-the-webhooks";
const PAGERDUTY = "16889e168182bb3cadf077c6d7ab0c9812da1cdaf0b4963332f367552cedd5dd";
const GRAFANA_TIMED = "5b9af55b9eedc2b5d52d0e98fa644642bcb9b275f2becbebe0c2935ede23ff81";
const now = new Date("2026-03-01T03:00:00Z");
const TIME = "1772334000";

function headersOf(headers: Readonly<Record<string, string | undefined>>): Headers {
  return new Headers(Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

describe("a signature of PagerDuty", () => {
  const isValid = (header: string | undefined) =>
    isSignedByPagerDuty(BODY, headersOf({ "x-pagerduty-signature": header }), { secret, now });

  it.each([`v1=${PAGERDUTY}`, `v1=00,v1=${PAGERDUTY}`, `v1=${PAGERDUTY}, v1=00`, `v2=00,v1=${PAGERDUTY}`])(
    "is valid: %s",
    (header) => {
      expect(isValid(header)).toBe(true);
    },
  );

  it.each([undefined, "", "v1=", PAGERDUTY, `v0=${PAGERDUTY}`, `v1=${PAGERDUTY}0`, `v1=${PAGERDUTY.toUpperCase()}`])(
    "is not valid: %s",
    (header) => {
      expect(isValid(header)).toBe(false);
    },
  );
});

describe("a signature of Grafana", () => {
  const isValid = (signature: string | undefined, timestamp?: string, at = now) =>
    isSignedByGrafana(
      BODY,
      headersOf({ "x-grafana-alerting-signature": signature, "x-grafana-alerting-timestamp": timestamp }),
      { secret, now: at },
    );

  it("covers the body, or its time and the body", () => {
    expect(isValid(PAGERDUTY)).toBe(true);
    expect(isValid(GRAFANA_TIMED, TIME)).toBe(true);
  });

  it("is not valid with another time, without one, or with one that is not a number", () => {
    expect(isValid(GRAFANA_TIMED, "1772334001")).toBe(false);
    expect(isValid(GRAFANA_TIMED)).toBe(false);
    expect(isValid(PAGERDUTY, TIME)).toBe(false);
    expect(isValid(GRAFANA_TIMED, "")).toBe(false);
    expect(isValid(undefined, TIME)).toBe(false);
  });

  it("is not valid when it is older than five minutes", () => {
    expect(isValid(GRAFANA_TIMED, TIME, new Date(now.getTime() + 301_000))).toBe(false);
  });
});
