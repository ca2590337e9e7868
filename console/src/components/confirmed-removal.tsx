// Removes something for good, after a dialog that says what goes with it.

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { type Reply, settle } from "../api/failure.ts";
import { Button } from "./button.tsx";
import { FormDialog } from "./form-dialog.tsx";
import { showToast } from "./toast.tsx";

interface ConfirmedRemovalProps {
  /** Such as `Delete`. */
  readonly verb: string;
  readonly name: string;
  /** Of the dialog; by default with the name. */
  readonly title?: string;
  readonly size?: "small" | "normal";
  readonly remove: () => Promise<Reply<unknown>>;
  /** Shown when it is done. */
  readonly done: string;
  readonly onDone: () => void;
  /** What goes with it. */
  readonly children: ComponentChildren;
}

export function ConfirmedRemoval({
  verb,
  name,
  title = `${verb} ${name}?`,
  size = "small",
  remove,
  done,
  onDone,
  children,
}: ConfirmedRemovalProps) {
  const isOpen = useSignal(false);
  const submit = async () => {
    const result = await settle(remove());
    // What is gone already is what the person wanted.
    if (!result.ok && result.failure.status !== 404) return result.failure;
    showToast(done);
    onDone();
    return null;
  };
  return (
    <>
      <Button kind="danger" size={size} aria-label={`${verb} ${name}`} onClick={() => (isOpen.value = true)}>
        {verb}
      </Button>
      {isOpen.value && (
        <FormDialog
          title={title}
          action={`${verb} it`}
          kind="danger"
          cancel="Keep it"
          close={() => (isOpen.value = false)}
          submit={submit}
        >
          {children}
        </FormDialog>
      )}
    </>
  );
}
