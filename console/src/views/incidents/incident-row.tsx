// One incident of the list: severity, title and age first, then its state.

import { outcomeName } from "../../../../functions/answer-view/outcome-name.ts";
import { percentOf } from "../../../../functions/answer-view/past-incident-text.ts";
import { displayText } from "../../../../lib/text/display-text.ts";
import { Badge, SeverityBadge, type Tone } from "../../components/badge.tsx";
import { Time } from "../../components/time.tsx";
import { consolePath } from "../../format/console-path.ts";
import { FiringStrip } from "./firing-strip.tsx";
import type { Change, Row } from "./rows.ts";

interface IncidentRowProps {
  readonly row: Row;
  readonly change: Change | undefined;
  readonly isSelected: boolean;
  readonly onSelect: () => void;
}

export function IncidentRow({ row, change, isSelected, onSelect }: IncidentRowProps) {
  const { id, title, severity, target, domain, created_at, alerts, firing_hours, last_activity_at } = row;
  const isActiveLater = Date.parse(last_activity_at) - Date.parse(created_at) >= 60_000;
  return (
    <li
      class={`incidents-row incidents-row-${severity}${row.status === "resolved" ? " incidents-row-resolved" : ""}`}
      aria-current={isSelected ? "true" : undefined}
    >
      <div class="incidents-head">
        <a class="incidents-title" id={linkId(id)} href={consolePath(`/incidents/${id}`)} onFocus={onSelect}>
          {displayText(title)}
        </a>
        <span class="incidents-age">
          <Time at={created_at} isShort />
        </span>
      </div>
      <div class="incidents-facts">
        <SeverityBadge severity={severity} />
        <Status row={row} />
        {change !== undefined && <Badge tone="info">{change}</Badge>}
        {target !== null && <span class="incidents-target">{displayText(target)}</span>}
        <span class="incidents-domain">{domain.name}</span>
        {row.has_fix && row.status !== "resolved" && <span class="incidents-fix">Fix on record</span>}
        {isActiveLater && (
          <span class="incidents-activity">
            Active <Time at={last_activity_at} />
          </span>
        )}
      </div>
      {firing_hours !== null && (
        <div class="incidents-alerts">
          <FiringStrip hours={firing_hours} />
          <span>{alertCount(alerts)}</span>
        </div>
      )}
    </li>
  );
}

export function linkId(id: string): string {
  return `incident-${id}`;
}

const STATUS_TONES: Readonly<Record<string, Tone>> = { failed: "bad", resolved: "good" };

/** The outcome of the latest answer says more than `triaged`. */
function Status({ row: { status, latest_triage } }: { readonly row: Row }) {
  if (status !== "triaged" || latest_triage === null)
    return <Badge tone={STATUS_TONES[status] ?? "neutral"}>{status}</Badge>;
  const { outcome, confidence } = latest_triage;
  const hasFigure = outcome === "cause" || outcome === "possible";
  return (
    <span class="incidents-outcome">
      {outcomeName(outcome)}
      {hasFigure && ` · ${percentOf(confidence)}`}
    </span>
  );
}

function alertCount({ total, firing }: Row["alerts"]): string {
  const alerts = `${total} ${total === 1 ? "alert" : "alerts"}`;
  return firing === 0 ? `${alerts}, all ended` : `${alerts}, ${firing} firing`;
}
