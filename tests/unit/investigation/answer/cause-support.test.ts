import { describe, expect, it } from "vitest";
import { confidenceOf, limitOf, outcomeOf } from "../../../../functions/investigation/answer/cause-support.ts";
import { createVerifier } from "../../../../functions/investigation/answer/verifier.ts";
import { verifyDraft } from "../../../../functions/investigation/answer/verify-draft.ts";
import { citableTexts } from "../../../../functions/investigation/evidence/citable-texts.ts";
import type { Draft } from "../../../../functions/investigation/prompts/synthesise.ts";
import type { Incident } from "../../../../functions/schemas/incident.ts";
import type { ErrorLine } from "../../../../lib/logs/evidence.ts";
import { recallOf, sampleDraft, sampleIncident, samplePastIncident, sampleRunbook, THRESHOLDS } from "../samples.ts";
import { KEPT, RUNBOOK } from "./verify-draft-samples.ts";

const LINE: ErrorLine = {
  text: "02:59:58 FATAL: heap limit reached, Allocation failed",
  line: 41,
  time: "02:59:58",
  count: 3,
  weight: 0.9,
};
const LOGS = `02:59:50 INFO cache warmed in 12 ms\n${LINE.text}\n`;
const evidenceOf = (weight: number, state: Incident["evidence"]["state"] = null) => ({
  lines: [{ ...LINE, weight }],
  state,
});

interface Case {
  readonly quote: string;
  readonly probability?: number;
  readonly evidence?: Incident["evidence"];
  readonly changes?: Partial<Draft>;
}

function verify({ quote, probability = 0.8, evidence = evidenceOf(0.9), changes = {} }: Case) {
  const recall = recallOf({
    runbooks: [
      sampleRunbook(RUNBOOK, { probability }),
      sampleRunbook("# Stopped\n\n- Look at its events: `docker events`.\n", {
        source: "stopped.md",
        probability: 0.5,
      }),
    ],
    incidents: [samplePastIncident("past-1", { resolution: "More memory.", probability: 0.6 })],
  });
  const verifier = createVerifier(
    sampleIncident({ logs: LOGS, evidence }),
    citableTexts(recall, { RUNBOOK_RECALL_LIMIT: 5 }),
    THRESHOLDS,
  );
  return verifyDraft(
    sampleDraft({ evidence: [{ quote, citations: ["R1"], text: "Words." }], hypotheses: [KEPT], ...changes }),
    verifier,
  );
}

describe("a model's cause", () => {
  it.each([
    ["an error line", "heap limit reached"],
    ["a whole error line with its time", LINE.text],
    ["an error line and its neighbour", `in 12 ms ${LINE.text}`],
  ])("may rest on a quote of %s", (_part, quote) => {
    expect(verify({ quote }).outcome).toBe("cause");
  });

  it.each([
    ["another line of the log", "cache warmed in 12 ms"],
    ["the headline, while an error line shows the failure", "exited with code 137"],
    ["the time of an error line", "02:59:58"],
    ["nothing", "exited with code 139"],
  ])("is a candidate if the answer quotes %s", (_part, quote) => {
    const { outcome, answer } = verify({ quote });
    expect([outcome, answer.likely_causes, answer.mitigate]).toEqual(["possible", [], []]);
  });

  it("may rest on a quote of the headline if no error line clearly shows the failure", () => {
    expect(verify({ quote: "exited with code 137", evidence: evidenceOf(0.3) }).outcome).toBe("cause");
    expect(verify({ quote: "heap limit reached", evidence: evidenceOf(0.3) }).outcome).toBe("cause");
    expect(verify({ quote: "cache warmed in 12 ms", evidence: evidenceOf(0.3) }).outcome).toBe("possible");
  });

  it.each([
    [0.3, "heap limit reached", "cause"],
    [0.29, "heap limit reached", "possible"],
    [0.15, "heap limit reached", "possible"],
    [0.14, "heap limit reached", "unknown"],
    [0.3, "cache warmed in 12 ms", "possible"],
    [0.29, "cache warmed in 12 ms", "unknown"],
  ] as const)(
    "whose source has the probability %d, with the quote %j, has the outcome %s",
    (probability, quote, outcome) => {
      expect(verify({ quote, probability }).outcome).toBe(outcome);
    },
  );

  it("rests on the best of its sources", () => {
    const hypotheses = [{ ...KEPT, citations: ["R1", "I1"] }];
    const { outcome, limit } = verify({ quote: "heap limit reached", probability: 0.1, changes: { hypotheses } });
    expect([outcome, limit]).toEqual(["cause", 0.6]);
  });

  it.each(["healthy", "recovered", "nothing_found"] as const)("is never stated for %s evidence", (name) => {
    const evidence = evidenceOf(0.9, { name, quote: "cache warmed", line: 1 });
    const { outcome, answer } = verify({ quote: "heap limit reached", evidence });
    expect([outcome, answer.likely_causes, answer.possible_causes]).toEqual(["unknown", [], []]);
  });
});

