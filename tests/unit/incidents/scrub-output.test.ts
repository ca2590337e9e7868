import { expect, it } from "vitest";
import { createGuard } from "../../../functions/incidents/guard-request.ts";
import { EMPTY_ANSWER } from "../../../functions/schemas/answer.ts";
import { redact } from "../../../lib/redaction/redact.ts";
import { sampleResult, sampleShownFix } from "../investigation/samples.ts";
import { SECRETS } from "../lib/redaction/samples.ts";
import { pastOf } from "../routes/slack/samples.ts";

const AT = "2026-01-15T08:30:00.000Z";

it("a candidate, a quotation and a past incident leave without the secrets of stored texts", () => {
  const [sample] = SECRETS;
  if (!sample) throw new Error("There is no sample of a secret.");
  const { text: secret } = sample;
  const statement = { text: `Text ${secret}`, citations: [], supported: true };
  const step = {
    ...statement,
    command: `run ${secret}`,
    effect: "unverified" as const,
    undo: secret,
    from_source: true,
  };
  const { answer, recalled } = createGuard(redact).output(
    sampleResult({
      recalled: {
        runbooks: [],
        incidents: [pastOf({ targets: [secret], alike: [secret], differs: [secret], resolution: secret })],
        past_answers: [],
        procedure: null,
        reranking: null,
      },
      answer: {
        ...EMPTY_ANSWER,
        summary: { text: secret, citations: [] },
        evidence: [{ ...statement, quote: `FATAL ${secret}`, place: { line: 1, count: 1, time: null } }],
        worked_before: [
          {
            ...statement,
            same_failure: true,
            probability: 0.5,
            alike: [secret],
            differs: [secret],
            recurrence: { count: 1, first_at: AT, last_at: AT, targets: [secret], more_targets: 0 },
            fix: sampleShownFix({ text: secret, by: secret, conditions: secret }),
            retired: [{ text: secret, reason: secret, at: AT }],
            also_helped: [{ text: secret, by: secret, tried: 1, worked: 1 }],
            did_not_hold: 0,
            did_not_help: [{ text: secret, times: 1 }],
          },
        ],
        possible_causes: [{ text: secret, title: secret, probability: 0.5, citations: [], confirm: [step] }],
      },
    }),
  );
  expect(JSON.stringify([answer, recalled])).not.toContain(sample.secret);
  expect(answer.evidence[0]?.quote).toContain("[REDACTED_");
  expect(answer.possible_causes[0]?.probability).toBe(0.5);
});
