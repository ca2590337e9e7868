import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { withoutName } from "../../../../lib/text/without-name.ts";

describe("withoutName", () => {
  it.each([
    ["gateway down: gateway", "gateway", "  down:  "],
    ["Gateway down", "gateway", "  down"],
    ["application: mapped by app", "app", "application: mapped by  "],
    ["postgres deadlock", "p", "postgres deadlock"],
    ["orders-db refused", " orders-db ", "  refused"],
    ["a+b (c) failed in a+b", "a+b", "  (c) failed in  "],
    ["web.1 and web11", "web.1", "  and web11"],
    ["orders down", "", "orders down"],
    ["orders down", "  ", "orders down"],
    ["größe größer", "größe", "  größer"],
  ])("turns %j without %j into %j", (text, name, rest) => {
    expect(withoutName(text, name)).toBe(rest);
  });

  it("escapes special characters of the name", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (name) => {
        fc.pre(name.trim() !== "" && !/[‹›]/.test(name));
        expect(withoutName(`‹ ${name.trim()} ›`, name).replace(/\s/g, "")).toBe("‹›");
      }),
    );
  });
});
