// Step "check": runs the checks of the nearest runbooks against the sources of evidence, all at once. A check that fails or
// has no data is inconclusive, and the triage goes on.

import type { CheckResult, CheckVerdict } from "../../../lib/checks/check.ts";
import { type Judgement, judge } from "../../../lib/checks/judge.ts";
import type { EvidenceQuery } from "../../../lib/checks/scope/query.ts";
import type { DependencyFailure } from "../../dependencies.ts";
import { missingCredentialReason } from "../../evidence-sources/evidence-services.ts";
import type { Calibration } from "../../schemas/calibration.ts";
import type { EvidenceSourceDefinition } from "../../schemas/evidence/source.ts";
import type { Incident } from "../../schemas/incident.ts";
import type { Recall, RunCheck } from "../recall/recall-result.ts";
import type { InvestigationServices } from "../run/investigation-services.ts";
import type { EvidenceSession } from "./evidence-session.ts";
import { type PlannedCheck, planChecks } from "./plan-checks.ts";

/** The checks of the nearest runbooks, decided ones first. Empty without a source. */
export async function runChecks(
  services: Pick<InvestigationServices, "config" | "now">,
  session: EvidenceSession,
  work: {
    readonly incident: Incident;
    readonly recalled: Recall;
    readonly sources: readonly EvidenceSourceDefinition[];
    readonly calibration: Calibration;
    /** Start of the incident. */
    readonly start: Date;
  },
): Promise<RunCheck[]> {
  const { incident, recalled, sources, calibration, start } = work;
  if (sources.length === 0) return [];
  const now = services.now();
  // The running system may be healthy again.
  const past = now.getTime() - start.getTime() > LONG_PAST_MS ? start : null;
  const planned = planChecks(recalled.runbooks, {
    incident,
    sources,
    possibleThreshold: services.config.POSSIBLE_THRESHOLD,
    calibration,
    at: past ?? now,
  });
  const ran = await Promise.all(planned.map((check) => runCheck(session, check, past)));
  return ran.toSorted((a, b) => orderOf(a) - orderOf(b));
}

/** After this, a check asks about the start of the incident. Alerts repeat, and wait in queues, for minutes. */
const LONG_PAST_MS = 3_600_000;

const ORDER: readonly CheckVerdict[] = ["confirmed", "refuted", "inconclusive", "not_run"];

function orderOf({ result }: RunCheck): number {
  return ORDER.indexOf(result.verdict);
}

async function runCheck(session: EvidenceSession, planned: PlannedCheck, past: Date | null): Promise<RunCheck> {
  const { definition, plan } = planned;
  const open = openResult(planned);
  if (plan.state === "not_run") return { definition, result: { ...open, statement: plan.reason } };
  const { source, scoped } = plan;
  const connected = session.connect(source);
  if (connected.state !== "ready")
    return { definition, result: { ...open, statement: missingCredentialReason(connected.name) } };
  const { at, result } = await connected.ask(scoped.query);
  const answered = {
    ...open,
    query: session.guard.text(scoped.shown),
    source: source.name,
    server: connected.client.server,
    as_of: past !== null && asksAboutTime(scoped.query) ? past.toISOString() : null,
    checked_at: at.toISOString(),
    link: connected.client.linkTo(scoped.query),
  };
  if (!result.ok) {
    const statement = `the source ${FAILURES[result.error.failure]}`;
    return { definition, result: { ...answered, verdict: "inconclusive", statement } };
  }
  const judged = judge(definition, result.value);
  const { verdict, statement, rule, value } =
    past !== null && answered.as_of === null && judged.verdict === "refuted" ? inconclusiveNow(judged) : judged;
  // The values come from the running system: a log line or the name of an object may hold anything.
  const shown = { statement: session.guard.text(statement), value: value === null ? null : session.guard.text(value) };
  return { definition, result: { ...answered, verdict, rule, ...shown } };
}

/** Objects and statistics of a server are those of the present. */
function asksAboutTime(query: EvidenceQuery): boolean {
  return query.language === "promql" || query.language === "logql";
}

/** What is well long after the start refutes nothing: it may have failed then. */
function inconclusiveNow({ statement, value }: Judgement): Judgement {
  const reason = `only the present can be asked, over an hour after the start: ${statement}`;
  return { verdict: "inconclusive", statement: reason, rule: null, value };
}

const FAILURES: Readonly<Record<DependencyFailure, string>> = {
  timeout: "did not answer in time",
  unreachable: "cannot be reached",
  busy: "is overloaded or limits its use",
  refused: "refused the query",
  invalid_response: "sent an invalid response",
  schema_outdated: "sent an invalid response",
  model_mismatch: "sent an invalid response",
  cancelled: "was not waited for, because the caller disconnected",
};

/** The result before the check has run. */
function openResult({ definition, cause, runbook }: PlannedCheck): CheckResult {
  const { name, language, query, section } = definition;
  return {
    id: `check:${runbook.source}#${name}`,
    name,
    language,
    verdict: "not_run",
    statement: "",
    rule: null,
    value: null,
    query,
    cause,
    runbook: runbook.source,
    citations: [section],
    source: null,
    server: null,
    checked_at: null,
    as_of: null,
    link: null,
  };
}
