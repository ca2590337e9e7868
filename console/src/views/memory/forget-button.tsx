// Deletes a record of memory, after a dialog that says what goes with it.

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { type Failure, type Reply, settle } from "../../api/failure.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { FailedState } from "../../components/failed-state.tsx";
import { showToast } from "../../components/toast.tsx";
import { can } from "../../session/session.ts";

interface ForgetButtonProps {
  /** Such as `observation`. */
  readonly kind: string;
  /** The record, for screen readers. */
  readonly name: string;
  readonly size?: "small" | "normal";
  readonly forget: () => Promise<Reply<unknown>>;
  readonly onForgotten: () => void;
  /** What is deleted with it, and what stays. */
  readonly children: ComponentChildren;
}

/** Shown with the scope `admin` only. */
export function ForgetButton({ kind, name, size = "normal", forget, onForgotten, children }: ForgetButtonProps) {
  const isOpen = useSignal(false);
  const isBusy = useSignal(false);
  const failure = useSignal<Failure | null>(null);
  if (!can("admin")) return null;
  const confirm = async () => {
    isBusy.value = true;
    failure.value = null;
    const result = await settle(forget());
    isBusy.value = false;
    // A record that is gone already is what the person wanted.
    if (!result.ok && result.failure.status !== 404) {
      failure.value = result.failure;
      return;
    }
    isOpen.value = false;
    showToast(`The ${kind} is deleted.`);
    onForgotten();
  };
  return (
    <>
      <Button kind="danger" size={size} aria-label={`Forget ${name}`} onClick={() => (isOpen.value = true)}>
        Forget
      </Button>
      {isOpen.value && (
        <Dialog title={`Forget this ${kind}?`} onClose={() => (isOpen.value = false)}>
          <div class="memory-forget">
            {children}
            <p>Nobody can undo this.</p>
            {failure.value !== null && <FailedState failure={failure.value} />}
            <div class="memory-actions">
              <Button kind="danger" isBusy={isBusy.value} onClick={() => void confirm()}>
                Forget it
              </Button>
              <Button onClick={() => (isOpen.value = false)}>Keep it</Button>
            </div>
          </div>
        </Dialog>
      )}
    </>
  );
}
