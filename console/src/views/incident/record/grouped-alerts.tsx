// The alerts that were grouped into the incident.

import { displayText } from "../../../../../lib/text/display-text.ts";
import { Badge, SeverityBadge } from "../../../components/badge.tsx";
import { Section } from "../../../components/page.tsx";
import { Time } from "../../../components/time.tsx";
import type { IncidentDetail } from "./model/incident.ts";

const SHOWN = 5;

export function GroupedAlerts({ alerts }: { readonly alerts: IncidentDetail["alerts"] }) {
  const { total, firing, latest } = alerts;
  if (total === 0) return null;
  const rest = latest.slice(SHOWN);
  return (
    <Section
      title="Alerts"
      note={`${total} ${total === 1 ? "alert" : "alerts"}, ${firing === 0 ? "none fires" : `${firing} firing`} now.`}
    >
      <ul class="list">
        {latest.slice(0, SHOWN).map((alert) => (
          <AlertRow key={alert.fingerprint + alert.starts_at} alert={alert} />
        ))}
      </ul>
      {rest.length > 0 && (
        <details>
          <summary>{rest.length} more</summary>
          <ul class="list">
            {rest.map((alert) => (
              <AlertRow key={alert.fingerprint + alert.starts_at} alert={alert} />
            ))}
          </ul>
        </details>
      )}
    </Section>
  );
}

function AlertRow({ alert }: { readonly alert: IncidentDetail["alerts"]["latest"][number] }) {
  const { status, severity, title, target, starts_at, ends_at, times, source } = alert;
  return (
    <li class="record-alert">
      <p class="record-alert-title">
        <Badge tone={status === "firing" ? "bad" : "good"}>{status}</Badge> <SeverityBadge severity={severity} />{" "}
        {displayText(title)}
      </p>
      <p class="note">
        {target !== null && `${displayText(target)} · `}
        {source} · began <Time at={starts_at} />
        {ends_at !== null && (
          <>
            {" · ended "}
            <Time at={ends_at} />
          </>
        )}
        {times > 1 && ` · ${times} notifications`}
      </p>
    </li>
  );
}
