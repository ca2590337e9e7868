// Removes something for good, after a dialog that says what goes with it.

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { type Failure, type Reply, settle } from "../../api/failure.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { FailedState } from "../../components/failed-state.tsx";
import { showToast } from "../../components/toast.tsx";

interface ConfirmedRemovalProps {
  /** Such as `Delete`. */
  readonly verb: string;
  readonly name: string;
  readonly remove: () => Promise<Reply<unknown>>;
  /** Shown when it is done. */
  readonly done: string;
  readonly onDone: () => void;
  /** What goes with it. */
  readonly children: ComponentChildren;
}

export function ConfirmedRemoval({ verb, name, remove, done, onDone, children }: ConfirmedRemovalProps) {
  const isOpen = useSignal(false);
  const isBusy = useSignal(false);
  const failure = useSignal<Failure | null>(null);
  const confirm = async () => {
    isBusy.value = true;
    failure.value = null;
    const result = await settle(remove());
    isBusy.value = false;
    if (!result.ok) {
      failure.value = result.failure;
      return;
    }
    isOpen.value = false;
    showToast(done);
    onDone();
  };
  return (
    <>
      <Button kind="danger" size="small" aria-label={`${verb} ${name}`} onClick={() => (isOpen.value = true)}>
        {verb}
      </Button>
      {isOpen.value && (
        <Dialog title={`${verb} ${name}?`} onClose={() => (isOpen.value = false)}>
          <div class="settings-stack">
            {children}
            {failure.value !== null && <FailedState failure={failure.value} />}
            <div class="settings-actions">
              <Button kind="danger" isBusy={isBusy.value} onClick={() => void confirm()}>
                {verb} it
              </Button>
              <Button onClick={() => (isOpen.value = false)}>Keep it</Button>
            </div>
          </div>
        </Dialog>
      )}
    </>
  );
}
