import { describe, expect, it } from "vitest";
import {
  memoryUpdateColumns,
  NO_MEMORY_UPDATES,
  observationColumns,
} from "../../../functions/memory/memory-updates.ts";
import { observationDocument, observationRow } from "../../../functions/memory/observation.ts";
import { pastAnswerRow } from "../../../functions/memory/past-answers.ts";
import { procedureRow } from "../../../functions/memory/procedures.ts";
import { documentRow } from "../../../functions/search-index/search-document.ts";
import { sampleNewMemory, sampleNewProcedure, sampleObservation, sampleReport } from "./samples.ts";

const update = {
  observation: sampleObservation(),
  report: sampleReport(),
  hasNewText: true,
  replaces: null,
  repeatOf: "incident-1",
};

describe("the update of an observation", () => {
  it("is stored with its search document if its text is new", () => {
    expect(observationColumns(update)).toEqual({
      row: observationRow(update.observation, update.report),
      document: documentRow(observationDocument(update.observation)),
      replaces: null,
      repeat_of: "incident-1",
    });
  });

  it("has the document of a record of its own, without the fix, where it only counts", () => {
    const { document } = observationColumns({ ...update, hasNewText: false });
    expect(document.metadata).toMatchObject({ resolved: false });
    expect(document.body).not.toContain("Resolution: ");
  });

  it("names the text that it takes the place of by id and version, and nothing else of it", () => {
    expect(observationColumns({ ...update, replaces: sampleObservation() }).replaces).toEqual({
      id: "incident-1",
      version: 3,
    });
  });
});

describe("the row of a memory", () => {
  it("holds question and answer, and what the index will hold of them", () => {
    expect(pastAnswerRow(sampleNewMemory())).toEqual({
      id: "triage-1",
      domain: "docker",
      session_id: "session-1",
      triage_id: "triage-1",
      created_at: "2026-02-10T08:00:00.000Z",
      question: "Why does api-gateway restart?",
      answer: "Its cache had grown.",
      is_summary: false,
      metadata: { domain: "docker", session_id: "session-1", is_summary: false },
      content_hash: expect.stringMatching(/^[0-9a-f]{64}\.[0-9a-f]{64}$/),
    });
  });

  it.each([
    ["question", { question: "Another?" }],
    ["answer", { answer: "Another." }],
    ["session", { sessionId: "session-2" }],
    ["being a summary", { isSummary: true }],
  ])("has another hash for another %s", (_part, changes) => {
    expect(pastAnswerRow(sampleNewMemory(changes)).content_hash).not.toBe(
      pastAnswerRow(sampleNewMemory()).content_hash,
    );
  });

  it("has the same hash at another time, so that nothing is written again", () => {
    const later = pastAnswerRow(sampleNewMemory({ createdAt: new Date(0) }));
    expect(later.content_hash).toBe(pastAnswerRow(sampleNewMemory()).content_hash);
  });
});

describe("the memory updates of a triage", () => {
  it("are empty if there is nothing to learn", () => {
    expect(memoryUpdateColumns(NO_MEMORY_UPDATES)).toEqual({ shown: [] });
  });

  it("are stored layer by layer", () => {
    const memory = sampleNewMemory();
    const procedure = sampleNewProcedure();
    expect(
      memoryUpdateColumns({
        observation: update,
        memory,
        procedure: { procedure, mergeInto: "procedure-0" },
        shown: ["incident-1"],
      }),
    ).toEqual({
      shown: ["incident-1"],
      observation: observationColumns(update),
      past_answer: pastAnswerRow(memory),
      procedure: { row: procedureRow(procedure), merge_into: "procedure-0" },
    });
    expect(memoryUpdateColumns({ ...NO_MEMORY_UPDATES, procedure: { procedure, mergeInto: null } })).toEqual({
      shown: [],
      procedure: { row: procedureRow(procedure), merge_into: null },
    });
  });
});
