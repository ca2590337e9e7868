import { expect, it } from "vitest";
import { alertObject, namedFailure } from "../../../functions/incidents/alert-records.ts";

it.each<readonly [string, Record<string, string>, string | null, string | null]>([
  ["checkout-7c9f8d6b5-k9d2m", { pod: "checkout-7c9f8d6b5-k9d2m" }, "pod", "checkout"],
  ["web-1", { pod: "web-1", app: "shop" }, "pod", "shop"],
  [
    "web-1",
    { exported_pod: "web-1", pod: "ksm-0", job: "kube-state-metrics", service: "kube-state-metrics" },
    "pod",
    "web",
  ],
  ["10.0.0.7:9100", { instance: "10.0.0.7:9100" }, "instance", null],
  ["ledger", { service: "ledger" }, null, "ledger"],
  ["orders", {}, null, null],
])("the target %s with %o is a %s of %s", (target, labels, object_kind, service) => {
  expect(alertObject({ target, labels })).toEqual({ object_kind, service });
});

it.each([
  ["1>ERROR:  deadlock detected", "FATAL: deadlock detected while waiting for ShareLock", true],
  ["could not extend file: No space left on device", "write /var/lib/x: no space left on device", true],
  ["ERROR:  deadlock detected", "could not extend file: No space left on device", false],
])("%s and %s name one failure: %s", (a, b, isOne) => {
  expect(namedFailure(a)).not.toBeNull();
  expect(namedFailure(a) === namedFailure(b)).toBe(isOne);
});

it.each(["", "More than 5 % of the requests of billing-api fail.", "Pod is crash looping"])("%j names none", (text) => {
  expect(namedFailure(text)).toBeNull();
});
