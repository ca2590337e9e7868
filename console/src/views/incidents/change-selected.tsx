// Changes the selected incidents at once: resolves them with one text, mutes or acknowledges them. Says why some cannot be.

import { useSignal } from "@preact/signals";
import { displayText } from "../../../../lib/text/display-text.ts";
import { api } from "../../api/client.ts";
import { type Failure, type Reply, settle } from "../../api/failure.ts";
import { TextField } from "../../components/field.tsx";
import { FormDialog } from "../../components/form-dialog.tsx";
import { showToast } from "../../components/toast.tsx";
import { EMPTY_MUTE, muteOf } from "../incident/record/model/mutes.ts";
import { MuteFields } from "../incident/record/mute-fields.tsx";
import type { Row } from "./rows.ts";

/** Requests at the same time. */
const AT_ONCE = 4;

interface SelectedProps {
  readonly rows: readonly Row[];
  /** Called when the dialog closes, whatever was done. */
  readonly close: () => void;
}

export function ResolveSelected({ rows, close }: SelectedProps) {
  const text = useSignal("");
  const error = useSignal<string | undefined>(undefined);
  const submit = async () => {
    const body = { resolution: text.value.trim() };
    error.value = body.resolution === "" ? "Say what fixed them: the next person reads it." : undefined;
    if (error.value !== undefined) return "invalid";
    const resolve = ({ id }: Row) => api.POST("/v1/incidents/{id}/resolve", { params: { path: { id } }, body });
    return changeAll(rows, "Resolved", resolve);
  };
  const action = `Resolve ${counted(rows)}`;
  return (
    <FormDialog title={action} action={action} close={close} submit={submit}>
      <TextField
        label="What fixed them?"
        error={error.value}
        hint="It is recorded as the fix of each of them."
        rows={3}
        maxLength={4_000}
        value={text.value}
        set={(typed) => (text.value = typed)}
      />
    </FormDialog>
  );
}

export function MuteSelected({ rows, close }: SelectedProps) {
  const form = useSignal(EMPTY_MUTE);
  const error = useSignal<string | undefined>(undefined);
  const submit = async () => {
    const mute = muteOf(form.value, Date.now());
    error.value = typeof mute === "string" ? mute : undefined;
    if (typeof mute === "string") return "invalid";
    return changeAll(rows, "Muted", ({ id }) => api.POST("/v1/mutes", { body: { ...mute, incident_id: id } }));
  };
  const action = `Mute ${counted(rows)}`;
  return (
    <FormDialog title={action} action={action} close={close} submit={submit}>
      <MuteFields form={form} error={error.value} />
    </FormDialog>
  );
}

/** Those that somebody has are left alone. */
export async function acknowledgeAll(rows: readonly Row[]): Promise<void> {
  const body = { acknowledged: true };
  const free = rows.filter(({ acknowledged_by }) => acknowledged_by === null);
  const failure = await changeAll(free, "Acknowledged", ({ id }) =>
    api.PATCH("/v1/incidents/{id}", { params: { path: { id } }, body }),
  );
  if (failure !== null) showToast(`${failure.title}. ${failure.detail}`, { isFailure: true });
}

const counted = (rows: readonly Row[]) => `${rows.length} ${rows.length === 1 ? "incident" : "incidents"}`;

/** @param done such as `Resolved` */
async function changeAll<T>(
  rows: readonly Row[],
  done: string,
  change: (row: Row) => Promise<Reply<T>>,
): Promise<Failure | null> {
  const failures: string[] = [];
  const waiting = [...rows];
  const work = async () => {
    for (let row = waiting.shift(); row !== undefined; row = waiting.shift()) {
      const result = await settle(change(row));
      if (!result.ok) failures.push(`${displayText(row.title)}: ${result.failure.detail}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  if (failures.length === 0) {
    showToast(`${done} ${counted(rows)}.`);
    return null;
  }
  const title = `${failures.length} of ${rows.length} are not ${done.toLowerCase()}`;
  return { status: null, title, detail: failures.slice(0, 3).join(" "), problem: null };
}
