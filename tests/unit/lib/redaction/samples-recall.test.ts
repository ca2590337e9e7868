import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { measure } from "../../../../bench/redaction/measure.ts";
import { loadSamples } from "../../../../bench/redaction/samples.ts";
import { redact } from "../../../../lib/redaction/redact.ts";
import { createStreamScrubber } from "../../../../lib/redaction/stream-scrubber.ts";
import { cutInto, pieceLengths } from "./stream-pieces.ts";

const samples = loadSamples("train", "secrets");

describe("the samples of secrets", () => {
  const figures = measure(samples);

  it("are found", () => {
    expect(figures.all.total).toBeGreaterThanOrEqual(250);
    expect(figures.all.caught / figures.all.total).toBeGreaterThanOrEqual(0.98);
    expect(figures.overreach).toEqual([]);
  });

  it("leave ordinary lines alone", () => {
    expect(samples.ordinary.length).toBeGreaterThanOrEqual(100);
    expect(figures.changed.length).toBeLessThanOrEqual(2);
  });

  it("are hidden in a stream, however it is split", () => {
    const text = fc.array(fc.constantFrom(...samples.samples.map((sample) => sample.text)), {
      minLength: 1,
      maxLength: 3,
    });
    fc.assert(
      fc.property(text, pieceLengths, fc.constantFrom("\n", " "), (texts, lengths, separator) => {
        const whole = texts.join(separator);
        const scrubber = createStreamScrubber();
        const out =
          cutInto(whole, lengths)
            .map((part) => scrubber.push(part))
            .join("") + scrubber.end();
        expect(out).toBe(redact(whole).text);
      }),
    );
  });
});
