// Corrects title, severity and owner, and withdraws an acknowledgement.

import { useSignal } from "@preact/signals";
import { SEVERITIES } from "../../../../../functions/schemas/incident-values.ts";
import { api } from "../../../api/client.ts";
import { Check } from "../../../components/choice.tsx";
import { namesOf, SelectField, TextField } from "../../../components/field.tsx";
import { FormDialog } from "../../../components/form-dialog.tsx";
import { useForm } from "../../../components/use-form.ts";
import type { DialogProps } from "../answer/model/incident.ts";
import { send } from "./send.ts";

export function EditDialog({ incident, reload, close }: DialogProps) {
  const before = { title: incident.title, severity: incident.severity, owner: incident.owner ?? "" };
  const { values, change, field } = useForm({ ...before, isWithdrawn: false });
  const error = useSignal<string | undefined>(undefined);
  const submit = async () => {
    const [title, owner] = [values.title.trim(), values.owner.trim()];
    error.value = title === "" ? "The title must not be empty." : undefined;
    if (error.value !== undefined) return "invalid";
    const body = {
      ...(title !== before.title && { title }),
      ...(values.severity !== before.severity && { severity: values.severity }),
      ...(owner !== before.owner && { owner: owner === "" ? null : owner }),
      ...(values.isWithdrawn && { acknowledged: false }),
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
        {...field("title")}
      />
      <SelectField label="Severity" names={namesOf(SEVERITIES)} {...field("severity")} />
      <TextField label="Owner" hint="The person who has it. Empty: nobody." maxLength={128} {...field("owner")} />
      {incident.acknowledged_by !== null && (
        <Check checked={values.isWithdrawn} set={(isWithdrawn) => change({ isWithdrawn })}>
          Withdraw the acknowledgement: repeats are announced again
        </Check>
      )}
    </FormDialog>
  );
}
