// Adds a comment to the timeline.

import { useSignal } from "@preact/signals";
import { api } from "../../../api/client.ts";
import type { Failure } from "../../../api/failure.ts";
import { Button } from "../../../components/button.tsx";
import { FailedState } from "../../../components/failed-state.tsx";
import { Field } from "../../../components/field.tsx";
import type { RecordProps } from "./model/incident.ts";
import { send } from "./send.ts";

export function CommentForm({ incident, reload }: RecordProps) {
  const text = useSignal("");
  const isBusy = useSignal(false);
  const failure = useSignal<Failure | null>(null);
  const submit = async (event: Event) => {
    event.preventDefault();
    const body = { text: text.value.trim() };
    if (body.text === "" || isBusy.value) return;
    isBusy.value = true;
    const request = api.POST("/v1/incidents/{id}/comments", { params: { path: { id: incident.id } }, body });
    failure.value = await send(request, { done: "Added to the timeline.", reload });
    isBusy.value = false;
    if (failure.value === null) text.value = "";
  };
  return (
    <form class="record-ask" onSubmit={submit}>
      <Field label="Comment" isLabelHidden>
        <input
          type="text"
          maxLength={4_000}
          autoComplete="off"
          placeholder="Such as: the provider has an outage, too"
          value={text.value}
          onInput={(event) => {
            text.value = event.currentTarget.value;
          }}
        />
      </Field>
      <Button type="submit" isBusy={isBusy.value}>
        Comment
      </Button>
      {failure.value !== null && <FailedState failure={failure.value} />}
    </form>
  );
}
