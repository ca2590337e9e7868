import { describe, expect, it } from "vitest";
import { SETTING_GROUPS, settingsSchema } from "../../../functions/config/settings.ts";

describe("docs/reference/settings.md", () => {
  it("has each setting once, with a meaning", () => {
    const names = Object.values(SETTING_GROUPS).flatMap((group) => Object.keys(group));
    expect(names.toSorted()).toEqual(Object.keys(settingsSchema.shape).toSorted());
    const meanings = Object.values(SETTING_GROUPS).flatMap((group) => Object.values(group));
    expect(meanings.filter(({ description = "" }) => description.length < 10)).toEqual([]);
  });
});
