// The queries of one triage: within its time, shared with other triages of the last minute, failures collected for its
// warnings.

import type { EvidenceQuery, QueryResult } from "../../../lib/checks/scope/query.ts";
import type { EvidenceClient, QueryCall } from "../../adapters/evidence/client.ts";
import { DependencyError, settle } from "../../dependencies.ts";
import type { SourceClient } from "../../evidence-sources/evidence-services.ts";
import type { Guard } from "../../incidents/guard-request.ts";
import type { EvidenceSourceDefinition } from "../../schemas/evidence/source.ts";
import type { InvestigationServices } from "../run/investigation-services.ts";
import type { QueryOutcome } from "../run/query-cache.ts";
import type { Run } from "../run/run.ts";
import type { FailedQuery } from "../run/warnings.ts";

export type EvidenceConnection =
  | {
      readonly state: "ready";
      readonly client: EvidenceClient;
      /** As `client.run`, with the time of the result. Never throws a DependencyError. */
      readonly ask: (query: EvidenceQuery) => Promise<QueryOutcome>;
    }
  | Exclude<SourceClient, { readonly state: "ready" }>;

export interface EvidenceSession {
  readonly guard: Guard;
  /** The client of a source, for use within this triage. */
  connect(source: EvidenceSourceDefinition): EvidenceConnection;
  /** The time that is left for further queries. */
  call(): QueryCall;
  /** Queries that failed so far. */
  readonly failures: readonly FailedQuery[];
}

/** Share of the triage's budget that is reserved for the answer. */
const RESERVED_FOR_ANSWER = 0.3;

export function createEvidenceSession(services: InvestigationServices, run: Run): EvidenceSession {
  const { config, evidenceSources, queryCache, now } = services;
  const failures: FailedQuery[] = [];
  // One deadline for all queries, from the first on: a source that hangs costs its time once, also for queries one after
  // another.
  let deadline: number | undefined;
  const remainingMs = () => {
    deadline ??= now().getTime() + config.EVIDENCE_BUDGET_MS;
    return Math.min(config.EVIDENCE_TIMEOUT_MS, deadline - now().getTime(), run.remainingBudget(RESERVED_FOR_ANSWER));
  };
  const call = (): QueryCall => ({ timeoutMs: Math.max(0, remainingMs()), cancelled: run.cancelled });

  const ask = async (client: EvidenceClient, query: EvidenceQuery): Promise<QueryOutcome> => {
    const timeoutMs = remainingMs();
    const { definition } = client;
    const outcome =
      timeoutMs <= 0
        ? { at: now(), result: { ok: false as const, error: timeIsUp() } }
        : await queryCache.get(
            keyOf(definition, query, now()),
            // Less time is left after another triage's query that failed.
            async () => ({ at: now(), result: await settle(client.run(query, call())) }),
            { now: now(), timeoutMs },
          );
    const { result } = outcome;
    if (!result.ok) failures.push({ source: definition.name, failure: result.error.failure });
    else if (result.value.kind === "too_large") failures.push({ source: definition.name, failure: "too_large" });
    return outcome;
  };

  return {
    failures,
    guard: services.guard,
    call,
    connect(source) {
      const connected = evidenceSources.clientOf(source);
      if (connected.state !== "ready") return connected;
      const { client } = connected;
      const askOnce = (query: EvidenceQuery) => ask(client, query);
      const runOnce = async (query: EvidenceQuery): Promise<QueryResult> => {
        const { result } = await askOnce(query);
        if (!result.ok) throw result.error;
        return result.value;
      };
      return { state: "ready", client: { ...client, run: runOnce }, ask: askOnce };
    },
  };
}

function timeIsUp(): DependencyError {
  return new DependencyError("evidence_source", "timeout", "no time is left for a query");
}

/** Identifies a query for a minute: the present does not count, and other times count by the minute. */
function keyOf(source: EvidenceSourceDefinition, query: EvidenceQuery, now: Date): string {
  const instant = (at: Date) => (now.getTime() - at.getTime() < MINUTE_MS ? null : minuteOf(at));
  const times =
    "start" in query
      ? { start: minuteOf(query.start), end: minuteOf(query.end) }
      : "at" in query
        ? { at: instant(query.at) }
        : {};
  return `${JSON.stringify(source)} ${JSON.stringify({ ...query, ...times })}`;
}

function minuteOf(time: Date): string {
  return time.toISOString().slice(0, MINUTE);
}

const MINUTE_MS = 60_000;
/** Characters of `2026-03-01T03:00`. */
const MINUTE = 16;
