// A view's frame: its heading, which names the browser's tab too, its actions and its content.

import type { ComponentChildren } from "preact";
import { useEffect, useId } from "preact/hooks";

interface PageProps {
  readonly title: string;
  /** Beside the title. */
  readonly actions?: ComponentChildren;
  /** As wide as the window. */
  readonly isWide?: boolean;
  readonly children: ComponentChildren;
}

export function Page({ title, actions, isWide = false, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Dejavu`;
  }, [title]);
  return (
    <div class={isWide ? "page page-wide" : "page"}>
      <div class="page-head">
        <h1 tabindex={-1}>{title}</h1>
        {actions && <div class="actions">{actions}</div>}
      </div>
      {children}
    </div>
  );
}

interface SectionProps {
  readonly title: string;
  /** One sentence below the title. */
  readonly note?: ComponentChildren;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

export function Section({ title, note, actions, children }: SectionProps) {
  const id = useId();
  return (
    <section class="stack" aria-labelledby={id}>
      <div class="page-head">
        <h2 id={id}>{title}</h2>
        {actions && <div class="actions">{actions}</div>}
      </div>
      {note && <p class="note">{note}</p>}
      {children}
    </section>
  );
}
