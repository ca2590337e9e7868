import { expect, it } from "vitest";
import { developerSettings } from "../../../dev/start/developer-settings.ts";
import { MODEL_PROVIDER_SETTINGS } from "../../../functions/adapters/model-providers/index.ts";

it("the local Worker gets the settings of each provider of models, and no other variable", () => {
  const settings = Object.fromEntries(Object.keys(MODEL_PROVIDER_SETTINGS).map((name) => [name, "a value"]));
  expect(developerSettings({ ...settings, MODEL: "", HOME: "/home/dana" })).toEqual(settings);
});

it("the local Worker gets the secrets of notification targets and of sources of evidence", () => {
  const secrets = { NOTIFY_BUS: "https://bus.example/hook", EVIDENCE_ORDERS_DB: "dejavu_checks:choose-one" };
  expect(developerSettings({ ...secrets, MY_EVIDENCE_ORDERS: "a", NOTIFYING: "b" })).toEqual(secrets);
});
