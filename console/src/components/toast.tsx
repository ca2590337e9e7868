// Short messages about what an action did. Screen readers read them.

import { signal } from "@preact/signals";

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly isFailure: boolean;
}

const SHOWN_MS = 6_000;
const toasts = signal<readonly Toast[]>([]);
let lastId = 0;

export function showToast(text: string, { isFailure = false }: { readonly isFailure?: boolean } = {}): void {
  lastId += 1;
  const id = lastId;
  toasts.value = [...toasts.value, { id, text, isFailure }];
  setTimeout(() => (toasts.value = toasts.value.filter((toast) => toast.id !== id)), SHOWN_MS);
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, text, isFailure }) => (
        <p key={id} class={isFailure ? "toast toast-failure" : "toast"}>
          {text}
        </p>
      ))}
    </div>
  );
}
