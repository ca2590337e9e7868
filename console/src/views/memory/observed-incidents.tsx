// The incidents that reported a failure. Those of another failure can be split off.

import { useSignal } from "@preact/signals";
import { useLocation } from "preact-iso/router";
import { displayText } from "../../../../lib/text/display-text.ts";
import { api } from "../../api/client.ts";
import { settle } from "../../api/failure.ts";
import type { Loading } from "../../api/use-request.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { TextField } from "../../components/field.tsx";
import { FormDialog } from "../../components/form-dialog.tsx";
import { Section } from "../../components/page.tsx";
import { Time } from "../../components/time.tsx";
import { showToast } from "../../components/toast.tsx";
import { consolePath } from "../../format/console-path.ts";
import { can } from "../../session/session.ts";
import type { ObservationDetail } from "./observation-detail.ts";
import { counted } from "./words.ts";

interface ObservedIncidentsProps {
  readonly observation: ObservationDetail;
  readonly request: Loading<ObservationDetail>;
}

export function ObservedIncidents({ observation, request }: ObservedIncidentsProps) {
  const { total, latest } = observation.incidents;
  const chosen = useSignal<ReadonlySet<string>>(new Set());
  const isOpen = useSignal(false);
  const canSplit = can("feedback") && total > 1;
  const toggle = (id: string) => {
    const next = new Set(chosen.value);
    if (!next.delete(id)) next.add(id);
    chosen.value = next;
  };
  return (
    <Section
      title={`Incidents (${total.toLocaleString("en")})`}
      note={canSplit ? "Tick those that were another failure, then split them off." : undefined}
      actions={
        canSplit && (
          <Button
            disabled={chosen.value.size === 0 || chosen.value.size >= total}
            onClick={() => (isOpen.value = true)}
          >
            Split off {chosen.value.size > 0 && chosen.value.size}
          </Button>
        )
      }
    >
      <ul class="rows">
        {latest.map((incident) => (
          <Incident
            key={incident.id}
            incident={incident}
            isChosen={chosen.value.has(incident.id)}
            onToggle={canSplit ? () => toggle(incident.id) : null}
          />
        ))}
      </ul>
      {latest.length < total && <p class="note">The latest {latest.length} are shown.</p>}
      {isOpen.value && (
        <SplitDialog
          id={observation.id}
          incidentIds={[...chosen.value]}
          onClose={() => (isOpen.value = false)}
          onSplit={() => {
            chosen.value = new Set();
            isOpen.value = false;
            void request.reload();
          }}
        />
      )}
    </Section>
  );
}

interface IncidentProps {
  readonly incident: ObservationDetail["incidents"]["latest"][number];
  readonly isChosen: boolean;
  /** Null: it cannot be split off. */
  readonly onToggle: (() => void) | null;
}

function Incident({ incident: { id, title, target, status, reported_at }, isChosen, onToggle }: IncidentProps) {
  return (
    <li class="row memory-incident">
      {onToggle !== null && (
        <input
          type="checkbox"
          aria-label={`Another failure: ${displayText(title)}`}
          checked={isChosen}
          onChange={onToggle}
        />
      )}
      <div>
        <a class="memory-title" href={consolePath(`/incidents/${id}`)}>
          {displayText(title)}
        </a>
        <p class="facts">
          <Time at={reported_at} />
          {target !== null && <span>{displayText(target)}</span>}
          <Badge tone={status === "resolved" ? "good" : "neutral"}>{status}</Badge>
        </p>
      </div>
    </li>
  );
}

interface SplitDialogProps {
  readonly id: string;
  readonly incidentIds: readonly string[];
  readonly onClose: () => void;
  readonly onSplit: () => void;
}

function SplitDialog({ id, incidentIds, onClose, onSplit }: SplitDialogProps) {
  const { route } = useLocation();
  const reason = useSignal("");
  const split = async () => {
    const body = {
      incident_ids: [...incidentIds],
      ...(reason.value.trim() === "" ? {} : { reason: reason.value.trim() }),
    };
    const result = await settle(api.POST("/v1/memory/observations/{id}/split", { params: { path: { id } }, body }));
    if (!result.ok) return result.failure;
    showToast(`${counted(incidentIds.length, "incident")} have a record of their own. This is it.`);
    onSplit();
    route(consolePath(`/memory/observations/${result.data.new_observation.id}`));
    return null;
  };
  return (
    <FormDialog
      title={`Split off ${counted(incidentIds.length, "incident")}?`}
      action="Split off"
      close={onClose}
      submit={split}
    >
      <p>They get a record of their own, with their fixes. Dejavu never confuses the two records by likeness again.</p>
      <TextField
        label="Why (optional)"
        maxLength={4_000}
        placeholder="Another cause: the disk was full."
        value={reason.value}
        set={(text) => (reason.value = text)}
      />
    </FormDialog>
  );
}
