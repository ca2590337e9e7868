// Tabs that are links: each has an address. A row that is wider than its place scrolls to the current one.

import { useLayoutEffect, useRef } from "preact/hooks";

export interface Tab {
  readonly href: string;
  readonly name: string;
  readonly isCurrent: boolean;
}

interface TabsProps {
  /** Of the group, for screen readers. */
  readonly label: string;
  readonly tabs: readonly Tab[];
  /** The look of the row. */
  readonly class?: string;
}

export function Tabs({ label, tabs, class: look = "tabs" }: TabsProps) {
  const row = useRef<HTMLElement>(null);
  const current = tabs.find(({ isCurrent }) => isCurrent)?.href;
  useLayoutEffect(() => {
    if (row.current !== null) centerCurrent(row.current);
  }, [current]);
  return (
    <nav ref={row} class={look} aria-label={label}>
      {tabs.map(({ href, name, isCurrent }) => (
        <a key={href} class="tab" href={href} aria-current={isCurrent ? "page" : undefined}>
          {name}
        </a>
      ))}
    </nav>
  );
}

/** Scrolls the row alone: `scrollIntoView` would also move a page that is scrolled down, such as after Back. */
function centerCurrent(row: HTMLElement): void {
  const link = row.querySelector("[aria-current]")?.getBoundingClientRect();
  if (link === undefined) return;
  const { left, width } = row.getBoundingClientRect();
  row.scrollLeft += link.left + link.width / 2 - (left + width / 2);
}
