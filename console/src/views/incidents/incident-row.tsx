// One incident of the list: a card on a phone, a line on a wide screen.

import { FIXED_BEFORE, outcomeText } from "../../../../functions/answer-view/outcome-name.ts";
import { placeText } from "../../../../functions/surroundings/place-text.ts";
import { displayText } from "../../../../lib/text/display-text.ts";
import { Badge, SEVERITY_TONES, SeverityBadge, StatusBadge } from "../../components/badge.tsx";
import { Time } from "../../components/time.tsx";
import { consolePath } from "../../format/console-path.ts";
import { domainOf } from "../incident/answer/model/incident.ts";
import type { Change, Row } from "./rows.ts";

interface IncidentRowProps {
  readonly row: Row;
  readonly change: Change | undefined;
  /** When it began, or was reported, as the list is sorted. */
  readonly at: string;
  /** Where the keys are. */
  readonly isCurrent: boolean;
  readonly onCurrent: () => void;
  /** Null where the session may not change incidents. */
  readonly isSelected: boolean | null;
  readonly onSelect: () => void;
}

export function IncidentRow({ row, change, at, isCurrent, onCurrent, isSelected, onSelect }: IncidentRowProps) {
  const { id, title, severity, status, owner, alerts, labels } = row;
  const service = placeText(row);
  return (
    <li
      class={`incidents-row tone-${SEVERITY_TONES[severity] ?? "neutral"}${status === "resolved" ? " incidents-row-resolved" : ""}`}
      aria-current={isCurrent ? "true" : undefined}
    >
      <a class="clamp incidents-title" id={linkId(id)} href={consolePath(`/incidents/${id}`)} onFocus={onCurrent}>
        {displayText(title)}
      </a>
      {isSelected !== null && (
        <input
          class="incidents-check"
          type="checkbox"
          checked={isSelected}
          onChange={onSelect}
          aria-label={`Select ${displayText(title)}`}
        />
      )}
      <div class="incidents-facts">
        <span>
          <SeverityBadge severity={severity} />
        </span>
        <span class="incidents-outcome">
          <Status row={row} />
        </span>
        <span class="incidents-fix">
          {row.mute !== null && status !== "resolved" ? (
            <span class="incidents-muted" title={displayText(row.mute.reason)}>
              Muted
            </span>
          ) : (
            row.has_fix && status !== "resolved" && FIXED_BEFORE
          )}
        </span>
        <span>
          {alerts.firing > 0 ? (
            <Badge tone="bad">{alerts.firing} firing</Badge>
          ) : (
            alerts.total > 0 && `${alerts.total} ended`
          )}
        </span>
        <span class="incidents-target">{displayText([service, labels.cluster].filter(Boolean).join(" "))}</span>
        <span>{domainOf(row)}</span>
        <span class="incidents-owner">
          {change !== undefined && <Badge tone="info">{change}</Badge>}
          {owner !== null && (
            <>
              <span class="incidents-owner-word">Owner: </span>
              {displayText(owner)}
            </>
          )}
        </span>
      </div>
      <span class="incidents-age">
        <Time at={at} isShort />
      </span>
    </li>
  );
}

export function linkId(id: string): string {
  return `incident-${id}`;
}

/** The outcome of the latest answer says more than `triaged`. */
function Status({ row: { status, latest_triage } }: { readonly row: Row }) {
  if (status !== "triaged" || latest_triage === null) return <StatusBadge status={status} />;
  const { outcome, confidence, corrected } = latest_triage;
  return <span>{corrected ? "Corrected" : outcomeText(outcome, confidence)}</span>;
}
