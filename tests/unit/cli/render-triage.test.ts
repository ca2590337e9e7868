import { describe, expect, it } from "vitest";
import { renderTriage } from "../../../cli/render-triage.ts";
import { sampleResult } from "../investigation/samples.ts";

const WIDE = { width: 200, color: false, full: true };
const labelled = { name: "redis", rule: "label job=redis", decided_by: "label", looked_further: false } as const;

describe("the facts of a triage", () => {
  it("name the domain and what chose it", () => {
    expect(renderTriage(sampleResult({ domain: labelled }), WIDE)).toContain("· domain redis (label job=redis) · type");
  });

  it("say that the search left a domain that held nothing relevant", () => {
    expect(renderTriage(sampleResult({ domain: { ...labelled, looked_further: true } }), WIDE)).toContain(
      "· domain redis (label job=redis) · nothing relevant in redis; other domains were searched · type",
    );
  });
});
