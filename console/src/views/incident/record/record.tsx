// The lower half of an incident: what was seen before, what people did and can do.

import { can } from "../../../session/session.ts";
import { ActionBar } from "./action-bar.tsx";
import { FollowUp } from "./follow-up.tsx";
import { GroupedAlerts } from "./grouped-alerts.tsx";
import type { RecordProps } from "./model/incident.ts";
import { SeenBefore } from "./seen-before.tsx";
import { Timeline } from "./timeline.tsx";
import "./record.css";

export function IncidentRecord({ incident, reload }: RecordProps) {
  return (
    <>
      <SeenBefore incident={incident} reload={reload} />
      <GroupedAlerts alerts={incident.alerts} />
      {can("triage") && <FollowUp key={incident.id} incident={incident} />}
      <Timeline incident={incident} reload={reload} />
      <ActionBar incident={incident} reload={reload} />
    </>
  );
}
