import { describe, expect, it } from "vitest";
import { readEvidence } from "../../../../lib/logs/read-evidence.ts";
import type { Sample } from "./sample.ts";
import { LOG_SAMPLES } from "./samples-logs.ts";
import { OBJECT_SAMPLES } from "./samples-objects.ts";

const textsOf = ({ logs, headline = "It fails", target }: Sample) =>
  readEvidence({ headline, logs, target: target ?? null, labels: {} }).lines.map(({ text }) => text);

describe.each([
  ["a log", LOG_SAMPLES],
  ["an object", OBJECT_SAMPLES],
])("the error lines of %s", (_, samples) => {
  it.each(samples)("$name", (sample) => {
    const texts = textsOf(sample);
    const [heaviest = "", ...others] = sample.decisive;
    expect(texts[0]).toContain(heaviest);
    for (const fragment of others) expect(texts.join("\n")).toContain(fragment);
    for (const fragment of sample.absent ?? []) expect(texts.join("\n")).not.toContain(fragment);
  });
});
