// A dialog with a form: it closes when the change is stored, and shows why it was not.

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Failure } from "../../../api/failure.ts";
import { Button } from "../../../components/button.tsx";
import { Dialog } from "../../../components/dialog.tsx";
import { FailedState } from "../../../components/failed-state.tsx";

interface FormDialogProps {
  readonly title: string;
  /** The name of the button that sends it. */
  readonly action: string;
  readonly close: () => void;
  /** @returns the failure; `invalid` when a field shows what is wrong; null when it is stored */
  readonly submit: () => Promise<Failure | "invalid" | null>;
  readonly children: ComponentChildren;
}

export function FormDialog({ title, action, close, submit, children }: FormDialogProps) {
  const form = useRef<HTMLFormElement>(null);
  const isBusy = useSignal(false);
  const failure = useSignal<Failure | null>(null);
  // The platform would focus the button that closes it.
  useEffect(() => form.current?.querySelector<HTMLElement>("textarea, select, input:checked")?.focus(), []);
  const run = async (event: Event) => {
    event.preventDefault();
    isBusy.value = true;
    const outcome = await submit();
    isBusy.value = false;
    if (outcome === null) close();
    else failure.value = outcome === "invalid" ? null : outcome;
  };
  return (
    <Dialog title={title} onClose={close}>
      <form ref={form} onSubmit={run} noValidate>
        {children}
        {failure.value !== null && <FailedState failure={failure.value} />}
        <div class="record-form-actions">
          <Button onClick={close}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={isBusy.value}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

export interface ActionDialogProps {
  readonly reload: () => Promise<void>;
  readonly close: () => void;
}
