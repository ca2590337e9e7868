// The incidents that reported a failure. Those of another failure can be split off.

import { useSignal } from "@preact/signals";
import { useLocation } from "preact-iso/router";
import { displayText } from "../../../../lib/text/display-text.ts";
import { api } from "../../api/client.ts";
import { settle } from "../../api/failure.ts";
import { StatusBadge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { TextField } from "../../components/field.tsx";
import { FormDialog } from "../../components/form-dialog.tsx";
import { Section } from "../../components/page.tsx";
import { Time } from "../../components/time.tsx";
import { showToast } from "../../components/toast.tsx";
import { bound } from "../../components/use-form.ts";
import { consolePath } from "../../format/console-path.ts";
import { counted } from "../../format/words.ts";
import { can } from "../../session/session.ts";
import type { ObservationProps } from "./records.tsx";

export function ObservedIncidents({ observation, request }: ObservationProps) {
  const { total, latest } = observation.incidents;
  const { route } = useLocation();
  const chosen = useSignal<ReadonlySet<string>>(new Set());
  const isOpen = useSignal(false);
  const reason = useSignal("");
  const canSplit = can("feedback") && total > 1;
  const count = chosen.value.size;
  const toggle = (id: string) => {
    const next = new Set(chosen.value);
    if (!next.delete(id)) next.add(id);
    chosen.value = next;
  };
  const split = async () => {
    const why = reason.value.trim();
    const body = { incident_ids: [...chosen.value], ...(why !== "" && { reason: why }) };
    const params = { path: { id: observation.id } };
    const result = await settle(api.POST("/v1/memory/observations/{id}/split", { params, body }));
    if (!result.ok) return result.failure;
    showToast(`${counted(count, "incident")} have a record of their own. This is it.`);
    chosen.value = new Set();
    void request.reload();
    route(consolePath(`/memory/observations/${result.data.new_observation.id}`));
    return null;
  };
  return (
    <Section
      title={`Incidents (${total.toLocaleString("en")})`}
      note={canSplit && "Tick those that were another failure, then split them off."}
      actions={
        canSplit && (
          <Button disabled={count === 0 || count >= total} onClick={() => (isOpen.value = true)}>
            Split off {count > 0 && count}
          </Button>
        )
      }
    >
      <ul class="rows">
        {latest.map(({ id, title, target, status, reported_at }) => (
          <li key={id} class="row memory-incident">
            {canSplit && (
              <input
                type="checkbox"
                aria-label={`Another failure: ${displayText(title)}`}
                checked={chosen.value.has(id)}
                onChange={() => toggle(id)}
              />
            )}
            <div>
              <a class="row-title" href={consolePath(`/incidents/${id}`)}>
                {displayText(title)}
              </a>
              <p class="facts">
                <Time at={reported_at} />
                {target !== null && <span>{displayText(target)}</span>}
                <StatusBadge status={status} />
              </p>
            </div>
          </li>
        ))}
      </ul>
      {latest.length < total && <p class="note">The latest {latest.length} are shown.</p>}
      {isOpen.value && (
        <FormDialog
          title={`Split off ${counted(count, "incident")}?`}
          action="Split off"
          close={() => (isOpen.value = false)}
          submit={split}
        >
          <p>
            They get a record of their own, with their fixes. Dejavu never confuses the two records by likeness again.
          </p>
          <TextField
            label="Why (optional)"
            maxLength={4_000}
            placeholder="Another cause: the disk was full."
            {...bound(reason)}
          />
        </FormDialog>
      )}
    </Section>
  );
}
