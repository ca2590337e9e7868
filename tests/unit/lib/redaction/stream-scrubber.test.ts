import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { redact } from "../../../../lib/redaction/redact.ts";
import { createStreamScrubber } from "../../../../lib/redaction/stream-scrubber.ts";
import { SECRETS, SURVIVORS } from "./samples.ts";
import { cutInto, pieceLengths } from "./stream-pieces.ts";

/** Pushes the pieces; fails as soon as the output is not a prefix of the redacted text. */
function expectRedacted(pieces: readonly string[]): void {
  const { text: whole, counts } = redact(pieces.join(""));
  const scrubber = createStreamScrubber();
  let out = "";
  for (const piece of pieces) {
    out += scrubber.push(piece);
    if (!whole.startsWith(out)) expect(out).toBe(whole.slice(0, out.length));
  }
  expect(out + scrubber.end()).toBe(whole);
  expect(scrubber.counts).toEqual(counts);
}

const text = fc
  .array(
    fc.oneof(
      fc.constantFrom(...SECRETS.map((sample) => sample.text)),
      fc.constantFrom(...SURVIVORS),
      fc.constantFrom(" ", "\n", ": ", "=", '"', "'", "-----BEGIN ", "password", "Bearer ", "   ", "\\", "漢", "😀"),
      fc.string({ maxLength: 8 }),
    ),
    { maxLength: 8 },
  )
  .map((pieces) => pieces.join(""));

describe("createStreamScrubber", () => {
  it("returns the redacted text for any split, and never a part of a secret", () => {
    fc.assert(fc.property(text, pieceLengths, (whole, lengths) => expectRedacted(cutInto(whole, lengths))));
  });

  it("returns the redacted text for single characters", () => {
    fc.assert(fc.property(text, (whole) => expectRedacted(whole.split(""))));
  });

  it.each(SECRETS)("returns no part of the $marker: $text", ({ text: sample }) => {
    expectRedacted(sample.split(""));
    expectRedacted([...`before ${sample} after\n`]);
  });

  it("returns prose word by word", () => {
    const scrubber = createStreamScrubber();
    let out = "";
    for (const word of ["The ", "pod ", "restarts ", "because ", "memory "]) out += scrubber.push(word);
    expect(out).toBe("The pod restarts because ");
    expect(scrubber.push("is ")).toBe("memory ");
    expect(scrubber.end()).toBe("is ");
  });

  it("returns a line when it ends", () => {
    const scrubber = createStreamScrubber();
    expect(scrubber.push("connection refused\n")).toBe("connection refused\n");
  });

  it("returns nothing of a private key and goes on after its last line", () => {
    const scrubber = createStreamScrubber();
    expect(scrubber.push(`key:\n-----${"BEGIN"} PRIVATE KEY-----\n`)).toBe("key:\n");
    for (let i = 0; i < 100; i++) expect(scrubber.push(`${"QUJD".repeat(16)}\n`)).toBe("");
    expect(scrubber.push(`-----${"END"} PRIVATE KEY-----\nnext\n`)).toBe("[REDACTED_PRIVATE_KEY]\nnext\n");
  });
});
