// Says that a failure is expected until a time, and ends that.

import { useSignal } from "@preact/signals";
import { displayText } from "../../../../../lib/text/display-text.ts";
import { api } from "../../../api/client.ts";
import { Button } from "../../../components/button.tsx";
import { SelectField, TextField } from "../../../components/field.tsx";
import { FormDialog } from "../../../components/form-dialog.tsx";
import { Time } from "../../../components/time.tsx";
import { useForm } from "../../../components/use-form.ts";
import { now } from "../../../format/now.ts";
import { can } from "../../../session/session.ts";
import type { IncidentProps } from "../answer/model/incident.ts";
import { AT_A_TIME, EMPTY_MUTE, muteOf, PERIODS, presentMute } from "./model/mutes.ts";
import { changeAll, namedCount, send, sendAtOnce } from "./send.ts";

interface MuteDialogProps {
  readonly incidents: readonly { readonly id: string; readonly title: string }[];
  readonly reload: () => Promise<void>;
  readonly close: () => unknown;
}

export function MuteDialog({ incidents, reload, close }: MuteDialogProps) {
  const { values, field } = useForm(EMPTY_MUTE);
  const error = useSignal<string | undefined>(undefined);
  const isUnexplained = values.reason.trim() === "";
  const submit = async () => {
    const mute = muteOf(values, Date.now());
    error.value = typeof mute === "string" ? mute : undefined;
    if (typeof mute === "string") return "invalid";
    const request = ({ id }: { readonly id: string }) => api.POST("/v1/mutes", { body: { ...mute, incident_id: id } });
    const [first, ...others] = incidents;
    if (first !== undefined && others.length === 0)
      return send(request(first), { done: "Muted. It is announced again when the mute ends.", reload });
    return changeAll(incidents, request, { done: "Muted", reload });
  };
  const title = incidents.length === 1 ? "This failure is expected" : `Mute ${namedCount(incidents)}`;
  return (
    <FormDialog title={title} action="Mute" close={close} submit={submit}>
      <p>Its repeats are stored and answered, but not announced. At the end, those that are open are announced.</p>
      <TextField
        label="Why is it expected?"
        placeholder="Such as: planned migration"
        error={isUnexplained ? error.value : undefined}
        maxLength={500}
        {...field("reason")}
      />
      <SelectField
        label="Until"
        names={Object.fromEntries(Object.entries(PERIODS).map(([name, { text }]) => [name, text]))}
        {...field("period")}
      />
      {values.period === AT_A_TIME && (
        <TextField
          label="Time"
          type="datetime-local"
          required
          error={isUnexplained ? undefined : error.value}
          {...field("until")}
        />
      )}
    </FormDialog>
  );
}

export function MuteLine({ incident, reload }: IncidentProps) {
  const mute = presentMute(incident.mute, now.value);
  return mute && <MuteText mute={mute} reload={reload} />;
}

type MuteTextProps = { readonly mute: NonNullable<IncidentProps["incident"]["mute"]> } & Pick<IncidentProps, "reload">;

/** Who expects it, why and until when, and its end. */
export function MuteText({ mute: { id, reason, owner, ends_at }, reload }: MuteTextProps) {
  // The clock of the server may be ahead, so that an ended mute would look present for a while.
  const endedId = useSignal<string | null>(null);
  if (id === endedId.value) return null;
  const hide = () => {
    endedId.value = id;
    return reload();
  };
  const end = () =>
    sendAtOnce(api.DELETE("/v1/mutes/{id}", { params: { path: { id } } }), {
      done: "The mute has ended.",
      reload: hide,
    });
  return (
    <p class="callout">
      <strong>Muted:</strong> {displayText(reason)}, by {displayText(owner)}, ends <Time at={ends_at} />.{" "}
      {can("feedback") && (
        <Button size="small" onClick={end}>
          End it
        </Button>
      )}
    </p>
  );
}
