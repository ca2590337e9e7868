// Opens a resolved incident again.

import { useSignal } from "@preact/signals";
import { api } from "../../../api/client.ts";
import { TextField } from "../../../components/field.tsx";
import { FormDialog } from "../../../components/form-dialog.tsx";
import type { DialogProps } from "./model/incident.ts";
import { send } from "./send.ts";

export function ReopenDialog({ incident, reload, close }: DialogProps) {
  const reason = useSignal("");
  const submit = () => {
    const body = reason.value.trim() === "" ? {} : { reason: reason.value.trim() };
    const request = api.POST("/v1/incidents/{id}/reopen", { params: { path: { id: incident.id } }, body });
    return send(request, { done: "Reopened.", reload });
  };
  return (
    <FormDialog title="Reopen the incident" action="Reopen" close={close} submit={submit}>
      {incident.resolution !== null && <p>The fix stays on record, as one that came back.</p>}
      <TextField
        label="Why?"
        hint="Optional. It is shown in the timeline."
        rows={3}
        maxLength={4_000}
        value={reason.value}
        set={(text) => (reason.value = text)}
      />
    </FormDialog>
  );
}
