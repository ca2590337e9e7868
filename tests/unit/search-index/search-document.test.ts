import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { observationDocument } from "../../../functions/memory/observation.ts";
import { NO_SIGNATURE } from "../../../functions/schemas/failure-signature.ts";
import {
  contentHash,
  documentFromIndex,
  documentFromRow,
  documentRow,
  documentText,
  domainOf,
  indexMetadata,
  keywordText,
  type SearchDocument,
  storedText,
  textHash,
} from "../../../functions/search-index/search-document.ts";
import { chunkMarkdown } from "../../../lib/markdown/chunk-markdown.ts";

const CHUNK: SearchDocument = {
  id: "0011223344556677",
  source: "docker/host-disk-full.md",
  chunkIndex: 3,
  title: "Host disk full",
  headingPath: ["Confirm", "Linux"],
  body: "1. Look.\n\n   ```sh\n   df -h\n   ```",
  metadata: { kind: "runbook", incident_type: "disk_full", weight: 2, draft: false },
  writtenAt: new Date("2026-03-01T12:00:00.123Z"),
};

function throughIndex(document: SearchDocument): SearchDocument {
  return documentFromIndex({
    id: document.id,
    text: storedText(document),
    metadata: indexMetadata(document),
  });
}

describe("contentHash", () => {
  it("is a SHA-256 of the text and one of the metadata, in hex", () => {
    expect(contentHash(CHUNK)).toMatch(/^[0-9a-f]{64}\.[0-9a-f]{64}$/);
    expect(contentHash({ ...CHUNK })).toBe(contentHash(CHUNK));
  });

  it.each<[string, Partial<SearchDocument>]>([
    ["title", { title: "Host disk full!" }],
    ["heading path", { headingPath: ["Confirm"] }],
    ["cut of the heading path", { headingPath: ["Confirm › Linux"] }],
    ["order of the heading path", { headingPath: ["Linux", "Confirm"] }],
    ["body", { body: `${CHUNK.body} ` }],
    ["metadata's values", { metadata: { ...CHUNK.metadata, weight: 3 } }],
    ["metadata's types", { metadata: { ...CHUNK.metadata, weight: "2" } }],
    ["metadata's names", { metadata: { ...CHUNK.metadata, more: "" } }],
    ["absence of metadata", { metadata: {} }],
    ["place of a word", { title: "Host disk", headingPath: ["full", "Confirm", "Linux"] }],
  ])("changes with the %s", (_part, change) => {
    expect(contentHash({ ...CHUNK, ...change })).not.toBe(contentHash(CHUNK));
  });

  it("does not change with the order of the metadata", () => {
    const metadata = Object.fromEntries(Object.entries(CHUNK.metadata).reverse());
    expect(contentHash({ ...CHUNK, metadata })).toBe(contentHash(CHUNK));
  });

  it.each<[string, Partial<SearchDocument>]>([
    ["time of writing", { writtenAt: new Date(0) }],
    ["id", { id: "other" }],
    ["place in the file", { chunkIndex: 4 }],
  ])("does not change with the %s, so the document is not embedded again", (_part, change) => {
    expect(contentHash({ ...CHUNK, ...change })).toBe(contentHash(CHUNK));
  });
});

describe("textHash", () => {
  const textOf = (change: Partial<SearchDocument>) => textHash(contentHash({ ...CHUNK, ...change }));

  it("is equal for equal text with other metadata, so the vector is kept", () => {
    expect(textOf({ metadata: {} })).toBe(textOf({}));
    expect(textOf({})).toMatch(/^[0-9a-f]{64}$/);
  });

  it("differs for another title, heading or body", () => {
    expect(new Set([{}, { title: "x" }, { headingPath: [] }, { body: "x" }].map(textOf)).size).toBe(4);
  });
});

describe("the checks of a runbook", () => {
  const withCheck = (query: string): SearchDocument => ({
    ...CHUNK,
    body: `${CHUNK.body}\n\n\`\`\`promql {check=disk}\n${query}\n\`\`\`\n- confirms: any > 0.9: it is nearly full`,
  });

  it("are not searched, so a new or changed one keeps the vector and the terms", () => {
    expect(documentText(withCheck("a"))).toBe(documentText(CHUNK));
    expect(documentRow(withCheck("a")).terms).toEqual(documentRow(CHUNK).terms);
    expect(textHash(contentHash(withCheck("a")))).toBe(textHash(contentHash(CHUNK)));
  });

  it("are stored, so a changed one is stored again", () => {
    expect(new Set([CHUNK, withCheck("a"), withCheck("b")].map(contentHash)).size).toBe(3);
    expect(throughIndex(withCheck("a"))).toEqual(withCheck("a"));
  });

  it("are ordinary text in a note", () => {
    const note = { ...withCheck("zanzibar"), metadata: { kind: "note" } };
    expect(documentText(note)).toContain("zanzibar");
  });
});

