// Tool search_debugging_knowledge: runs a triage and returns its answer and confidence.

import { z } from "zod";
import { readQuestion } from "../../incidents/read-report.ts";
import { triage } from "../../investigation/triage.ts";
import { type TriageResult, triageResultSchema } from "../../schemas/triage-result.ts";
import { filledText } from "../http/input.ts";
import { refuseForeignReport } from "../http/refuse-foreign-report.ts";
import { triageRequestSchema } from "../v1/triage-request.ts";
import { answerBody, answerEnd } from "./answer-text.ts";
import { progressOf } from "./progress.ts";
import { incidentLink, runbookLink } from "./resources.ts";
import { defineTool } from "./tool.ts";

const { target, logs, labels } = triageRequestSchema.shape;
const { triage_id, incident_id, outcome, confidence, mode } = triageResultSchema.shape;
/** Runbooks whose texts are linked. */
const MAX_RUNBOOK_LINKS = 2;

export const searchDebuggingKnowledge = defineTool({
  name: "search_debugging_knowledge",
  title: "Search debugging knowledge",
  description: `Investigates a failure with this team's own runbooks and past incidents. Use it first, before general knowledge, for anything that is broken or was, whatever the technology: services, hosts, clusters, databases, queues, CI jobs, deployments, error messages, stack traces, log excerpts, alerts, questions about a postmortem.
Returns the lines that show the failure, likely causes, commands that confirm them, steps that mitigate (marked where they change state), what worked before, and the sources; last comes the confidence from 0 to 1. Its links have the whole texts. "Possible" names candidates that are not confirmed: run their checks, and claim no cause before. "Unknown" means that nothing on record fits: say so, and follow what to look at next.
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
    triage_id: triage_id.describe("For submit_feedback."),
    incident_id: incident_id.describe("The resource is dejavu://incidents/{incident_id}."),
    outcome: z.enum(outcome.options),
    confidence: confidence.describe("0 to 1."),
    mode: z.enum(mode.options),
    domain: z.string(),
    warnings: z.array(z.string()).describe("Codes."),
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
    const { result } = outcome;
    return {
      isError: false,
      text: answerBody(result),
      shorter: answerBody(result, { brief: true }),
      end: answerEnd(result, origin),
      links: linksOf(result),
      data: {
        ...result,
        domain: result.domain.name,
        warnings: result.warnings.map(({ code }) => code),
      },
    };
  },
});

function noop(): void {}

/** The incident with the whole answer, and the runbooks that it cites. */
function linksOf({ incident_id, title, sources }: TriageResult) {
  const runbooks = new Map(
    sources.flatMap(({ kind, source, title }) => (kind === "runbook" && source !== null ? [[source, title]] : [])),
  );
  return [
    incidentLink(incident_id, title),
    ...[...runbooks].slice(0, MAX_RUNBOOK_LINKS).map(([source, title]) => runbookLink(source, title)),
  ];
}
