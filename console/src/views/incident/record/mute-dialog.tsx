// Says that the failure is expected until a time, and ends that.

import { useSignal } from "@preact/signals";
import { displayText } from "../../../../../lib/text/display-text.ts";
import { api } from "../../../api/client.ts";
import { Button } from "../../../components/button.tsx";
import { FormDialog } from "../../../components/form-dialog.tsx";
import { Time } from "../../../components/time.tsx";
import { now } from "../../../format/now.ts";
import { can } from "../../../session/session.ts";
import type { DialogProps, RecordProps } from "./model/incident.ts";
import { EMPTY_MUTE, muteOf, presentMute } from "./model/mutes.ts";
import { MuteFields } from "./mute-fields.tsx";
import { send, sendAtOnce } from "./send.ts";

export function MuteDialog({ incident, reload, close }: DialogProps) {
  const form = useSignal(EMPTY_MUTE);
  const error = useSignal<string | undefined>(undefined);
  const submit = async () => {
    const mute = muteOf(form.value, Date.now());
    error.value = typeof mute === "string" ? mute : undefined;
    if (typeof mute === "string") return "invalid";
    const request = api.POST("/v1/mutes", { body: { ...mute, incident_id: incident.id } });
    return send(request, { done: "Muted. It is announced again when the mute ends.", reload });
  };
  return (
    <FormDialog title="This failure is expected" action="Mute" close={close} submit={submit}>
      <MuteFields form={form} error={error.value} />
    </FormDialog>
  );
}

export function MuteLine({ incident, reload }: RecordProps) {
  const mute = presentMute(incident.mute, now.value);
  if (mute === null) return null;
  const { id, reason, owner, ends_at } = mute;
  const end = () =>
    sendAtOnce(api.DELETE("/v1/mutes/{id}", { params: { path: { id } } }), { done: "The mute has ended.", reload });
  return (
    <p class="record-muted">
      <strong>Muted:</strong> {displayText(reason)}, by {displayText(owner)}, ends <Time at={ends_at} />.{" "}
      {can("feedback") && (
        <Button size="small" onClick={end}>
          End it
        </Button>
      )}
    </p>
  );
}
