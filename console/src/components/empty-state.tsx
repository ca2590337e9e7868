// Says that there is nothing, and what to do next.

import type { ComponentChildren } from "preact";

export function EmptyState({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) {
  return (
    <div class="state">
      <p class="state-title">{title}</p>
      {children}
    </div>
  );
}
