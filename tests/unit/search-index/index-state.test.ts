import { describe, expect, it } from "vitest";
import { STORE_LIMITS } from "../../../functions/adapters/vector-store.ts";
import { SUMMARY_LENGTH } from "../../../functions/memory/past-answers.ts";
import { vectorRecord } from "../../../functions/search-index/index-state.ts";
import { bytesOf } from "../../../lib/text/text-weight.ts";

const document = {
  id: "a",
  source: null,
  chunkIndex: null,
  title: "[SESSION SUMMARY on-call-]",
  headingPath: [],
  writtenAt: new Date("2026-03-01T03:00:00Z"),
};

describe("the record of a text in another script", () => {
  it("stays within the bytes that every vector store takes, and ends with a whole character", () => {
    const body = "память 🔥 ".repeat(SUMMARY_LENGTH / 9);
    const facts = "Log: ошибка 🔥 ".repeat(200);
    const { text, metadata } = vectorRecord({ ...document, body, metadata: { facts, is_summary: true } }, [1]);
    expect(bytesOf(body)).toBeGreaterThan(STORE_LIMITS.textBytes);
    expect(bytesOf(text)).toBeLessThanOrEqual(STORE_LIMITS.textBytes);
    expect(`${document.title}\n\n${body}`.startsWith(text)).toBe(true);
    expect(bytesOf(String(metadata.facts))).toBeLessThanOrEqual(STORE_LIMITS.valueBytes);
    expect(facts.startsWith(String(metadata.facts))).toBe(true);
    expect(metadata.is_summary).toBe(true);
  });
});
