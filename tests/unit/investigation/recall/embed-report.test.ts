import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { USUAL_SCALE } from "../../../../functions/adapters/embedder.ts";
import { embedReport, failureText } from "../../../../functions/investigation/recall/embed-report.ts";
import { searchText } from "../../../../functions/schemas/incident.ts";
import { sampleIncident, sampleServices } from "../samples.ts";

/** Services whose embedder returns the length of each text, or fails. */
function embedder(failure?: Error) {
  const requests: (readonly string[])[] = [];
  const embed = async (texts: readonly string[]) => {
    requests.push(texts);
    if (failure) throw failure;
    return texts.map(({ length }) => [length]);
  };
  return {
    requests,
    services: { ...sampleServices(), embedder: { model: "test", dimensions: 1, scale: USUAL_SCALE, embed } },
  };
}

describe("the vectors of a report", () => {
  it("are two, from one request", async () => {
    const { requests, services } = embedder();
    const incident = sampleIncident({ title: "api-gateway exited with code 137" });
    const { text, report, failure } = embedReport(services, incident);
    expect(text).toBe(searchText(incident));
    expect(await Promise.all([report, failure])).toEqual([[text.length], [failureText(incident, text).length]]);
    expect(requests).toEqual([[text, failureText(incident, text)]]);
  });

  it("do not depend on domain and type", async () => {
    const { requests, services } = embedder();
    const incident = sampleIncident();
    const other = { ...incident, type: { name: "unknown", rule: "" }, domain: { ...incident.domain, name: "redis" } };
    await Promise.all([incident, other].map((each) => embedReport(services, each).report));
    expect(requests[0]).toEqual(requests[1]);
  });

  it("fail together, and nobody has to wait for them", async () => {
    const error = new Error("no embedder");
    const { services } = embedder(error);
    const { report, failure } = embedReport(services, sampleIncident());
    await expect(report).rejects.toBe(error);
    await expect(failure).rejects.toBe(error);
    embedReport(services, sampleIncident());
  });
});

describe("the text of a failure", () => {
  const textOf = (changes: Parameters<typeof sampleIncident>[0]) => {
    const incident = sampleIncident(changes);
    return failureText(incident, searchText(incident));
  };

  it("leaves out the name of the target", () => {
    const text = textOf({ title: "api-gateway exited with code 137", target: "api-gateway" });
    expect(text).toContain("exited with code 137");
    expect(text).not.toContain("gateway");
  });

  it("is the name if the report is nothing else", () => {
    expect(textOf({ title: "api-gateway", target: "api-gateway" })).toContain("api-gateway");
  });

  it("ends with the error lines of the logs", () => {
    const logs = "starting\nFATAL: sorry, too many clients already\nbye";
    expect(textOf({ title: "checkout is slow", target: null, logs })).toContain("too many clients already");
  });

  it("is never empty for a report with words", () => {
    const words = fc.array(fc.stringMatching(/^[a-z]{3,8}$/), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(words, fc.option(words, { nil: null }), (title, target) => {
        expect(textOf({ title: title.join(" "), target: target?.join("-") ?? null }).trim()).not.toBe("");
      }),
    );
  });
});
