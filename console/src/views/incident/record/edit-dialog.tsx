// Corrects title, severity and owner, and withdraws an acknowledgement.

import { useSignal } from "@preact/signals";
import { SEVERITIES, type Severity } from "../../../../../functions/schemas/incident-values.ts";
import { api } from "../../../api/client.ts";
import { Button } from "../../../components/button.tsx";
import { Field } from "../../../components/field.tsx";
import { type ActionDialogProps, FormDialog } from "./form-dialog.tsx";
import type { IncidentDetail } from "./model/incident.ts";
import { send } from "./send.ts";

interface EditDialogProps extends ActionDialogProps {
  readonly incident: IncidentDetail;
  /** Opens the dialog for the domain, with which the memory of the incident moves. */
  readonly correctDomain: () => void;
}

export function EditDialog({ incident, reload, close, correctDomain }: EditDialogProps) {
  const title = useSignal(incident.title);
  const severity = useSignal<Severity>(incident.severity);
  const owner = useSignal(incident.owner ?? "");
  const isWithdrawn = useSignal(false);
  const error = useSignal<string | undefined>(undefined);
  const submit = async () => {
    const [newTitle, newOwner] = [title.value.trim(), owner.value.trim()];
    error.value = newTitle === "" ? "The title must not be empty." : undefined;
    if (error.value !== undefined) return "invalid";
    const body = {
      ...(newTitle === incident.title ? {} : { title: newTitle }),
      ...(severity.value === incident.severity ? {} : { severity: severity.value }),
      ...(newOwner === (incident.owner ?? "") ? {} : { owner: newOwner === "" ? null : newOwner }),
      ...(isWithdrawn.value ? { acknowledged: false } : {}),
    };
    if (Object.keys(body).length === 0) return null;
    const request = api.PATCH("/v1/incidents/{id}", { params: { path: { id: incident.id } }, body });
    return send(request, { done: "Changed. The timeline says what it was before.", reload });
  };
  return (
    <FormDialog title="Edit the incident" action="Save" close={close} submit={submit}>
      <Field label="Title" hint="The report stays as it is." error={error.value}>
        <textarea
          rows={2}
          maxLength={500}
          value={title.value}
          onInput={(event) => {
            title.value = event.currentTarget.value;
          }}
        />
      </Field>
      <Field label="Severity">
        <select
          value={severity.value}
          onChange={(event) => {
            const chosen = SEVERITIES.find((each) => each === event.currentTarget.value);
            if (chosen !== undefined) severity.value = chosen;
          }}
        >
          {SEVERITIES.map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </select>
      </Field>
      <Field label="Owner" hint="The person who has it. Empty: nobody.">
        <input
          type="text"
          maxLength={128}
          autoComplete="off"
          value={owner.value}
          onInput={(event) => {
            owner.value = event.currentTarget.value;
          }}
        />
      </Field>
      {incident.acknowledged_by !== null && (
        <label>
          <input
            type="checkbox"
            checked={isWithdrawn.value}
            onChange={(event) => {
              isWithdrawn.value = event.currentTarget.checked;
            }}
          />{" "}
          Withdraw the acknowledgement: repeats are announced again
        </label>
      )}
      <p class="note">
        In the wrong domain?{" "}
        <Button size="small" onClick={correctDomain}>
          Correct the domain
        </Button>
      </p>
    </FormDialog>
  );
}
