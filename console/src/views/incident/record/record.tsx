// The lower half of an incident: what was seen before, its alerts, what people did and can do.

import { displayText } from "../../../../../lib/text/display-text.ts";
import { Badge, SeverityBadge } from "../../../components/badge.tsx";
import { Section } from "../../../components/page.tsx";
import { When } from "../../../components/time.tsx";
import { can } from "../../../session/session.ts";
import type { IncidentDetail, IncidentProps } from "../answer/model/incident.ts";
import { ActionBar } from "./action-bar.tsx";
import { FollowUp } from "./follow-up.tsx";
import { SeenBefore } from "./seen-before.tsx";
import { Timeline } from "./timeline.tsx";
import "./record.css";

export function IncidentRecord(props: IncidentProps) {
  const { incident } = props;
  return (
    <>
      <SeenBefore {...props} />
      <GroupedAlerts alerts={incident.alerts} />
      {can("triage") && <FollowUp key={incident.id} incident={incident} />}
      <Timeline {...props} />
      {can("feedback") && <ActionBar {...props} />}
    </>
  );
}

const SHOWN = 5;

/** The alerts that were grouped into the incident. */
function GroupedAlerts({ alerts: { total, firing, latest } }: Pick<IncidentDetail, "alerts">) {
  if (total === 0) return null;
  const rest = latest.slice(SHOWN);
  const note = `${total} ${total === 1 ? "alert" : "alerts"}, ${firing === 0 ? "none fires" : `${firing} firing`} now.`;
  return (
    <Section title="Alerts" note={note}>
      <AlertList alerts={latest.slice(0, SHOWN)} />
      {rest.length > 0 && (
        <details>
          <summary>{rest.length} more</summary>
          <AlertList alerts={rest} />
        </details>
      )}
    </Section>
  );
}

function AlertList({ alerts }: { readonly alerts: IncidentDetail["alerts"]["latest"] }) {
  return (
    <ul class="rows">
      {alerts.map(({ fingerprint, status, severity, title, target, starts_at, ends_at, times, source }) => (
        <li key={fingerprint + starts_at} class="row">
          <p>
            <Badge tone={status === "firing" ? "bad" : "good"}>{status}</Badge> <SeverityBadge severity={severity} />{" "}
            {displayText(title)}
          </p>
          <p class="facts">
            {target !== null && <span>{displayText(target)}</span>}
            <span>{source}</span>
            <When what="began" at={starts_at} />
            <When what="ended" at={ends_at} />
            {times > 1 && <span>{times} notifications</span>}
          </p>
        </li>
      ))}
    </ul>
  );
}
