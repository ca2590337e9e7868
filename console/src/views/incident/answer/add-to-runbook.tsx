// Offers to add what fixed the incident to the runbook that lacks it, with the change as a diff.

import { useSignal } from "@preact/signals";
import { displayText } from "../../../../../lib/text/display-text.ts";
import { useGet } from "../../../api/use-request.ts";
import { Button } from "../../../components/button.tsx";
import { TextField } from "../../../components/field.tsx";
import { FormDialog } from "../../../components/form-dialog.tsx";
import { showToast } from "../../../components/toast.tsx";
import { bound } from "../../../components/use-form.ts";
import { LineDiff } from "../../runbooks/line-diff.tsx";
import { putRunbook, type RunbookDetail, runbookHref, splitName } from "../../runbooks/runbook-name.ts";
import { lacksFix, withFix } from "./model/added-fix.ts";

interface AddToRunbookProps {
  /** Path of the runbook. */
  readonly source: string;
  readonly fix: string;
}

export function AddToRunbook({ source, fix }: AddToRunbookProps) {
  const isOpen = useSignal(false);
  const name = splitName(source);
  const request = useGet("/v1/runbooks/{domain}/{source}", { path: name });
  const state = request.state.value;
  if (state.status !== "ready" || !lacksFix(state.data.markdown, fix)) return null;
  return (
    <div>
      The runbook <a href={runbookHref(name)}>{displayText(state.data.title)}</a> does not say this.{" "}
      <Button size="small" onClick={() => (isOpen.value = true)}>
        Add it to the runbook
      </Button>
      {isOpen.value && (
        <AddDialog
          runbook={state.data}
          source={source}
          fix={fix}
          reload={request.reload}
          close={() => (isOpen.value = false)}
        />
      )}
    </div>
  );
}

interface AddDialogProps extends AddToRunbookProps {
  readonly runbook: RunbookDetail;
  readonly reload: () => Promise<void>;
  readonly close: () => unknown;
}

function AddDialog({ runbook: { title, markdown, etag }, source, fix, reload, close }: AddDialogProps) {
  const text = useSignal(fix);
  const after = withFix(markdown, text.value);
  const submit = async () => {
    const result = await putRunbook(splitName(source), after, etag);
    if (!result.ok) return result.failure;
    showToast("Saved. The next answer uses it.");
    await reload();
    return null;
  };
  return (
    <FormDialog title={`Add the fix to ${displayText(title)}`} action="Save the runbook" close={close} submit={submit}>
      <TextField
        label="The step"
        hint="As the next person should do it."
        required
        rows={2}
        maxLength={4_000}
        {...bound(text)}
      />
      <LineDiff before={markdown} after={after} />
    </FormDialog>
  );
}
