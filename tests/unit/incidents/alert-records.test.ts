import { expect, it } from "vitest";
import { alertObject } from "../../../functions/incidents/alert-records.ts";

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
