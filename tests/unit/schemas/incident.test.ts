import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { recallQuery, truncate } from "../../../functions/schemas/incident.ts";
import { sampleIncident } from "../investigation/samples.ts";

describe("truncate", () => {
  it("leaves a text alone that is short enough", () => {
    expect(truncate("12345", 5)).toBe("12345");
    expect(truncate("", 5)).toBe("");
  });

  it("marks where it cut", () => {
    expect(truncate("123456", 5)).toBe("1234…");
  });

  it("leaves no space before the mark", () => {
    expect(truncate("one two three", 9)).toBe("one two…");
  });

  it("cuts no character in two", () => {
    expect(truncate("ab🐳cd", 4)).toBe("ab…");
    expect(truncate("ab🐳cd", 5)).toBe("ab🐳…");
  });

  it("keeps to the length and to well-formed text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 1, max: 40 }), (text, length) => {
        const cut = truncate(text, length);
        expect(cut.length).toBeLessThanOrEqual(length);
        expect(cut.isWellFormed()).toBe(true);
        expect(text.startsWith(cut.replace(/…$/, ""))).toBe(true);
      }),
    );
  });
});

describe("recallQuery", () => {
  it("asks for the type in words, then the title", () => {
    expect(recallQuery(sampleIncident({ title: "api-gateway is gone", type: { name: "oom_killed", rule: "" } }))).toBe(
      "oom killed api-gateway is gone",
    );
  });

  it("leaves an unknown type out", () => {
    expect(recallQuery(sampleIncident({ title: "api-gateway is gone", type: { name: "unknown", rule: "" } }))).toBe(
      "api-gateway is gone",
    );
  });

  it("adds a question that is not the title", () => {
    const unknown = { name: "unknown", rule: "" };
    expect(recallQuery(sampleIncident({ title: "Down", question: "Why?", type: unknown }))).toBe("Down Why?");
    expect(recallQuery(sampleIncident({ title: "Why?", question: "Why?", type: unknown }))).toBe("Why?");
  });
});
