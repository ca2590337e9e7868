// A modal dialog: the platform traps the focus, closes it on Escape and returns the focus.

import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";

interface DialogProps {
  readonly title: string;
  /** Called on Escape and on the close button. */
  readonly onClose: () => unknown;
  /** Without it, only an action in the dialog closes it. */
  readonly canClose?: boolean;
  readonly children: ComponentChildren;
}

/** Open while it is rendered. */
export function Dialog({ title, onClose, canClose = true, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const returnTo = document.activeElement;
    dialog.current?.showModal();
    return () => {
      // A page that it led to has the focus already.
      const isElsewhere = document.activeElement?.matches("h1, [data-focus-first]");
      if (returnTo instanceof HTMLElement && returnTo.isConnected && !isElsewhere) returnTo.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class="dialog"
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        if (canClose) onClose();
      }}
    >
      <div class="page-head dialog-head">
        <h2 id={id}>{title}</h2>
        {canClose && (
          <button type="button" class="bare-button dialog-close" aria-label="Close" onClick={onClose}>
            ×
          </button>
        )}
      </div>
      {children}
    </dialog>
  );
}
