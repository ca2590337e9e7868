// One line of text with its button.

import { useSignal } from "@preact/signals";
import type { Failure } from "../api/failure.ts";
import { Button } from "./button.tsx";
import { FailedState } from "./failed-state.tsx";
import { TextField } from "./field.tsx";

interface LineFormProps {
  readonly label: string;
  readonly action: string;
  readonly placeholder: string;
  readonly isBusy?: boolean;
  /** @returns the failure; null if the text is taken, so that the field is emptied */
  readonly submit: (text: string) => Promise<Failure | null>;
}

export function LineForm({ label, action, placeholder, isBusy = false, submit }: LineFormProps) {
  const text = useSignal("");
  const isSending = useSignal(false);
  const failure = useSignal<Failure | null>(null);
  const run = async (event: Event) => {
    event.preventDefault();
    const line = text.value.trim();
    if (line === "" || isBusy || isSending.value) return;
    isSending.value = true;
    failure.value = await submit(line);
    isSending.value = false;
    if (failure.value === null) text.value = "";
  };
  return (
    <>
      <form class="line-form" onSubmit={run}>
        <TextField
          label={label}
          isLabelHidden
          maxLength={4_000}
          placeholder={placeholder}
          value={text.value}
          set={(typed) => (text.value = typed)}
        />
        <Button type="submit" isBusy={isBusy || isSending.value}>
          {action}
        </Button>
      </form>
      {failure.value !== null && <FailedState failure={failure.value} />}
    </>
  );
}
