// Tool search_debugging_knowledge: runs a triage and returns its answer and confidence.

import { z } from "zod";
import { readQuestion } from "../../incidents/read-report.ts";
import { triage } from "../../investigation/triage.ts";
import { type TriageResult, triageResultSchema } from "../../schemas/triage-result.ts";
import { filledText } from "../http/input.ts";
import { refuseForeignReport } from "../http/refuse-foreign-report.ts";
import { triageRequestSchema } from "../v1/triage-request.ts";
import { answerText } from "./answer-text.ts";
import { progressOf } from "./progress.ts";
import { defineTool } from "./tool.ts";

const { target, logs, labels } = triageRequestSchema.shape;
const { answer, ...rest } = triageResultSchema.shape;
const { evidence, likely_causes, possible_causes, confirm, mitigate, worked_before, look_next } = answer.shape;

export const searchDebuggingKnowledge = defineTool({
  name: "search_debugging_knowledge",
  title: "Search debugging knowledge",
  description: `Investigates a failure with this team's own runbooks and past incidents. Use it first, before general knowledge, for anything that is broken or was, whatever the technology: services, hosts, clusters, databases, queues, CI jobs, deployments, error messages, stack traces, log excerpts, alerts, questions about a postmortem.
Returns the lines of the report that show the failure, the likely causes, commands that confirm them, steps that mitigate (marked where they change state), what worked before, and the sources, each with an id; last comes the confidence from 0 to 1. "Possible" names candidates that are not confirmed: run their checks, and claim no cause before. "Unknown" means that nothing on record fits: say so, and follow what to look at next.
Takes a few seconds, with a language model up to half a minute. Every call is recorded as an incident, so ask once about one failure, with the logs. For fixes alone, lookup_previous_fixes is quicker. A question about this session alone, such as "What did we find?" or "What did we rule out?", gets its past answers quoted.`,
  scope: "triage",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  input: z.strictObject({
    question: filledText(500_000).describe(
      "What is wrong, with the exact error message, code or exit status. Do not paraphrase those. Logs that are pasted here are read as logs.",
    ),
    target: target.describe("The service, host, container or object affected, such as `api-gateway`."),
    logs: logs.describe("The last part of the logs, verbatim. Secrets are removed before anything is stored."),
    labels: labels.describe(
      'Labels of the alert, such as {"job": "checkout", "instance": "10.0.0.7:9100"}. They choose the domain, the technology or team whose runbooks are searched first; {"domain": "payments"} names it.',
    ),
  }),
  output: z.object({
    triage_id: rest.triage_id.describe("For submit_feedback."),
    incident_id: rest.incident_id.describe("The resource is dejavu://incidents/{incident_id}."),
    outcome: rest.outcome,
    confidence: rest.confidence,
    mode: rest.mode,
    domain: rest.domain,
    summary: z.string(),
    evidence,
    likely_causes,
    possible_causes,
    confirm,
    mitigate,
    worked_before,
    look_next,
    sources: rest.sources,
    warnings: rest.warnings,
  }),
  async run(
    { question, target, logs, labels },
    { services, caller, sessionId, origin, cancelled, report, runInBackground },
  ) {
    const emit = report && progressOf(report);
    await refuseForeignReport(services, labels);
    report?.("Searching runbooks and past incidents.");
    const work = triage(
      services,
      { ...readQuestion(question, logs), target, labels, session_id: sessionId, reportedBy: caller.id },
      { idempotency: null, runInBackground, cancelled, ...(emit ? { emit } : {}) },
    );
    // The triage continues after the client disconnects, so that its result is stored.
    runInBackground(work.then(noop, noop));
    const outcome = await work;
    if (outcome.state !== "answered")
      throw new Error("A triage without an idempotency key must be answered, not replayed.");
    return { isError: false, text: answerText(outcome.result, origin), data: dataOf(outcome.result) };
  },
});

function noop(): void {}

function dataOf({ answer, ...result }: TriageResult) {
  return { ...result, ...answer, summary: answer.summary.text };
}
