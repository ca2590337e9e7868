// Step "observe": what can be seen of the running system without a runbook. It starts with the run and needs the report
// alone. A part that fails is missing from the answer.

import type { CheckLanguage } from "../../../lib/checks/check.ts";
import type { EvidenceClient, QueryCall } from "../../adapters/evidence/client.ts";
import { settle } from "../../dependencies.ts";
import { chooseSource } from "../../evidence-sources/source-choice.ts";
import type { Guard } from "../../incidents/guard-request.ts";
import type { Incident } from "../../schemas/incident.ts";
import type { LiveEvidence, ObservedExpression, ObservedObject } from "../../schemas/live-evidence.ts";
import { originOf } from "../../surroundings/storm.ts";
import type { StartedRun } from "../run/run-outcome.ts";
import type { EvidenceSession } from "./evidence-session.ts";
import { observeExpression } from "./observe-expression.ts";
import { observeObject } from "./observe-object.ts";

/** Sends nothing without a source that serves the incident. */
export async function observeSystem(
  session: EvidenceSession,
  work: { readonly incident: Incident; readonly now: Date } & Pick<StartedRun, "sources" | "surroundings">,
): Promise<LiveEvidence> {
  const { incident, sources, surroundings, now } = work;
  const { changes, other_alerts, storm } = surroundings;
  /** Null without a source of the language, and if the source fails: the session has the failure then. */
  const observe = async <T>(
    language: CheckLanguage,
    ask: (client: EvidenceClient, call: QueryCall) => Promise<T | null>,
  ): Promise<T | null> => {
    const choice = chooseSource(sources, { language, labels: incident.labels, domain: incident.domain.name });
    if (choice.state !== "chosen") return null;
    const connected = session.connect(choice.source);
    if (connected.state !== "ready") return null;
    const observed = await settle(ask(connected.client, session.call()));
    return observed.ok ? observed.value : null;
  };
  const times = { start: surroundings.start, now };
  const [object, expression] = await Promise.all([
    observe("k8s", (client, call) => observeObject(client, incident.labels, call)),
    observe("promql", (client, call) => observeExpression(client, incident, times, call)),
  ]);
  return {
    expression: expression && guardExpression(session.guard, expression),
    object: object && guardObject(session.guard, object),
    changes,
    other_alerts,
    origin: originOf(incident.id, storm),
  };
}

function guardExpression(guard: Guard, expression: ObservedExpression): ObservedExpression {
  const guardLabels = (labels: Readonly<Record<string, string>>) =>
    Object.fromEntries(
      Object.entries(labels).map(([name, value]) => [guard.text(name), guardLabel(guard, name, value)]),
    );
  return {
    ...expression,
    query: guard.text(expression.query),
    series: expression.series.map((series) => ({ ...series, labels: guardLabels(series.labels) })),
  };
}

/** The name is context: a word is a secret as a password. */
function guardLabel(guard: Guard, name: string, value: string): string {
  const pair = guard.text(`${name}=${value}`);
  return pair.startsWith(`${name}=`) ? pair.slice(name.length + 1) : guard.text(value);
}

/** Names, states and messages come from the running system and may hold anything. */
function guardObject(guard: Guard, object: ObservedObject): ObservedObject {
  return {
    ...object,
    state: guard.text(object.state),
    owner: object.owner === null ? null : guard.text(object.owner),
    facts: object.facts.map(guard.text),
    events: object.events.map((event) => ({
      ...event,
      reason: guard.text(event.reason),
      message: guard.text(event.message),
    })),
  };
}
