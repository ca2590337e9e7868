// The upper half of an incident: outcome, causes, steps, and what was observed.

import { answerView } from "../../../../../functions/answer-view/answer-view.ts";
import { correctionsSince } from "../../../../../functions/answer-view/timeline-text.ts";
import { displayText } from "../../../../../lib/text/display-text.ts";
import { Skeleton } from "../../../components/states.tsx";
import { LogSection } from "./log-section.tsx";
import { citationsOf } from "./model/citations.ts";
import type { IncidentDetail, IncidentProps } from "./model/incident.ts";
import { isAnythingObserved, Observed } from "./observed.tsx";
import { Occurrences } from "./occurrences.tsx";
import { Sections } from "./sections.tsx";
import { useTicks } from "./ticks.ts";
import { VerdictCard } from "./verdict-card.tsx";
import { Why } from "./why.tsx";
import "./answer.css";

export function Answer({ incident, reload }: IncidentProps) {
  const { triage } = incident;
  const tickOf = useTicks(incident, triage?.placeholders ?? {}, reload);
  if (triage === null) return <WithoutAnswer incident={incident} />;
  const view = answerView(triage);
  const context = { incidentId: incident.id, citations: citationsOf(triage, view) };
  const hasObserved = isAnythingObserved(triage);
  const log = (
    <LogSection
      logs={incident.logs}
      evidence={triage.answer.evidence}
      title={incident.title}
      isHealthy={triage.outcome === "benign"}
    />
  );
  const isCorrected = correctionsSince(incident.events, triage.created_at).length > 0;
  const sections = (
    <Sections view={view} isOrdered={triage.answer.causes_ordered_by !== "runbook"} tickOf={tickOf} context={context} />
  );
  return (
    <div class="stack-5">
      <RunState incident={incident} />
      <div class="stack-5 answer-columns">
        <div class="stack-5">
          <VerdictCard incident={incident} view={view} result={triage} context={context} />
          {isCorrected ? (
            <details class="answer-more">
              <summary>Causes and steps of the answer before that</summary>
              <div class="stack-5">{sections}</div>
            </details>
          ) : (
            sections
          )}
          {hasObserved && log}
        </div>
        <div class="stack-5">
          <Occurrences days_seen={incident.days_seen} />
          {/* Without observations, the log fills their place. */}
          {hasObserved ? <Observed incident={incident} result={triage} /> : log}
          <Why incident={incident} result={triage} verdict={view.verdict} />
        </div>
      </div>
    </div>
  );
}

/** An answer is shown, and a new run may replace it, or has failed to. */
function RunState({ incident }: { readonly incident: IncidentDetail }) {
  if (isRunning(incident))
    return (
      <p class="line answer-running" role="status">
        <span class="answer-pulse" aria-hidden="true" />A new investigation is running. Its answer replaces this one.
      </p>
    );
  if (incident.status !== "failed") return null;
  return (
    <div class="answer-notice" role="status">
      <p>
        <strong>The last investigation failed.</strong> This is the answer before it. {reasonOf(incident)}
      </p>
    </div>
  );
}

function WithoutAnswer({ incident }: { readonly incident: IncidentDetail }) {
  const { triage_unreadable, status } = incident;
  if (isRunning(incident))
    return (
      <div class="stack-5">
        <div class="card">
          <p class="line answer-running" role="status">
            <span class="answer-pulse" aria-hidden="true" />
            {status === "queued"
              ? "Waiting for its investigation. The answer appears here by itself."
              : "The investigation is running. The answer appears here by itself."}
          </p>
          <Skeleton name="the answer" lines={6} />
        </div>
        <LogSection logs={incident.logs} evidence={[]} title={incident.title} />
      </div>
    );
  return (
    <div class="stack-5">
      <div class="answer-notice" role="status">
        {triage_unreadable ? (
          <p>
            <strong>The answer cannot be shown.</strong> It is stored in a format that this version of Dejavu cannot
            read.
          </p>
        ) : status === "failed" ? (
          <p>
            <strong>The investigation failed.</strong> There is no answer. {reasonOf(incident)}
          </p>
        ) : (
          <p>
            <strong>There is no answer.</strong>{" "}
            {incident.imported === null
              ? "The incident was resolved before its investigation."
              : displayText(incident.imported.description ?? "The incident was imported.")}
          </p>
        )}
      </div>
      <LogSection logs={incident.logs} evidence={[]} title={incident.title} />
    </div>
  );
}

export function isRunning({ status }: Pick<IncidentDetail, "status">): boolean {
  return status === "queued" || status === "investigating";
}

/** The reason of the last failure, such as "Reason: timeout." */
function reasonOf({ events }: IncidentDetail): string {
  const failure = events.findLast(({ kind }) => kind === "failed" || kind === "attempt_failed");
  const reason = failure?.detail.reason;
  return typeof reason === "string" ? `Reason: ${reason.replaceAll("_", " ")}.` : "";
}
