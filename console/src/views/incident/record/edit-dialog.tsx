// Corrects title, severity and owner, and withdraws an acknowledgement.

import { useSignal } from "@preact/signals";
import { SEVERITIES, type Severity } from "../../../../../functions/schemas/incident-values.ts";
import { api } from "../../../api/client.ts";
import { SelectField, TextField } from "../../../components/field.tsx";
import { FormDialog } from "../../../components/form-dialog.tsx";
import { namesOf } from "../../../format/names-of.ts";
import type { DialogProps } from "./model/incident.ts";
import { send } from "./send.ts";

export function EditDialog({ incident, reload, close }: DialogProps) {
  const before = {
    title: incident.title,
    severity: incident.severity,
    owner: incident.owner ?? "",
    isWithdrawn: false,
  };
  const form = useSignal(before);
  const error = useSignal<string | undefined>(undefined);
  const { title, severity, owner, isWithdrawn } = form.value;
  const change = (changed: Partial<typeof before>) => {
    form.value = { ...form.value, ...changed };
  };
  const submit = async () => {
    const [newTitle, newOwner] = [title.trim(), owner.trim()];
    error.value = newTitle === "" ? "The title must not be empty." : undefined;
    if (error.value !== undefined) return "invalid";
    const body = {
      ...(newTitle === before.title ? {} : { title: newTitle }),
      ...(severity === before.severity ? {} : { severity }),
      ...(newOwner === before.owner ? {} : { owner: newOwner === "" ? null : newOwner }),
      ...(isWithdrawn ? { acknowledged: false } : {}),
    };
    if (Object.keys(body).length === 0) return null;
    const request = api.PATCH("/v1/incidents/{id}", { params: { path: { id: incident.id } }, body });
    return send(request, { done: "Changed. The timeline says what it was before.", reload });
  };
  return (
    <FormDialog title="Edit the incident" action="Save" close={close} submit={submit}>
      <TextField
        label="Title"
        hint="The report stays as it is."
        error={error.value}
        rows={2}
        maxLength={500}
        value={title}
        set={(title) => change({ title })}
      />
      <SelectField
        label="Severity"
        value={severity}
        names={namesOf(SEVERITIES)}
        set={(severity) => change({ severity: severity as Severity })}
      />
      <TextField
        label="Owner"
        hint="The person who has it. Empty: nobody."
        maxLength={128}
        value={owner}
        set={(owner) => change({ owner })}
      />
      {incident.acknowledged_by !== null && (
        <label>
          <input
            type="checkbox"
            checked={isWithdrawn}
            onChange={(event) => change({ isWithdrawn: event.currentTarget.checked })}
          />{" "}
          Withdraw the acknowledgement: repeats are announced again
        </label>
      )}
    </FormDialog>
  );
}
