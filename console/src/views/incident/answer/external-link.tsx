// A link to a page of another system. Addresses come from elsewhere: only those of web pages become links.

import type { ComponentChildren } from "preact";

interface ExternalLinkProps {
  readonly href: string | null;
  readonly children: ComponentChildren;
}

/** Nothing without the address of a web page. */
export function ExternalLink({ href, children }: ExternalLinkProps) {
  if (href === null || !isWebAddress(href)) return null;
  return (
    <a href={href} target="_blank" rel="noreferrer noopener">
      {children} <span aria-hidden="true">↗</span>
      <span class="visually-hidden"> in a new tab</span>
    </a>
  );
}

export function isWebAddress(address: string): boolean {
  return URL.canParse(address) && /^https?:$/.test(new URL(address).protocol);
}
