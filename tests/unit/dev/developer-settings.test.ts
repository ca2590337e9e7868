import { expect, it } from "vitest";
import { CONNECTION_SETTINGS } from "../../../dev/deploy/settings-file.ts";
import { developerSettings } from "../../../dev/start/developer-settings.ts";
import { settingsSchema } from "../../../functions/config/settings.ts";

it("the local Worker gets every setting but those that the stack makes, and no other variable", () => {
  const settings = Object.fromEntries(Object.keys(settingsSchema.shape).map((name) => [name, "a value"]));
  const own = ["DEJAVU_TOKEN", "SUPABASE_URL", "SUPABASE_SERVICE_ROLE_KEY", "CHROMA_URL", "CHROMA_TENANT"];
  expect(CONNECTION_SETTINGS).toEqual(expect.arrayContaining(own));
  const taken = developerSettings({ ...settings, SMALL_MODEL: "", HOME: "/home/dana" });
  expect(Object.keys(settings).filter((name) => !(name in taken))).toEqual(
    Object.keys(settings).filter((name) => name === "SMALL_MODEL" || CONNECTION_SETTINGS.includes(name)),
  );
  expect(taken).toMatchObject({ RETENTION_DAYS: "a value", PROMETHEUS_URL: "a value" });
  expect(taken).not.toHaveProperty("HOME");
});

it("the local Worker gets the secrets of notification targets and of sources of evidence", () => {
  const secrets = { NOTIFY_BUS: "https://bus.example/hook", EVIDENCE_ORDERS_DB: "dejavu_checks:choose-one" };
  expect(developerSettings({ ...secrets, MY_EVIDENCE_ORDERS: "a", NOTIFYING: "b" })).toEqual(secrets);
});
