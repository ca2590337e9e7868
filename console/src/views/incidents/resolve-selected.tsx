// Resolves the selected incidents with one text, and says why some cannot be resolved.

import { useSignal } from "@preact/signals";
import { displayText } from "../../../../lib/text/display-text.ts";
import { api } from "../../api/client.ts";
import { type Failure, settle } from "../../api/failure.ts";
import { Field } from "../../components/field.tsx";
import { showToast } from "../../components/toast.tsx";
import { FormDialog } from "../incident/record/form-dialog.tsx";
import type { Row } from "./rows.ts";
import "../incident/record/record.css";

/** Requests at the same time. */
const AT_ONCE = 4;

interface ResolveSelectedProps {
  readonly rows: readonly Row[];
  /** Called when the dialog closes, whatever was done. */
  readonly close: () => void;
}

export function ResolveSelected({ rows, close }: ResolveSelectedProps) {
  const text = useSignal("");
  const error = useSignal<string | undefined>(undefined);
  const submit = async (): Promise<Failure | "invalid" | null> => {
    const resolution = text.value.trim();
    error.value = resolution === "" ? "Say what fixed them: the next person reads it." : undefined;
    if (error.value !== undefined) return "invalid";
    const body = { resolution };
    const failures: string[] = [];
    const waiting = [...rows];
    let done = 0;
    const work = async () => {
      for (let row = waiting.shift(); row !== undefined; row = waiting.shift()) {
        const result = await settle(api.POST("/v1/incidents/{id}/resolve", { params: { path: { id: row.id } }, body }));
        if (result.ok) done += 1;
        else failures.push(`${displayText(row.title)}: ${result.failure.detail}`);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    if (failures.length === 0) {
      showToast(`Resolved ${done} ${done === 1 ? "incident" : "incidents"}.`);
      return null;
    }
    const title = `${failures.length} of ${failures.length + done} are not resolved`;
    return { status: null, title, detail: failures.slice(0, 3).join(" "), problem: null };
  };
  const count = `${rows.length} ${rows.length === 1 ? "incident" : "incidents"}`;
  return (
    <FormDialog title={`Resolve ${count}`} action={`Resolve ${count}`} close={close} submit={submit}>
      <Field label="What fixed them?" error={error.value} hint="It is recorded as the fix of each of them.">
        <textarea
          rows={3}
          maxLength={4_000}
          value={text.value}
          onInput={({ currentTarget }) => {
            text.value = currentTarget.value;
          }}
        />
      </Field>
    </FormDialog>
  );
}
