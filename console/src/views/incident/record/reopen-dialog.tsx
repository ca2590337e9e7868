// Opens a resolved incident again.

import { useSignal } from "@preact/signals";
import { api } from "../../../api/client.ts";
import { Field } from "../../../components/field.tsx";
import { type ActionDialogProps, FormDialog } from "./form-dialog.tsx";
import type { IncidentDetail } from "./model/incident.ts";
import { send } from "./send.ts";

export function ReopenDialog({ incident, reload, close }: ActionDialogProps & { readonly incident: IncidentDetail }) {
  const reason = useSignal("");
  const submit = () => {
    const body = reason.value.trim() === "" ? {} : { reason: reason.value.trim() };
    const request = api.POST("/v1/incidents/{id}/reopen", { params: { path: { id: incident.id } }, body });
    return send(request, { done: "Reopened.", reload });
  };
  return (
    <FormDialog title="Reopen the incident" action="Reopen" close={close} submit={submit}>
      {incident.resolution !== null && <p>The fix stays on record, as one that came back.</p>}
      <Field label="Why?" hint="Optional. It is shown in the timeline.">
        <textarea
          rows={3}
          maxLength={4_000}
          value={reason.value}
          onInput={(event) => {
            reason.value = event.currentTarget.value;
          }}
        />
      </Field>
    </FormDialog>
  );
}
