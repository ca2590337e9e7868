// What was observed around the start: the alert's plot, changes, other alerts and the object in its cluster.

import { useMemo } from "preact/hooks";
import { movementText, originText, shortNumber } from "../../../../../functions/answer-view/live-evidence-text.ts";
import type { LiveEvidence, RecentChange } from "../../../../../functions/schemas/live-evidence.ts";
import type { TriageResult } from "../../../../../functions/schemas/triage-result.ts";
import { displayText } from "../../../../../lib/text/display-text.ts";
import { Badge, SeverityBadge } from "../../../components/badge.tsx";
import { CodeBlock } from "../../../components/code-block.tsx";
import { Fact, Facts } from "../../../components/facts.tsx";
import { Section } from "../../../components/page.tsx";
import { Plot } from "../../../components/plot.tsx";
import { plottedSeries } from "../../../components/plot-series.ts";
import { Time } from "../../../components/time.tsx";
import { consolePath } from "../../../format/console-path.ts";
import { durationOf } from "../../../format/time.ts";
import { ExternalLink } from "./external-link.tsx";
import { startOf, thresholdOf } from "./model/alert-start.ts";
import type { IncidentDetail } from "./model/incident.ts";
import { capital, Prose } from "./prose.tsx";

interface ObservedProps {
  readonly incident: IncidentDetail;
  readonly result: TriageResult;
}

export function Observed({ incident, result }: ObservedProps) {
  const { changes, object, origin, other_alerts } = result.live;
  return (
    <>
      <ExpressionPlot incident={incident} result={result} />
      <Changes changes={changes} />
      {(other_alerts.length > 0 || origin !== null) && (
        <Section title="Also firing">
          {origin !== null && (
            <p>
              {displayText(originText(origin))}
              {origin.incident_id !== incident.id && (
                <>
                  {" "}
                  <a href={consolePath(`/incidents/${origin.incident_id}`)}>Its incident</a>
                </>
              )}
            </p>
          )}
          <ul class="list">
            {other_alerts.map((alert) => (
              <li key={alert.incident_id} class="answer-aside">
                <p>
                  <SeverityBadge severity={alert.severity} />{" "}
                  <a href={consolePath(`/incidents/${alert.incident_id}`)}>{displayText(alert.title)}</a>
                </p>
                <p class="note">
                  Since <Time at={alert.starts_at} />
                  {alert.target !== null && ` on ${displayText(alert.target)}`}, same{" "}
                  {displayText(
                    Object.entries(alert.shared_labels)
                      .map((pair) => pair.join("="))
                      .join(", "),
                  )}
                </p>
              </li>
            ))}
          </ul>
        </Section>
      )}
      {object !== null && <ClusterObject object={object} />}
    </>
  );
}

/** Whether there is anything to show. */
export function isAnythingObserved({
  live: { expression, object, origin, other_alerts, changes },
}: TriageResult): boolean {
  return (
    [expression, object, origin].some((each) => each !== null) ||
    other_alerts.length + changes.recent.length > 0 ||
    changes.reported
  );
}

function Changes({ changes }: { readonly changes: LiveEvidence["changes"] }) {
  if (changes.recent.length === 0 && !changes.reported) return null;
  return (
    <Section title="Changed before it started">
      <span id="changes" />
      {changes.recent.length === 0 ? (
        <p>No change of this service was reported in the two hours before.</p>
      ) : (
        <ul class="list">
          {changes.recent.map((change) => (
            <Change key={change.id} change={change} />
          ))}
        </ul>
      )}
    </Section>
  );
}

function Change({ change }: { readonly change: RecentChange }) {
  const { kind, service, environment, title, version, by, url, at, minutes_before } = change;
  const side = minutes_before < 0 ? "after" : "before";
  const details = [
    ...(title.includes(service) ? [] : [service]),
    environment,
    version,
    by === null ? null : `by ${by}`,
  ];
  return (
    <li class={minutes_before < 0 ? "answer-aside" : "answer-aside tone-warn"}>
      <p>
        <strong>
          {durationOf(Math.round(Math.abs(minutes_before)) * 60_000)} {side}
        </strong>{" "}
        <Badge>{kind}</Badge> {displayText(title || service)}
      </p>
      <p class="note">
        {displayText(details.filter((detail) => detail !== null && detail !== "").join(", "))} <Time at={at} />{" "}
        <ExternalLink href={url}>Open the change</ExternalLink>
      </p>
    </li>
  );
}

function ExpressionPlot({ incident, result }: ObservedProps) {
  const { expression } = result.live;
  // A new array would draw the plot anew.
  const plot = useMemo(() => (expression === null ? null : plottedSeries(expression.series)), [result.triage_id]);
  const start = startOf(incident);
  const marks = useMemo(() => [{ at: start, label: "start" }], [start]);
  const threshold = thresholdOf(incident.expression);
  const lines = useMemo(
    () => (threshold === null ? [] : [{ at: threshold, label: `threshold ${shortNumber(threshold, 6)}` }]),
    [threshold],
  );
  if (expression === null || plot === null) return null;
  const text = capital(movementText(expression) ?? `no values (${expression.source})`);
  return (
    <Section title="The alert's plot">
      <Plot label={displayText(text)} data={plot.data} series={plot.series} marks={marks} lines={lines} />
      <CodeBlock text={expression.query} name="query of the plot" />
      <ExternalLink href={expression.link}>Open in {expression.source}</ExternalLink>
    </Section>
  );
}

function ClusterObject({ object }: { readonly object: NonNullable<LiveEvidence["object"]> }) {
  const { kind, name, namespace, state, owner, facts, events, source, link } = object;
  return (
    <Section title="In the cluster">
      <Facts>
        <Fact name={kind}>
          <code>{displayText(namespace === null ? name : `${namespace}/${name}`)}</code>
        </Fact>
        <Fact name="State">
          <Prose text={state} />
        </Fact>
        {owner !== null && <Fact name="Owner">{displayText(owner)}</Fact>}
      </Facts>
      {facts.length > 0 && (
        <ul class="bullets">
          {facts.map((fact) => (
            <li key={fact}>
              <Prose text={fact} />
            </li>
          ))}
        </ul>
      )}
      {events.length > 0 && (
        <ul class="list">
          {events.map(({ at, type, reason, message, count }) => (
            <li key={`${reason} ${message}`} class="answer-aside">
              <p>
                <Badge tone={type === "Warning" ? "warn" : "neutral"}>{displayText(reason)}</Badge>{" "}
                <Prose text={message} />
              </p>
              <p class="note">
                {count > 1 && `${count} times, `}
                {at !== null && <Time at={at} />}
              </p>
            </li>
          ))}
        </ul>
      )}
      <ExternalLink href={link}>Open in {source}</ExternalLink>
    </Section>
  );
}
