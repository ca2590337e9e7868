// The guard step: scrubs secrets and personal data from a request before anything is stored or searched. A question
// that tries to instruct a model is refused. In alert texts and logs only the offending lines are removed, because an
// attacker's log line must not stop a triage. Pure functions.

import type { CheckResult } from "../../lib/checks/check.ts";
import { detectInjection, neutraliseInjections } from "../../lib/injection/detect-injection.ts";
import type { InjectionCategory } from "../../lib/injection/injection-category.ts";
import type { Redact } from "../../lib/redaction/redact.ts";
import { plainText } from "../../lib/text/plain-text.ts";
import { rememberTexts } from "../../lib/text/remembered-texts.ts";
import type { PastFix, Step } from "../schemas/answer.ts";
import type { LiveEvidence } from "../schemas/live-evidence.ts";
import type { TriageResult } from "../schemas/triage-result.ts";
import type { TriageRequest } from "./create-incident.ts";

/** What was removed from a request. */
export type GuardFindings = Pick<TriageResult["guardrails"], "injection_blocked" | "lines_removed" | "redacted">;

export interface GuardedRequest {
  readonly request: TriageRequest;
  readonly findings: GuardFindings;
}

/** Guards and scrubs the texts of incidents with the redaction of this deployment. */
export interface Guard {
  /** What a request says, without secrets and instructions to a model. */
  readonly request: (request: TriageRequest) => GuardedRequest;
  /** One short text that is stored with a request. */
  readonly text: (text: string) => string;
  /** A result before it is sent: stored texts may be older than a redaction pattern. */
  readonly output: (result: TriageResult) => TriageResult;
  readonly recalled: (recalled: TriageResult["recalled"]) => TriageResult["recalled"];
  readonly runbook: <T extends RunbookTexts>(hit: T) => T;
}

export function createGuard(redact: Redact): Guard {
  return {
    request: (request) => guardRequest(request, redact),
    text: (text) => redact(neutraliseInjections(plainText(text)).text).text,
    ...createScrubber(redact),
  };
}

interface RunbookTexts {
  readonly title: string;
  readonly heading: string;
  readonly text: string;
}

function guardRequest(request: TriageRequest, redact: Redact): GuardedRequest {
  const redacted = new Map<string, number>();
  let linesRemoved = 0;
  const scrub = (text: string): string => {
    const result = redact(plainText(text));
    for (const [name, count] of Object.entries(result.counts)) redacted.set(name, (redacted.get(name) ?? 0) + count);
    return result.text;
  };
  const removeInjections = (text: string): string => {
    const result = neutraliseInjections(plainText(text));
    for (const count of Object.values(result.counts)) linesRemoved += count;
    return result.text;
  };
  const removeAndScrub = (text: string): string => scrub(removeInjections(text));
  const guardOptional = (text: string | undefined, guard: (text: string) => string) =>
    text === undefined ? undefined : guard(text);

  const blocked: InjectionCategory | null = detectInjection(plainText(request.question ?? ""))?.category ?? null;
  const guarded: TriageRequest = {
    ...request,
    title: guardOptional(request.title, removeAndScrub),
    question: guardOptional(request.question, scrub),
    target: guardOptional(request.target, removeAndScrub),
    logs: guardOptional(request.logs, removeAndScrub),
    runbook: guardOptional(request.runbook, removeAndScrub),
    expression: guardOptional(request.expression, removeAndScrub),
    labels: request.labels && guardLabels(request.labels, { removeInjections, scrub }),
  };
  return {
    request: guarded,
    findings: { injection_blocked: blocked, lines_removed: linesRemoved, redacted: Object.fromEntries(redacted) },
  };
}

/** Checks each value together with its key: "hunter2" alone is a word, and as db_password it is a secret. */
function guardLabels(
  labels: Readonly<Record<string, string>>,
  { removeInjections, scrub }: Readonly<Record<"removeInjections" | "scrub", (text: string) => string>>,
): Readonly<Record<string, string>> {
  const guarded = new Map<string, string>();
  for (const [name, value] of Object.entries(labels)) {
    const key = scrub(removeInjections(name));
    const withoutInjections = removeInjections(value);
    const pair = scrub(`${key}=${withoutInjections}`);
    const uniqueKey = guarded.has(key) ? `${key}_${guarded.size + 1}` : key;
    guarded.set(uniqueKey, pair.startsWith(`${key}=`) ? pair.slice(key.length + 1) : scrub(withoutInjections));
  }
  return Object.fromEntries(guarded);
}

