// Resolves incidents, or records the fix of one that ended by itself: a fix of a past one in one press, or a new text.

import { useSignal } from "@preact/signals";
import { displayText } from "../../../../../lib/text/display-text.ts";
import { api } from "../../../api/client.ts";
import { Choice } from "../../../components/choice.tsx";
import { SelectField, TextField } from "../../../components/field.tsx";
import { FormDialog } from "../../../components/form-dialog.tsx";
import { useForm } from "../../../components/use-form.ts";
import { now } from "../../../format/now.ts";
import { datedProofOf } from "../../../format/words.ts";
import type { IncidentDetail } from "../answer/model/incident.ts";
import { Prose } from "../answer/prose.tsx";
import type { Fix } from "./model/past-fixes.ts";
import { changeAll, namedCount, send } from "./send.ts";

/** A shorter text does not help the next person. */
const MIN_LENGTH = 10;
const MAX_FIXES = 3;
const NEW = "new";

interface ResolveDialogProps {
  readonly incidents: readonly (Pick<IncidentDetail, "id" | "title" | "status"> & {
    readonly alerts: { readonly firing: number };
  })[];
  /** To choose from. */
  readonly fixes: readonly Fix[];
  readonly reload: () => Promise<void>;
  readonly close: () => unknown;
}

export function ResolveDialog({ incidents, fixes: all, reload, close }: ResolveDialogProps) {
  const fixes = all.slice(0, MAX_FIXES);
  const { values, change, field } = useForm({ choice: fixes.length > 0 ? "" : NEW, text: "", failed: "", worked: "" });
  const error = useSignal<string | undefined>(undefined);
  const isOpen = incidents.some(({ status }) => status !== "resolved");
  const firing = incidents.filter(({ alerts }) => alerts.firing > 0).length;
  const isNew = values.choice === NEW;
  const submit = async () => {
    if (values.choice === "") return "Choose what fixed it.";
    const resolution = values.text.trim();
    error.value =
      isNew && resolution.length < MIN_LENGTH
        ? `Say what fixed it in at least ${MIN_LENGTH} characters: the next person reads it.`
        : undefined;
    if (error.value !== undefined) return "invalid";
    const did_not_help = values.failed.split("\n").flatMap((line) => line.trim() || []);
    const body = {
      ...(isNew ? { resolution } : { fix_id: values.choice }),
      ...(did_not_help.length > 0 && { did_not_help }),
      ...(values.worked !== "" && { worked: values.worked === "yes" }),
    };
    const resolve = ({ id }: { readonly id: string }) =>
      api.POST("/v1/incidents/{id}/resolve", { params: { path: { id } }, body });
    const [first, ...others] = incidents;
    const undone = isNew ? [] : incidents.filter(({ status }) => status !== "resolved");
    if (first === undefined || others.length > 0)
      return changeAll(incidents, resolve, { done: "Resolved", reload, undone });
    const done = `${isOpen ? "Resolved" : "Recorded"}. The fix is shown for the next incident of this kind.`;
    return send(resolve(first), { done, reload, undone });
  };
  return (
    <FormDialog
      title={isOpen ? `Resolve ${namedCount(incidents)}` : "Record what fixed it"}
      action={isOpen ? "Resolve" : "Record"}
      close={close}
      submit={submit}
    >
      {isOpen && firing > 0 && (
        <p class="warn">
          {incidents.length === 1 ? "It still fires." : `${firing} of them still ${firing === 1 ? "fires" : "fire"}.`} A
          resolved incident stays in the list under <em>Firing</em> until its alerts end.
        </p>
      )}
      {fixes.length > 0 && (
        <fieldset class="choices">
          <legend>What fixed it?</legend>
          {fixes.map((fix) => (
            <Choice key={fix.id} value={fix.id} chosen={values.choice} choose={(choice) => change({ choice })}>
              <strong>Same as before:</strong> <Prose text={fix.text} />
              <span class="note">{displayText(datedProofOf(fix, now.value))}</span>
            </Choice>
          ))}
          <Choice value={NEW} chosen={values.choice} choose={(choice) => change({ choice })}>
            Something else
          </Choice>
        </fieldset>
      )}
      {isNew && (
        <TextField
          label={fixes.length > 0 ? "The fix" : "What fixed it?"}
          hint={incidents.length > 1 ? "It is recorded as the fix of each of them." : undefined}
          error={error.value}
          rows={3}
          maxLength={4_000}
          {...field("text")}
        />
      )}
      <details>
        <summary>What did not help, and did the answer?</summary>
        <div class="stack">
          <TextField label="What did not help" hint="One action a line." rows={2} {...field("failed")} />
          <SelectField
            label="Did the answer lead to the fix?"
            names={{ "": "Not reported", yes: "Yes", no: "No" }}
            {...field("worked")}
          />
        </div>
      </details>
    </FormDialog>
  );
}
