// Severity, status, target, age and domain of an incident.

import { holderText } from "../../../../../functions/answer-view/holder-text.ts";
import { importedFrom } from "../../../../../functions/schemas/imported-from.ts";
import { displayText } from "../../../../../lib/text/display-text.ts";
import { Badge, SeverityBadge, type Tone } from "../../../components/badge.tsx";
import { Fact, Facts } from "../../../components/facts.tsx";
import { Time } from "../../../components/time.tsx";
import { startOf } from "./model/alert-start.ts";
import type { IncidentDetail } from "./model/incident.ts";
import { Prose } from "./prose.tsx";

const STATUSES: Readonly<Record<IncidentDetail["status"], { readonly name: string; readonly tone: Tone }>> = {
  queued: { name: "Waiting", tone: "info" },
  investigating: { name: "Investigating", tone: "info" },
  triaged: { name: "Open", tone: "warn" },
  failed: { name: "Open, not answered", tone: "bad" },
  resolved: { name: "Resolved", tone: "good" },
};

export function FactsLine({ incident }: { readonly incident: IncidentDetail }) {
  const {
    severity,
    status,
    target,
    domain,
    incident_type,
    alerts,
    title,
    reported_title,
    question,
    labels,
    id,
    imported,
  } = incident;
  const { name, tone } = STATUSES[status];
  const start = new Date(startOf(incident) * 1_000).toISOString();
  const pairs = Object.entries(labels);
  const holder = status === "resolved" ? null : holderText(incident);
  return (
    <div class="stack-2 answer-head">
      <p class="facts">
        <Badge tone={tone}>{name}</Badge>
        <SeverityBadge severity={severity} />
        {alerts.firing > 0 && <Badge tone="bad">{alerts.firing} firing</Badge>}
        <span>
          <Time at={start} />
        </span>
        {target !== null && <strong>{displayText(target)}</strong>}
        {holder !== null && <span>{displayText(holder)}</span>}
        {imported !== null && <Badge tone="info">{displayText(importedFrom(imported.from))}</Badge>}
      </p>
      <details>
        <summary>
          Domain {domain.name}
          {pairs.length > 0 && `, ${pairs.length === 1 ? "1 label" : `${pairs.length} labels`}`}
        </summary>
        <Facts>
          <Fact name="Domain">
            {domain.name}: <Prose text={domain.rule} />
          </Fact>
          <Fact name="Type">
            {incident_type.name}: <Prose text={incident_type.rule} />
          </Fact>
          {title.length > MAX_TITLE && (
            <Fact name="Title">
              <Prose text={title} />
            </Fact>
          )}
          {reported_title !== null && (
            <Fact name="Reported as">
              <Prose text={reported_title} />
            </Fact>
          )}
          {question !== null && question !== title && (
            <Fact name="Question">
              <Prose text={question} />
            </Fact>
          )}
          {imported !== null && (
            <Fact name="Original">
              <Prose text={[imported.id, imported.url ?? ""].join(" ").trim()} />
            </Fact>
          )}
          {pairs.map(([label, value]) => (
            <Fact key={label} name={displayText(label)}>
              <code>{displayText(value)}</code>
            </Fact>
          ))}
          <Fact name="Incident">
            <code>{id}</code>
          </Fact>
        </Facts>
      </details>
    </div>
  );
}

/** Characters: a pasted log line may be a title. */
const MAX_TITLE = 140;

/** The title of an incident for a heading; the whole one is among its facts. */
export function headingOf(title: string): string {
  const shown = displayText(title).replace(/\s+/g, " ").trim();
  return shown.length <= MAX_TITLE ? shown : `${[...shown].slice(0, MAX_TITLE).join("").trimEnd()}…`;
}
