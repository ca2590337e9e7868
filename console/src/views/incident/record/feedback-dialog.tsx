// Says that the answer did not help, and why.

import { useSignal } from "@preact/signals";
import { api } from "../../../api/client.ts";
import { Field } from "../../../components/field.tsx";
import { type ActionDialogProps, FormDialog } from "./form-dialog.tsx";
import { send } from "./send.ts";

interface FeedbackDialogProps extends ActionDialogProps {
  readonly triageId: string;
  readonly onRated: () => void;
}

export function FeedbackDialog({ triageId, reload, close, onRated }: FeedbackDialogProps) {
  const comment = useSignal("");
  const submit = async () => {
    const text = comment.value.trim();
    const body = { rating: "down" as const, ...(text === "" ? {} : { comment: text }) };
    const request = api.POST("/v1/triages/{id}/feedback", { params: { path: { id: triageId } }, body });
    const failure = await send(request, { done: "Thank you. The rating is stored.", reload });
    if (failure === null) onRated();
    return failure;
  };
  return (
    <FormDialog title="The answer did not help" action="Send" close={close} submit={submit}>
      <Field label="What was wrong?" hint="Optional. It helps those who write the runbooks.">
        <textarea
          rows={3}
          maxLength={4_000}
          value={comment.value}
          onInput={(event) => {
            comment.value = event.currentTarget.value;
          }}
        />
      </Field>
    </FormDialog>
  );
}
