// Severity, status, target, age and domain of an incident.

import { holderText } from "../../../../../functions/answer-view/holder-text.ts";
import { importedFrom } from "../../../../../functions/schemas/imported-from.ts";
import { placeText } from "../../../../../functions/surroundings/place-text.ts";
import { displayText } from "../../../../../lib/text/display-text.ts";
import { Badge, SeverityBadge, StatusBadge } from "../../../components/badge.tsx";
import { Fact, Facts } from "../../../components/facts.tsx";
import { Time } from "../../../components/time.tsx";
import { startOf } from "./model/alert-start.ts";
import { domainOf, type IncidentDetail } from "./model/incident.ts";
import { Prose } from "./prose.tsx";

export function FactsLine({ incident }: { readonly incident: IncidentDetail }) {
  const { severity, status, domain, incident_type, alerts, title } = incident;
  const { reported_title, question, labels, id, imported } = incident;
  const start = new Date(startOf(incident) * 1_000).toISOString();
  const service = placeText(incident);
  const pairs = Object.entries(labels);
  const holder = status === "resolved" ? null : (holderText(incident) ?? "No owner");
  const facts = [
    ["Domain of the report", `${domain.name}: ${domain.rule}`],
    ["Type", `${incident_type.name}: ${incident_type.rule}`],
    ["Title", title.length > MAX_TITLE ? title : ""],
    ["Reported as", reported_title ?? ""],
    ["Question", question === title ? "" : (question ?? "")],
    ["Original", imported === null ? "" : [imported.id, imported.url ?? ""].join(" ").trim()],
  ].filter((fact): fact is [string, string] => fact[1] !== "");
  return (
    <details class="answer-head">
      <summary class="facts">
        <StatusBadge status={status} />
        <SeverityBadge severity={severity} />
        {alerts.firing > 0 && <Badge tone="bad">{alerts.firing} firing</Badge>}
        <Time at={start} />
        {service !== null && <strong>{displayText(service)}</strong>}
        {holder !== null && <span>{displayText(holder)}</span>}
        {imported !== null && <Badge tone="info">{displayText(importedFrom(imported.from))}</Badge>}
        <span class="answer-domain">
          Domain {domainOf(incident)}
          {pairs.length > 0 && `, ${pairs.length === 1 ? "1 label" : `${pairs.length} labels`}`}
        </span>
      </summary>
      <Facts>
        {facts.map(([name, text]) => (
          <Fact key={name} name={name}>
            <Prose text={text} />
          </Fact>
        ))}
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
  );
}

/** Characters: a pasted log line may be a title. */
const MAX_TITLE = 140;

/** The title of an incident for a heading; the whole one is among its facts. */
export function headingOf(title: string): string {
  const shown = displayText(title).replace(/\s+/g, " ").trim();
  return shown.length <= MAX_TITLE ? shown : `${[...shown].slice(0, MAX_TITLE).join("").trimEnd()}…`;
}