function createScrubber(redact: Redact): Pick<Guard, "output" | "recalled" | "runbook"> {
  // Runbooks and records are recalled again and again.
  const scrub = rememberTexts((text: string) => redact(text).text);
  const scrubOrNull = (text: string | null) => (text === null ? null : scrub(text));
  return { output: scrubOutput, recalled: scrubRecalled, runbook: scrubRunbookHit };

  function scrubOutput(result: TriageResult): TriageResult {
    const statement = <T extends { readonly text: string }>(item: T): T => ({ ...item, text: scrub(item.text) });
    const step = (item: Step): Step => ({
      ...statement(item),
      command: scrubOrNull(item.command),
      undo: scrubOrNull(item.undo),
    });
    const { answer, recalled, critique } = result;
    return {
      ...result,
      answer: {
        summary: statement(answer.summary),
        evidence: answer.evidence.map((item) => ({ ...statement(item), quote: scrubOrNull(item.quote) })),
        likely_causes: answer.likely_causes.map(statement),
        causes_ordered_by: answer.causes_ordered_by,
        possible_causes: answer.possible_causes.map((item) => ({
          ...statement(item),
          title: scrub(item.title),
          confirm: item.confirm.map(step),
        })),
        ruled_out: answer.ruled_out.map((item) => ({ ...statement(item), reason: scrub(item.reason) })),
        hypotheses: answer.hypotheses.map((item) => ({
          ...item,
          cause: scrub(item.cause),
          reason: scrub(item.reason),
        })),
        confirm: answer.confirm.map(step),
        mitigate: answer.mitigate.map(step),
        worked_before: answer.worked_before.map(scrubPastFix),
        prevention: answer.prevention.map(statement),
        look_next: answer.look_next.map(step),
      },
      checks: result.checks.map(scrubCheck),
      live: scrubSurroundings(result.live),
      critique: critique && {
        ...critique,
        feedback: scrub(critique.feedback),
        changes: scrubOrNull(critique.changes),
      },
      placeholders: Object.fromEntries(Object.entries(result.placeholders).filter(([, name]) => scrub(name) === name)),
      sources: result.sources.map(titled),
      recalled: scrubRecalled(recalled),
    };
  }

  /** The observed expression and object were scrubbed when they were read. */
  function scrubSurroundings(live: LiveEvidence): LiveEvidence {
    return {
      ...live,
      other_alerts: live.other_alerts.map((alert) => ({ ...alert, title: scrub(alert.title) })),
      changes: {
        ...live.changes,
        recent: live.changes.recent.map((change) => ({
          ...change,
          title: scrub(change.title),
          by: scrubOrNull(change.by),
          url: scrubOrNull(change.url),
        })),
      },
    };
  }

  function scrubCheck(check: CheckResult): CheckResult {
    return {
      ...check,
      statement: scrub(check.statement),
      value: scrubOrNull(check.value),
      query: scrub(check.query),
      cause: scrubOrNull(check.cause),
    };
  }

  function scrubPastFix(past: PastFix): PastFix {
    const { recurrence, fix } = past;
    return {
      ...past,
      text: scrub(past.text),
      alike: past.alike.map(scrub),
      differs: past.differs.map(scrub),
      recurrence: { ...recurrence, targets: recurrence.targets.map(scrub) },
      fix: fix && {
        ...fix,
        text: scrub(fix.text),
        by: scrubOrNull(fix.by),
        conditions: scrubOrNull(fix.conditions),
      },
      also_helped: past.also_helped.map((each) => ({ ...each, text: scrub(each.text), by: scrubOrNull(each.by) })),
      retired: past.retired.map((each) => ({ ...each, text: scrub(each.text), reason: scrub(each.reason) })),
      did_not_help: past.did_not_help.map((each) => ({ ...each, text: scrub(each.text) })),
    };
  }

  function scrubRecalled({
    runbooks,
    incidents,
    past_answers,
    procedure,
    reranking,
  }: TriageResult["recalled"]): TriageResult["recalled"] {
    return {
      runbooks: runbooks.map(scrubRunbookHit),
      incidents: incidents.map((hit) => ({
        ...hit,
        title: scrub(hit.title),
        target: scrubOrNull(hit.target),
        narrative: scrub(hit.narrative),
        facts: hit.facts.map(scrub),
        targets: hit.targets.map(scrub),
        alike: hit.alike.map(scrub),
        differs: hit.differs.map(scrub),
        resolution: scrubOrNull(hit.resolution),
        resolved_by: scrubOrNull(hit.resolved_by),
        fixes: hit.fixes.map((fix) => ({
          ...fix,
          text: scrub(fix.text),
          conditions: scrubOrNull(fix.conditions),
          last_worked_by: scrubOrNull(fix.last_worked_by),
        })),
      })),
      past_answers: past_answers.map((hit) => ({ ...hit, question: scrub(hit.question), answer: scrub(hit.answer) })),
      procedure: procedure && { ...procedure, query: scrub(procedure.query), answer: scrub(procedure.answer) },
      reranking: reranking && {
        ...reranking,
        documents: reranking.documents.map((each) => ({ ...each, title: scrub(each.title) })),
      },
    };
  }

  function scrubRunbookHit<T extends RunbookTexts>(hit: T): T {
    return { ...titled(hit), text: scrub(hit.text) };
  }

  function titled<T extends { readonly title: string; readonly heading: string }>(item: T): T {
    return { ...item, title: scrub(item.title), heading: scrub(item.heading) };
  }
}
