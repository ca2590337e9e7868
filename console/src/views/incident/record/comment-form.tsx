// Adds a comment to the timeline.

import { useSignal } from "@preact/signals";
import { api } from "../../../api/client.ts";
import type { Failure } from "../../../api/failure.ts";
import { FailedState } from "../../../components/failed-state.tsx";
import { LineForm } from "./line-form.tsx";
import type { RecordProps } from "./model/incident.ts";
import { send } from "./send.ts";

export function CommentForm({ incident, reload }: RecordProps) {
  const isBusy = useSignal(false);
  const failure = useSignal<Failure | null>(null);
  const submit = async (text: string) => {
    isBusy.value = true;
    const params = { path: { id: incident.id } };
    const request = api.POST("/v1/incidents/{id}/comments", { params, body: { text } });
    failure.value = await send(request, { done: "Added to the timeline.", reload });
    isBusy.value = false;
    return failure.value === null;
  };
  return (
    <>
      <LineForm
        label="Comment"
        action="Comment"
        placeholder="Such as: the provider has an outage, too"
        isBusy={isBusy.value}
        submit={submit}
      />
      {failure.value !== null && <FailedState failure={failure.value} />}
    </>
  );
}
