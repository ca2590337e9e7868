// Facts with their names.

import type { ComponentChildren } from "preact";

export function Facts({ children }: { readonly children: ComponentChildren }) {
  return <dl class="named-facts">{children}</dl>;
}

export function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
