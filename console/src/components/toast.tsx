// Short messages about what an action did. Screen readers read them.

import { signal } from "@preact/signals";

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly isFailure: boolean;
  /** Takes back what was done. */
  readonly undo?: (() => unknown) | undefined;
}

const SHOWN_MS = 6_000;
/** Long enough to read what was done, and to find the button. */
const UNDO_MS = 10_000;
const toasts = signal<readonly Toast[]>([]);
let lastId = 0;

export function showToast(
  text: string,
  { isFailure = false, undo }: Partial<Pick<Toast, "isFailure" | "undo">> = {},
): void {
  lastId += 1;
  const id = lastId;
  toasts.value = [...toasts.value, { id, text, isFailure, undo }];
  setTimeout(() => hide(id), undo === undefined ? SHOWN_MS : UNDO_MS);
}

function hide(id: number) {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, text, isFailure, undo }) => (
        <p key={id} class={isFailure ? "toast toast-failure" : "toast"}>
          {text}
          {undo !== undefined && (
            <button
              type="button"
              class="bare-button"
              onClick={() => {
                hide(id);
                return undo();
              }}
            >
              Undo
            </button>
          )}
        </p>
      ))}
    </div>
  );
}
