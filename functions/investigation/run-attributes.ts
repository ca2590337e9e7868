// Span attributes of an investigation's steps. Pure functions; the tracer scrubs, cuts and hides the values.

import { CHECK_VERDICTS, type CheckVerdict } from "../../lib/checks/check.ts";
import type { GuardFindings } from "../incidents/guard-request.ts";
import type { Incident } from "../schemas/incident.ts";
import type { TriageResult } from "../schemas/triage-result.ts";
import { type Attributes, input, metadata, output, SemanticConventions } from "../telemetry/openinference.ts";
import type { RunCheck } from "./recall/recall-result.ts";
import type { TriageOutcome } from "./run/run-outcome.ts";

/** The report after the guard. */
export function reportAttributes(incident: Incident, runId: string): Attributes {
  const { title, question, target, logs } = incident;
  const parts = [title, question === title ? null : question, target && `Target: ${target}`, logs && `Logs:\n${logs}`];
  return {
    ...input(parts.filter((part) => part !== null).join("\n")),
    [SemanticConventions.SESSION_ID]: incident.sessionId,
    "dejavu.incident_id": incident.id,
    "dejavu.run_id": runId,
  };
}

/** The root's last attributes. A repeated request has no incident or run of its own, so these override earlier ones. */
export function outcomeAttributes(outcome: TriageOutcome): Attributes {
  if (outcome.state !== "answered") {
    // The trace of the first request has all other attributes.
    const recorded = outcome.state === "replayed" ? outcome.result : null;
    return {
      "dejavu.state": outcome.state,
      [SemanticConventions.SESSION_ID]: recorded?.session_id ?? null,
      "dejavu.incident_id": recorded?.incident_id ?? null,
      "dejavu.triage_id": recorded?.triage_id ?? null,
      "dejavu.run_id": null,
    };
  }
  const { result } = outcome;
  const { guardrails, usage, domain, critique } = result;
  const codes = result.warnings.map(({ dependency, code }) => `${dependency}:${code}`);
  return {
    ...output(result.answer.summary.text),
    ...metadata({
      incident_id: result.incident_id,
      triage_id: result.triage_id,
      domain: domain.name,
      incident_type: result.incident_type.name,
      severity: result.severity,
      mode: result.mode,
      outcome: result.outcome,
      confidence: result.confidence,
    }),
    [SemanticConventions.TAG_TAGS]: [domain.name, result.mode, result.outcome, result.traffic],
    "dejavu.state": outcome.state,
    "dejavu.triage_id": result.triage_id,
    "dejavu.domain": domain.name,
    "dejavu.domain_rule": domain.rule,
    "dejavu.incident_type": result.incident_type.name,
    "dejavu.severity": result.severity,
    "dejavu.mode": result.mode,
    "dejavu.outcome": result.outcome,
    "dejavu.confidence.initial": critique?.initial_confidence ?? result.confidence,
    "dejavu.confidence.final": result.confidence,
    "dejavu.reflected": critique?.reflected ?? false,
    "dejavu.critique.feedback": critique?.feedback,
    ...findingAttributes(guardrails),
    "dejavu.warnings": codes,
    "dejavu.persisted": result.persisted,
    "dejavu.model_calls": usage.calls,
    "dejavu.tokens": usage.input_tokens + usage.output_tokens,
    "dejavu.cost_usd": usage.cost_usd,
  };
}

export function findingAttributes({ injection_blocked, lines_removed, redacted }: GuardFindings): Attributes {
  const counts = Object.entries(redacted);
  return {
    "dejavu.pii_scrubbed": counts.length > 0,
    ...Object.fromEntries(counts.map(([kind, count]) => [`dejavu.redacted.${kind.toLowerCase()}`, count])),
    "dejavu.lines_removed": lines_removed,
    "dejavu.injection_blocked": injection_blocked,
  };
}

/** Counts of what verification and scrubbing removed from the answer. */
export function removedAttributes({ guardrails, answer }: TriageResult): Attributes {
  return {
    ...output(answer.summary.text),
    "dejavu.citations_removed": guardrails.citations_removed,
    "dejavu.links_removed": guardrails.links_removed,
    "dejavu.statements_removed": guardrails.statements_removed,
  };
}

/** Counts of the verdicts, and the checks with their verdicts. */
export function checkAttributes(checks: readonly RunCheck[]): Attributes {
  const count = (verdict: CheckVerdict) => checks.filter(({ result }) => result.verdict === verdict).length;
  return {
    ...output(checks.map(({ result }) => `${result.verdict}: ${result.id}`).join("\n")),
    ...Object.fromEntries(CHECK_VERDICTS.map((verdict) => [`dejavu.checks.${verdict}`, count(verdict)])),
  };
}
