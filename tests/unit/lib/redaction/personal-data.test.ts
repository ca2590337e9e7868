import { describe, expect, it } from "vitest";
import { measure } from "../../../../bench/redaction/measure.ts";
import { loadSamples } from "../../../../bench/redaction/samples.ts";
import { redact } from "../../../../lib/redaction/redact.ts";
import { createStreamScrubber } from "../../../../lib/redaction/stream-scrubber.ts";

const samples = loadSamples("train", "personal");

describe("redaction of personal data", () => {
  it("catches the samples and leaves what stands beside them", () => {
    const { overreach, all } = measure(samples);
    expect(all.caught / all.total).toBeGreaterThanOrEqual(0.98);
    expect(overreach.map(({ output }) => output)).toEqual([]);
    expect(all.total).toBeGreaterThanOrEqual(120);
  });

  it("leaves ordinary lines of many technologies unchanged", () => {
    expect(measure(samples).changed.map(({ output }) => output)).toEqual([]);
    expect(samples.ordinary.length).toBeGreaterThanOrEqual(250);
    expect(new Set(samples.ordinary.map(({ technology }) => technology)).size).toBeGreaterThanOrEqual(25);
  });

  it("gives the same in a stream of single characters", () => {
    for (const text of [...samples.samples, ...samples.ordinary].map((sample) => sample.text)) {
      const scrubber = createStreamScrubber();
      const out = [...text].map((character) => scrubber.push(character)).join("") + scrubber.end();
      expect(out).toBe(redact(text).text);
    }
  });

  it.each([
    ["payout to DE89 3704 0044 0532 0130 00 failed", "payout to [REDACTED_IBAN] failed"],
    ["payout to DE89-3704-0044-0532-0130-00 failed", "payout to [REDACTED_IBAN] failed"],
    ["card 4111 1111 1111 1111 declined", "card [REDACTED_CC] declined"],
    ["SSN 078 05 1120 rejected", "SSN [REDACTED_SSN] rejected"],
    ["phone: 612 345 678, id 7", "phone: [REDACTED_PHONE], id 7"],
    ["Max <max@müller.de>", "Max <[REDACTED_EMAIL]>"],
  ])("replaces only the number in: %s", (text, expected) => {
    expect(redact(text).text).toBe(expected);
  });

  it.each([
    ["a wrong check digit", "account DE90370400440532013000", "ref 4111111111111112"],
    ["the end of a UUID", "incident fbcdfa72-927b-4d50-be90-120cc296bd7e"],
    ["no announcing word", "batch 219 09 9999", "rows 612 345 678", "job 111222333"],
    ["an announcing word of another number", "phone service took 1827364 ms", "call id 20261121030003"],
  ])("leaves numbers with %s", (_reason, ...texts) => {
    for (const text of texts) expect(redact(text).text).toBe(text);
  });
});
