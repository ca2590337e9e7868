// Resolves the incident, or records the fix of one that ended by itself: a fix of a past one in one press, or a new text.

import { type Signal, useSignal } from "@preact/signals";
import { displayText } from "../../../../../lib/text/display-text.ts";
import { api } from "../../../api/client.ts";
import { SelectField, TextField } from "../../../components/field.tsx";
import { FormDialog } from "../../../components/form-dialog.tsx";
import { now } from "../../../format/now.ts";
import { Choice } from "./choice.tsx";
import type { DialogProps } from "./model/incident.ts";
import { activeFixes, type Fix, proofOf, shownPastIncidents } from "./model/past-fixes.ts";
import { send } from "./send.ts";

/** A shorter text does not help the next person. */
const MIN_LENGTH = 10;
const MAX_FIXES = 3;
const NEW = "new";

export function ResolveDialog({ incident, reload, close }: DialogProps) {
  const fixes = incident.triage === null ? [] : distinctFixes(shownPastIncidents(incident.triage).flatMap(activeFixes));
  const choice = useSignal(NEW);
  const text = useSignal("");
  const failed = useSignal("");
  const worked = useSignal("");
  const error = useSignal<string | undefined>(undefined);
  const isOpen = incident.status !== "resolved";
  const submit = async () => {
    const resolution = text.value.trim();
    const isNew = choice.value === NEW;
    error.value =
      isNew && resolution.length < MIN_LENGTH
        ? `Say what fixed it in at least ${MIN_LENGTH} characters: the next person reads it.`
        : undefined;
    if (error.value !== undefined) return "invalid";
    const did_not_help = failed.value.split("\n").flatMap((line) => (line.trim() === "" ? [] : [line.trim()]));
    const body = {
      ...(isNew ? { resolution } : { fix_id: choice.value }),
      ...(did_not_help.length === 0 ? {} : { did_not_help }),
      ...(worked.value === "" ? {} : { worked: worked.value === "yes" }),
    };
    const request = api.POST("/v1/incidents/{id}/resolve", { params: { path: { id: incident.id } }, body });
    const done = `${isOpen ? "Resolved" : "Recorded"}. The fix is shown for the next incident of this kind.`;
    return send(request, { done, reload });
  };
  return (
    <FormDialog
      title={isOpen ? "Resolve the incident" : "Record what fixed it"}
      action={isOpen ? "Resolve" : "Record"}
      close={close}
      submit={submit}
    >
      {fixes.length > 0 && <Choices fixes={fixes} choice={choice} />}
      {choice.value === NEW && (
        <TextField
          label={fixes.length > 0 ? "The fix" : "What fixed it?"}
          error={error.value}
          rows={3}
          maxLength={4_000}
          value={text.value}
          set={(typed) => (text.value = typed)}
        />
      )}
      <More failed={failed} worked={worked} />
    </FormDialog>
  );
}

function Choices({ fixes, choice }: { readonly fixes: readonly Fix[]; readonly choice: Signal<string> }) {
  const choose = (value: string) => (choice.value = value);
  return (
    <fieldset class="record-choices">
      <legend>What fixed it?</legend>
      {fixes.map((fix) => (
        <Choice key={fix.id} value={fix.id} chosen={choice.value} choose={choose}>
          <span class="record-same">Same as before:</span> {displayText(fix.text)}
          <span class="note">{displayText(proofOf(fix, now.value))}</span>
        </Choice>
      ))}
      <Choice value={NEW} chosen={choice.value} choose={choose}>
        Something else
      </Choice>
    </fieldset>
  );
}

/** What is rarely reported. */
function More({ failed, worked }: { readonly failed: Signal<string>; readonly worked: Signal<string> }) {
  return (
    <details>
      <summary>What did not help, and did the answer?</summary>
      <div class="record-more">
        <TextField
          label="What did not help"
          hint="One action a line."
          rows={2}
          value={failed.value}
          set={(text) => (failed.value = text)}
        />
        <SelectField
          label="Did the answer lead to the fix?"
          value={worked.value}
          names={{ "": "Not reported", yes: "Yes", no: "No" }}
          set={(chosen) => (worked.value = chosen)}
        />
      </div>
    </details>
  );
}

/** Several records may have the same action. */
function distinctFixes(fixes: readonly Fix[]): Fix[] {
  return [...new Map(fixes.toReversed().map((fix) => [fix.text, fix])).values()].toReversed().slice(0, MAX_FIXES);
}
