// One line of text with its button.

import { useSignal } from "@preact/signals";
import type { Failure } from "../api/failure.ts";
import { Button } from "./button.tsx";
import { TextField } from "./field.tsx";
import { FailedState } from "./states.tsx";
import { bound, useSubmit } from "./use-form.ts";
import "./line-form.css";

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
  const {
    submit: run,
    isBusy: isSending,
    outcome,
  } = useSubmit(async () => {
    const line = text.value.trim();
    if (line === "" || isBusy) return null;
    const failure = await submit(line);
    if (failure === null) text.value = "";
    return failure;
  });
  return (
    <>
      <form class="line-form" onSubmit={run}>
        <TextField label={label} isLabelHidden maxLength={4_000} placeholder={placeholder} {...bound(text)} />
        <Button type="submit" isBusy={isBusy || isSending}>
          {action}
        </Button>
      </form>
      {outcome !== null && <FailedState failure={outcome} />}
    </>
  );
}