describe("candidates of a model", () => {
  const hypotheses = [
    { ...KEPT, citations: ["R3"], cause: "Somebody stopped it." },
    { ...KEPT, citations: ["R2"], cause: "It went over its limit." },
    { ...KEPT, verdict: "rejected" as const, cause: "The disk is full." },
  ];
  const confirm = [
    { citations: ["R3"], command: "docker events", text: "Look at the events." },
    { citations: ["R1"], command: "docker inspect api-gateway", text: "Look at the limit." },
    { citations: [], command: null, text: "Ask the team." },
  ];
  const { outcome, answer, limit } = verify({
    quote: "heap limit reached",
    changes: { outcome: "possible", hypotheses, confirm },
  });

  it("are ordered by probability, each with the checks of its runbook", () => {
    expect(outcome).toBe("possible");
    expect(limit).toBe(0.95);
    expect(
      answer.possible_causes.map((each) => [
        each.text,
        each.title,
        each.probability,
        each.confirm.map(({ text }) => text),
      ]),
    ).toEqual([
      ["It went over its limit.", "Killed", 0.8, ["Look at the limit."]],
      ["Somebody stopped it.", "Stopped", 0.5, ["Look at the events."]],
    ]);
    expect(answer.confirm.map(({ text }) => text)).toEqual(["Ask the team."]);
    expect(answer.hypotheses.map(({ verdict }) => verdict)).toEqual(["kept", "kept", "rejected"]);
  });

  it("come without a cause, a mitigation and the model's summary", () => {
    expect([answer.likely_causes, answer.mitigate, answer.prevention, answer.look_next]).toEqual([[], [], [], []]);
    expect(answer.summary.text).toBe('Possible: "Killed" (80 %) or "Stopped" (50 %).');
  });
});

describe("the outcome", () => {
  it("never becomes stronger than the model claims", () => {
    expect(outcomeOf("possible", ["cause"])).toBe("possible");
    expect(outcomeOf("unknown", ["cause"])).toBe("unknown");
  });

  it("of a claimed cause is that of its best hypothesis", () => {
    expect(outcomeOf("cause", ["none", "possible", "cause"])).toBe("cause");
    expect(outcomeOf("cause", ["none", "possible"])).toBe("possible");
    expect(outcomeOf("cause", ["none"])).toBe("unknown");
  });
});

describe("the confidence", () => {
  it.each([
    [0.9, 0.95, 0.9],
    [0.9, 0.65, 0.65],
    [0.2, 0.9, 0.2],
    [1, 1, 1],
  ])("of a critic's score %d and sources that allow %d is %d", (score, limit, confidence) => {
    expect(confidenceOf(score, limit)).toBe(confidence);
  });

  const source = (probability: number, isPastIncident = false) => ({
    id: "s",
    title: "S",
    probability,
    isPastIncident,
    mayStateCause: true,
  });

  it.each([
    ["a runbook", [source(0.5)], 0.65],
    ["a certain runbook", [source(1)], 1],
    ["a past incident", [source(0.5, true)], 0.5],
    ["several past incidents", [source(0.5, true), source(0.6, true), source(0.6, true)], 0.6],
    ["a runbook and a less probable past incident", [source(0.5), source(0.4, true)], 0.65],
    ["a runbook and a more probable past incident", [source(0.5), source(0.9, true)], 0.9],
    ["nothing", [], null],
  ])("is limited by %s", (_sources, sources, limit) => {
    expect(limitOf(sources)).toBe(limit);
  });

  it.each([
    [["R1"], 0.95],
    [["I1"], 0.6],
    [["R1", "I1"], 0.95],
  ])("of a cause that cites %j is at most %d", (citations, limit) => {
    expect(verify({ quote: "heap limit reached", changes: { hypotheses: [{ ...KEPT, citations }] } }).limit).toBe(
      limit,
    );
  });
});

describe("a step of a model", () => {
  const mitigation = { text: "Act.", effect: "changes_state" as const, rollback: null };

  it.each([
    ["a command of the runbook, with other values", "docker update --memory 1g api-gateway", ["R1"], true],
    ["a command of another section of the cited runbook", "docker update --memory 1g api-gateway", ["R2"], true],
    ["a command of a runbook that it does not cite", "docker update --memory 1g api-gateway", ["R3"], false],
    ["an invented command", "docker rm -f api-gateway", ["R1"], false],
    ["a command without a source", "docker update --memory 1g api-gateway", [], false],
  ])("is from a source by its command: %s", (_case, command, citations, isFromSource) => {
    const changes = { mitigate: [{ ...mitigation, citations, command }] };
    const { answer } = verify({ quote: "heap limit reached", changes });
    expect(answer.mitigate).toMatchObject([{ command, from_source: isFromSource, supported: isFromSource }]);
  });

  it("without a command is from a source, and supported by its citations", () => {
    const confirm = [
      { citations: ["R1"], command: null, text: "Look." },
      { citations: [], command: " ", text: "Ask." },
      { citations: ["R1"], command: "docker restart api-gateway", text: "Try." },
    ];
    const { answer } = verify({ quote: "heap limit reached", changes: { confirm } });
    expect(answer.confirm.map(({ command, supported, from_source }) => [command, supported, from_source])).toEqual([
      [null, true, true],
      [null, false, true],
      [null, true, true],
    ]);
  });
});
