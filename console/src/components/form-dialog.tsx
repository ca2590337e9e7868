// A dialog with a form: it closes when the change is stored, and shows why it was not.

import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Failure } from "../api/failure.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { FailedState } from "./states.tsx";
import { useSubmit } from "./use-form.ts";

interface FormDialogProps {
  readonly title: string;
  /** The name of the button that sends it. */
  readonly action: string;
  readonly kind?: "primary" | "danger";
  /** The name of the button that does not. */
  readonly cancel?: string;
  readonly isDisabled?: boolean;
  readonly close: () => unknown;
  /** @returns the failure; a sentence that says what is missing; `invalid` when a field says it; null when it is stored */
  readonly submit: () => Promise<Failure | string | null>;
  readonly children: ComponentChildren;
}

/** What has the focus first: the platform would choose the button that closes the dialog. */
const FIRST = "textarea, select, input";

export function FormDialog({
  title,
  action,
  kind = "primary",
  cancel = "Cancel",
  isDisabled = false,
  close,
  submit,
  children,
}: FormDialogProps) {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.querySelector<HTMLElement>(FIRST)?.focus(), []);
  const {
    submit: run,
    isBusy,
    outcome,
  } = useSubmit(async () => {
    const outcome = await submit();
    if (outcome === null) close();
    return outcome;
  });
  // The answer may be a failure, or a secret that is shown once.
  const leave = () => (isBusy ? undefined : close());
  return (
    <Dialog title={title} onClose={leave}>
      <form ref={form} onSubmit={run}>
        {children}
        <div class="dialog-foot">
          {outcome !== null && outcome !== "invalid" && <Missing outcome={outcome} />}
          <div class="dialog-actions">
            <Button onClick={leave}>{cancel}</Button>
            <Button kind={kind} type="submit" isBusy={isBusy} disabled={isDisabled}>
              {action}
            </Button>
          </div>
        </div>
      </form>
    </Dialog>
  );
}

function Missing({ outcome }: { readonly outcome: Failure | string }) {
  if (typeof outcome !== "string") return <FailedState failure={outcome} />;
  return (
    <p class="field-error" role="alert">
      {outcome}
    </p>
  );
}
