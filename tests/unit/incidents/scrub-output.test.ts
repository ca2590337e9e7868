import { expect, it } from "vitest";
import { scrubOutput } from "../../../functions/incidents/guard-request.ts";
import { EMPTY_ANSWER } from "../../../functions/schemas/answer.ts";
import { SECRETS } from "../guardrails/redaction/samples.ts";
import { sampleResult } from "../investigation/samples.ts";

it("a candidate and a quotation leave without the secrets of stored texts", () => {
  const [sample] = SECRETS;
  if (!sample) throw new Error("There is no sample of a secret.");
  const { text: secret } = sample;
  const statement = { text: `Text ${secret}`, citations: [], supported: true };
  const step = { ...statement, command: `run ${secret}`, effect: null, undo: secret, from_source: true };
  const { answer } = scrubOutput(
    sampleResult({
      answer: {
        ...EMPTY_ANSWER,
        summary: { text: secret, citations: [] },
        evidence: [{ ...statement, quote: `FATAL ${secret}`, place: { line: 1, count: 1, time: null } }],
        possible_causes: [{ text: secret, title: secret, probability: 0.5, citations: [], confirm: [step] }],
      },
    }),
  );
  expect(JSON.stringify(answer)).not.toContain(sample.secret);
  expect(answer.evidence[0]?.quote).toContain("[REDACTED_");
  expect(answer.possible_causes[0]?.probability).toBe(0.5);
});
