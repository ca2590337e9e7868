// An answer of each outcome, for the tests of the command line's renderings.

import { EMPTY_ANSWER } from "../../../../functions/schemas/answer.ts";
import type { TriageResult } from "../../../../functions/schemas/triage-result.ts";
import { samplePastFix, sampleResult, sampleShownFix } from "../../investigation/samples.ts";
import { stepOf } from "../../routes/slack/samples.ts";

const runbook = (id: string, source: string, heading = "") => ({
  id,
  kind: "runbook" as const,
  title: source,
  source,
  heading,
});
const SOURCES = [
  runbook("limit-0", "shop/memory-limit.md"),
  runbook("limit-1", "shop/memory-limit.md", "Root causes"),
  runbook("leak-1", "shop/memory-leak.md", "Root causes"),
  { id: "past-1", kind: "incident" as const, title: "cart exited with code 137", source: null, heading: "" },
];
const claim = (text: string, ...citations: string[]) => ({ text, citations, supported: true });
const line = (quote: string, place: { line: number; count: number } | null) => ({
  ...claim("Somewhere in the report."),
  quote,
  place: place && { ...place, time: null },
});
const EVIDENCE = [
  line("FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory", { line: 41, count: 3 }),
  line("Killed", { line: 44, count: 1 }),
  line(`at com.example.shop.${"Checkout".repeat(30)}.pay(Checkout.java:118)`, { line: 45, count: 2 }),
  line("the fourth line is left to the full answer", null),
];
const CAUSES = [
  claim(
    "Memory limit below the working set. Use rises to the limit soon after start, then stays flat until the kill.",
    "limit-1",
  ),
  claim(
    `Memory leak. Use climbs steadily for hours, regardless of traffic. ${"Each kill comes after a similar uptime. ".repeat(5)}`,
    "limit-1",
  ),
  claim("Runtime heap larger than the limit.", "limit-1"),
  claim("The fourth cause is left to the full answer.", "limit-1"),
];
const CHECK = stepOf({
  text: "Compare the memory use with the limit.",
  command: "ctl stats <container> --namespace <namespace>",
  effect: "read_only",
  citations: ["limit-1"],
});
const MITIGATION = stepOf({
  text: "Raise the memory limit. The container restarts, so its connections are lost.",
  command: "ctl update <container> --memory <new-limit> &&\n  ctl restart <container>",
  effect: "changes_state",
  undo: "`ctl update <container> --memory <old-limit>`.",
  citations: ["limit-1"],
});
const FIX = samplePastFix({
  text: '2026-02-18 "cart exited with code 137". Fixed by: Raised the limit to 1 GiB. (dana, 2026-02-18).',
  citations: ["past-1"],
  same_failure: true,
  probability: 0.95,
  fix: sampleShownFix({
    text: "Raised the limit to 1 GiB.",
    tried: 4,
    worked: 3,
    last_worked_at: "2026-02-18T09:00:00Z",
  }),
  did_not_help: [{ text: "Restarting", times: 2 }],
  alike: ["exit 137"],
  differs: ["service api-gateway, then cart"],
  recurrence: {
    count: 2,
    first_at: "2026-02-11T00:00:00Z",
    last_at: "2026-02-18T00:00:00Z",
    targets: ["cart"],
    more_targets: 0,
  },
});
const PLACEHOLDERS = { "<container>": "api-gateway", "<namespace>": "shop" };
const LOOKS = [
  "Find out what changed in the last two hours.",
  "Read the first error in the log, not the last one.",
].map((text) => stepOf({ text, supported: false }));
const answerOf = (summary: string, changes: Partial<TriageResult["answer"]>, ...citations: string[]) => ({
  ...EMPTY_ANSWER,
  summary: { text: summary, citations },
  ...changes,
});

const cause = sampleResult({
  mode: "extractive",
  critique: null,
  confidence: 0.86,
  sources: SOURCES,
  placeholders: PLACEHOLDERS,
  recalled: { ...sampleResult().recalled, incidents: [] },
  answer: answerOf(
    "Container killed with exit code 137. A process in the container received SIGKILL, most often because it reached its limit.",
    { evidence: EVIDENCE, likely_causes: CAUSES, confirm: [CHECK, CHECK], mitigate: [MITIGATION, MITIGATION] },
    "limit-0",
  ),
});

/** By name. */
export const ANSWERS: Readonly<Record<string, TriageResult>> = {
  cause,
  "cause-fixed-before": { ...cause, answer: { ...cause.answer, worked_before: [FIX] } },
  "cause-of-a-model": sampleResult({
    confidence: 0.42,
    sources: SOURCES,
    answer: answerOf("It was killed at its memory limit.", {
      evidence: EVIDENCE.slice(0, 1),
      likely_causes: [claim("The limit is too low.", "limit-1"), claim("It leaks memory.", "leak-1")],
      confirm: [CHECK, stepOf({ text: "Watch the heap.", command: "heap watch", citations: ["leak-1"] })],
      mitigate: [stepOf({ text: "Wipe it.", command: "rm -r /data", supported: false, from_source: false })],
      worked_before: [samplePastFix({ text: "An older record. No fix recorded.", citations: ["past-1"] })],
    }),
    warnings: [
      {
        code: "dependency_timeout",
        dependency: "vector_store",
        message: `The vector store did not answer. ${"It may be busy. ".repeat(20)}`,
      },
    ],
  }),
  possible: {
    ...cause,
    outcome: "possible",
    confidence: 0.46,
    answer: answerOf("Possible: the runbook.", {
      evidence: EVIDENCE.slice(0, 1),
      possible_causes: [
        {
          text: "Its limit is too low.",
          title: "Memory limit",
          probability: 0.46,
          citations: ["limit-0"],
          confirm: [CHECK, CHECK],
        },
        {
          text: "It leaks.",
          title: "Memory leak",
          probability: 0.31,
          citations: ["leak-1"],
          confirm: [{ ...CHECK, effect: "unverified" }],
        },
        { text: "It looks similar.", title: "cart exited", probability: 0.3, citations: ["past-1"], confirm: [] },
      ],
    }),
  },
  unknown: {
    ...cause,
    outcome: "unknown",
    confidence: 0.05,
    sources: [],
    incident_type: { name: "unknown", rule: "default" },
    answer: answerOf("Unknown: no recalled runbook covers this, and no past incident resembles it. Add logs.", {
      look_next: LOOKS,
    }),
  },
  "not-stored": {
    ...cause,
    outcome: "unknown",
    confidence: 0,
    sources: [],
    persisted: false,
    answer: answerOf("Unknown: no runbook was recalled.", { evidence: EVIDENCE.slice(1, 2), look_next: LOOKS }),
    warnings: [
      {
        code: "dependency_unreachable",
        dependency: "database",
        message: "The database is unavailable, so the triage is not stored.",
      },
    ],
  },
  benign: {
    ...cause,
    outcome: "benign",
    confidence: 0.9,
    sources: [],
    answer: answerOf('No incident: the report shows a working system: "healthy".', {
      evidence: [line("healthy", { line: 2, count: 1 })],
    }),
  },
  recap: {
    ...cause,
    outcome: "unknown",
    confidence: 0,
    title: "What did we find?",
    target: null,
    sources: [{ id: "answer-1", kind: "past_answer", title: "Why does it restart?", source: null, heading: "" }],
    answer: answerOf(
      "Recap of 1 past answer of this session, newest first:\n\n- Why does it restart? Its limit is too low.",
      {},
      "answer-1",
    ),
  },
};