describe("documentRow", () => {
  it("has the document, its hash and its terms", () => {
    expect(documentRow({ ...CHUNK, headingPath: [], title: "Disk", body: "Disks full. Disk!" })).toEqual({
      id: CHUNK.id,
      source: CHUNK.source,
      chunk_index: 3,
      title: "Disk",
      heading_path: [],
      body: "Disks full. Disk!",
      metadata: CHUNK.metadata,
      written_at: "2026-03-01T12:00:00.123Z",
      content_hash: contentHash({ ...CHUNK, headingPath: [], title: "Disk", body: "Disks full. Disk!" }),
      terms: { disk: 3, full: 1 },
    });
  });

  it("has no terms in a collection without a keyword index", () => {
    const row = documentRow(CHUNK, { isKeywordSearched: false });
    expect(row).toEqual({ ...documentRow(CHUNK), terms: {} });
  });

  it("converts back to an equal document", () => {
    expect(documentFromRow(documentRow(CHUNK))).toEqual(CHUNK);
  });
});

describe("keywordText", () => {
  const withFacts = (facts: string | number) => ({ ...CHUNK, metadata: { ...CHUNK.metadata, facts } });

  it("equals the embedded text without facts", () => {
    expect(keywordText(CHUNK)).toBe(documentText(CHUNK));
    expect(keywordText(withFacts(3))).toBe(documentText(CHUNK));
  });

  it("ends with the facts, which are not embedded", () => {
    const document = withFacts("Exit code: 137\nTarget: zanzibar");
    expect(keywordText(document)).toBe(`${documentText(CHUNK)}\nExit code: 137\nTarget: zanzibar`);
    expect(documentText(document)).toBe(documentText(CHUNK));
    expect(documentRow(document).terms).toMatchObject({ zanzibar: 1, "137": 1 });
  });
});

describe("the vector store record", () => {
  it("has flat metadata only", () => {
    expect(indexMetadata(CHUNK)).toEqual({
      kind: "runbook",
      incident_type: "disk_full",
      weight: 2,
      draft: false,
      source: "docker/host-disk-full.md",
      chunk_index: 3,
      document_title: "Host disk full",
      heading_path: '["Confirm","Linux"]',
      written_at: "2026-03-01T12:00:00.123Z",
    });
  });

  it("omits source and chunk index for a document without a file", () => {
    const metadata = indexMetadata({ ...CHUNK, source: null, chunkIndex: null });
    expect(metadata).not.toHaveProperty("source");
    expect(metadata).not.toHaveProperty("chunk_index");
  });

  it("converts back to an equal document", () => {
    expect(throughIndex(CHUNK)).toEqual(CHUNK);
  });

  it("keeps a title in the metadata separate from the document's title", () => {
    const document = { ...CHUNK, metadata: { ...CHUNK.metadata, title: "Of the file" } };
    expect(indexMetadata(document)).toMatchObject({ title: "Of the file", document_title: "Host disk full" });
    expect(throughIndex(document)).toEqual(document);
  });

  it("converts back to an equal observation", () => {
    const record = observationDocument({
      id: "3f2504e0-4f89-41d3-9a0c-0305e82c3301",
      domain: "general",
      title: "checkout is down",
      narrative: "No cause was confirmed.",
      facts: ["Type: unknown"],
      signature: NO_SIGNATURE,
      taskType: "unknown",
      target: null,
      severity: "high",
      toolsUsed: "",
      finalScore: 3,
      firstSeenAt: new Date("2026-03-01T12:00:00Z"),
      resolution: null,
    });
    expect(throughIndex(record)).toEqual(record);
  });

  it("keeps a body that begins with an indented line", () => {
    const [chunk] = chunkMarkdown("# Disk\n\n  df -h\n  df -i\n", "fallback", { size: 100, overlap: 0 });
    const document = { ...CHUNK, title: "Disk", headingPath: [], body: chunk?.body ?? "" };
    expect(document.body).toBe("  df -h\n  df -i");
    expect(throughIndex(document)).toEqual(document);
  });

  it("converts back to an equal document for any text", () => {
    const words = fc.string({ unit: "grapheme" }).map((value) => value.trim());
    fc.assert(
      fc.property(words, fc.array(words, { maxLength: 3 }), words, (title, headingPath, body) => {
        const document = { ...CHUNK, title, headingPath, body };
        expect(throughIndex(document)).toEqual(document);
      }),
    );
  });

  it("is readable without the fields that Dejavu writes", () => {
    expect(documentFromIndex({ id: "x", text: "Just text", metadata: { colour: "red" } })).toEqual({
      id: "x",
      source: null,
      chunkIndex: null,
      title: "",
      headingPath: [],
      body: "Just text",
      metadata: { colour: "red" },
      writtenAt: new Date(0),
    });
  });

  it.each(["not json", "{}", "[1]", "null"])("is readable with the heading path %j", (heading_path) => {
    const document = documentFromIndex({ id: "x", text: "T\n\nb", metadata: { document_title: "T", heading_path } });
    expect([document.title, document.headingPath, document.body]).toEqual(["T", [], "b"]);
  });

  it("has a valid time when the stored time is unreadable", () => {
    const document = documentFromIndex({ id: "x", text: "T", metadata: { written_at: "last tuesday" } });
    expect(document.writtenAt.getTime()).not.toBeNaN();
  });
});

describe("the domain of a document", () => {
  it.each([
    [{ domain: "redis" }, "redis"],
    [{ domain: 7 }, "general"],
    [{ kind: "runbook" }, "general"],
    [{}, "general"],
  ])("with the metadata %j is %s", (metadata, domain) => {
    expect(domainOf({ metadata })).toBe(domain);
    expect(domainOf(throughIndex({ ...CHUNK, metadata }))).toBe(domain);
  });
});
