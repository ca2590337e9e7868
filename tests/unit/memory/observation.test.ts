import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fixEntry } from "../../../functions/memory/fixes.ts";
import {
  type Observation,
  observationDocument,
  observationFromDocument,
  observationRow,
  observationSchema,
} from "../../../functions/memory/observation.ts";
import { NO_SIGNATURE } from "../../../functions/schemas/failure-signature.ts";
import { documentRow, documentText } from "../../../functions/search-index/search-document.ts";
import { sampleFix, sampleObservation, sampleReport } from "./samples.ts";

const FIX = { text: "Raised the limit to 1 GiB.", by: "dana", at: new Date("2026-01-16T10:00:00Z") };
const documentOf = (changes: Partial<Observation> = {}) => observationDocument(sampleObservation(changes));
const throughIndex = (changes: Partial<Observation> = {}) => observationFromDocument(documentOf(changes));

describe("the document of an observation", () => {
  it("embeds title, type, target, severity and narrative, and the resolution once there is one", () => {
    expect(documentText(documentOf())).toBe(
      "api-gateway was OOMKilled\n\nType: oom_killed\nTarget: api-gateway\nSeverity: high\n\n" +
        "Covered oom killed on api-gateway in the docker domain. Its cache had grown.",
    );
    expect(documentText(documentOf({ resolution: FIX }))).toBe(
      `${documentText(documentOf())}\n\nResolution: Raised the limit to 1 GiB.`,
    );
  });

  it("leaves out a missing target and a missing narrative", () => {
    expect(documentText(documentOf({ target: null, narrative: "" }))).toBe(
      "api-gateway was OOMKilled\n\nType: oom_killed\nSeverity: high",
    );
  });

  it("embeds 1,500 characters of the narrative and all of the resolution", () => {
    const body = documentOf({ narrative: "n".repeat(2_000), resolution: { ...FIX, text: "r".repeat(2_000) } }).body;
    expect(body).toBe(
      `Type: oom_killed\nTarget: api-gateway\nSeverity: high\n\n${"n".repeat(1_499)}…\n\nResolution: ${"r".repeat(2_000)}`,
    );
    expect(documentOf({ narrative: "n".repeat(1_500) }).body).toContain("n".repeat(1_500));
  });

  it("is found by every word of a fact, which is not embedded", () => {
    const document = documentOf({ facts: ["Log: zanzibar refused", "Exit code: 137"] });
    expect(documentText(document)).not.toMatch(/zanzibar|137/);
    expect(documentRow(document).terms).toMatchObject({ zanzibar: 1, "137": 1 });
  });

  it("is the same text with other facts, so that its vector is kept", () => {
    const [one, other] = [documentOf({ facts: ["a"] }), documentOf({ facts: ["b"] })].map((each) => documentRow(each));
    expect(one?.content_hash.split(".")[0]).toBe(other?.content_hash.split(".")[0]);
    expect(one?.content_hash).not.toBe(other?.content_hash);
  });

  it("is under the record's id, belongs to no file and was written when the failure was first seen", () => {
    expect(documentOf()).toMatchObject({
      id: "incident-1",
      source: null,
      chunkIndex: null,
      title: "api-gateway was OOMKilled",
      headingPath: [],
      writtenAt: new Date("2026-01-15T08:30:00Z"),
    });
  });

  it("has as metadata what an incident is filtered by, and what recall needs while Postgres is unavailable", () => {
    expect(documentOf().metadata).toEqual({
      domain: "docker",
      incident_id: "incident-1",
      title: "api-gateway was OOMKilled",
      target: "api-gateway",
      search_words: "",
      severity: "high",
      incident_type: "oom_killed",
      tools_used: "runbooks,incidents,past_answers,procedures",
      stored_at: "2026-01-15T08:30:00.000Z",
      facts: "Type: oom_killed\nTarget: api-gateway",
      final_score: 8,
      resolved: false,
    });
    const unfinished = documentOf({ target: null, finalScore: null, resolution: { ...FIX, by: null } });
    expect(unfinished.metadata).not.toHaveProperty("final_score");
    expect(unfinished.metadata).toMatchObject({
      target: "",
      resolved: true,
      resolution: "Raised the limit to 1 GiB.",
      resolved_by: "",
      resolved_at: "2026-01-16T10:00:00.000Z",
    });
  });

  it("carries 3,000 characters of facts and 500 of a resolution in its metadata", () => {
    const { metadata } = documentOf({ facts: ["f".repeat(4_000)], resolution: { ...FIX, text: "r".repeat(600) } });
    expect(metadata).toMatchObject({ facts: `${"f".repeat(2_999)}…`, resolution: `${"r".repeat(499)}…` });
  });
});

describe("an observation from the index's copy", () => {
  it("has the fields of the index, and null for the rest", () => {
    const stored = sampleObservation({ resolution: FIX });
    expect(throughIndex(stored)).toEqual({
      ...stored,
      fingerprint: "",
      version: 0,
      writtenBy: "",
      occurrences: 1,
      lastSeenAt: stored.firstSeenAt,
      seenAt: [stored.firstSeenAt],
    });
  });

  it.each<[string, Partial<Observation>]>([
    ["has no target", { target: null }],
    ["has no score", { finalScore: null }],
    ["has a score of 0", { finalScore: 0 }],
    ["has no fix", { resolution: null }],
    ["has a fix without a name", { resolution: { ...FIX, by: null } }],
    ["has no narrative", { narrative: "" }],
    ["has no narrative but a fix", { narrative: "", resolution: FIX }],
    ["has no facts", { facts: [] }],
    ["has a narrative of paragraphs", { narrative: "One.\n\nTwo.\nThree.\n\nFour." }],
    ["has a fix of paragraphs", { resolution: { ...FIX, text: "One.\n\nResolution: two.\n\nThree." } }],
  ])("is the same if the record %s", (_case, changes) => {
    const { narrative, facts, target, finalScore, resolution } = sampleObservation(changes);
    expect(throughIndex(changes)).toMatchObject({ narrative, facts, target, finalScore, resolution });
  });

  it("treats an empty name as none", () => {
    expect(throughIndex({ resolution: { ...FIX, by: "" } }).resolution?.by).toBeNull();
  });

  const line = fc.string({ unit: "grapheme", maxLength: 80 }).map((text) => text.replace(/\s+/g, " ").trim());
  const fix = fc.option(line.filter((text) => text !== "").map((text) => ({ ...FIX, text })));

  it("has the same narrative and facts with any words", () => {
    const plain = line.filter((text) => !text.startsWith("Resolution: "));
    const facts = fc.array(
      line.filter((text) => text !== ""),
      { maxLength: 10 },
    );
    fc.assert(
      fc.property(plain, facts, fix, (narrative, storedFacts, resolution) => {
        expect(throughIndex({ narrative, facts: storedFacts, resolution })).toMatchObject({
          narrative,
          facts: storedFacts,
          resolution,
        });
      }),
    );
  });

  it("has nothing that the record lacks, with any lines", () => {
    const trick = fc.constantFrom("\n\n", "\n", "Resolution: ", "Type: ", "Severity: high", "  ");
    const text = fc.array(fc.oneof(trick, line), { maxLength: 6 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(text, fc.array(text, { maxLength: 4 }), fix, (narrative, facts, resolution) => {
        const read = throughIndex({ narrative, facts, resolution });
        expect(narrative).toContain(read.narrative);
        expect(read.facts).toEqual(facts.flatMap((fact) => fact.split("\n")).filter((fact) => fact !== ""));
        expect(read.resolution).toEqual(resolution);
      }),
    );
  });

  it("is readable where another program wrote it without our fields", () => {
    const document = {
      ...documentOf(),
      body: "Just text",
      metadata: { domain: 7, severity: "dire", final_score: 11, stored_at: "?" },
    };
    expect(observationFromDocument(document)).toMatchObject({
      domain: "general",
      narrative: "Just text",
      facts: [],
      target: null,
      severity: "medium",
      taskType: "unknown",
      finalScore: null,
      resolution: null,
      firstSeenAt: document.writtenAt,
    });
  });

  it("dates a fix without a time by the document", () => {
    const document = documentOf({ resolution: FIX });
    const metadata = { ...document.metadata, resolved_at: "last tuesday" };
    expect(observationFromDocument({ ...document, metadata }).resolution?.at).toEqual(document.writtenAt);
  });
});

describe("the row of an observation", () => {
  it("is that of its report", () => {
    expect(observationRow(sampleObservation(), sampleReport())).toEqual({
      incident_id: "incident-2",
      domain: "docker",
      fingerprint: "key-1",
      signature: NO_SIGNATURE,
      signature_version: 0,
      title: "api-gateway was OOMKilled",
      narrative: "Covered oom killed on api-gateway in the docker domain. Its cache had grown.",
      facts: ["Type: oom_killed", "Target: api-gateway"],
      written_by: "extractive",
      task: "Why does api-gateway restart?",
      task_type: "oom_killed",
      target: "api-gateway",
      severity: "high",
      tools_used: "runbooks,incidents,past_answers,procedures",
      final_score: 8,
      first_seen_at: "2026-02-10T08:00:00.000Z",
    });
  });
});

describe("an observation as the database returns it", () => {
  const row = {
    id: "incident-1",
    ...observationRow(sampleObservation(), sampleReport()),
    version: 3,
    effective_review_score: null,
    occurrences: 2,
    first_seen_at: "2026-01-15T08:30:00+00:00",
    resolution: null,
    resolved_by: null,
    resolved_at: null,
    targets: ["api-gateway"],
    seen_at: ["2026-01-15T08:30:00+00:00", "2026-02-10T08:00:00+00:00"],
    fixes: [],
  };

  it("is read with its times", () => {
    expect(observationSchema.parse(row)).toEqual(sampleObservation());
  });

  it("is read with its fix and the proofs of all fixes", () => {
    const retired = { at: FIX.at, reason: "a newer fix" };
    const fixes = [
      sampleFix(),
      sampleFix({ id: "fix-2", retired, cameBackAt: FIX.at }),
      sampleFix({ lastWorkedAt: null }),
    ];
    const read = observationSchema.parse({
      ...row,
      resolution: FIX.text,
      resolved_by: FIX.by,
      resolved_at: FIX.at.toISOString(),
      fixes: fixes.map(fixEntry),
    });
    expect(read).toMatchObject({ resolution: FIX, fixes });
  });

  it.each([
    ["severity", "dire"],
    ["domain", null],
    ["facts", "one"],
    ["version", 1.5],
  ])("is refused with a %s of %j", (field, value) => {
    expect(observationSchema.safeParse({ ...row, [field]: value }).success).toBe(false);
  });
});
