// Figures with their names and what they mean.

import type { ComponentChildren } from "preact";

export interface Figure {
  readonly name: string;
  readonly value: ComponentChildren;
  /** What it means, in a few words. */
  readonly note?: string;
}

export function Figures({ figures }: { readonly figures: readonly Figure[] }) {
  return (
    <dl class="quality-figures">
      {figures.map(({ name, value, note }) => (
        <div key={name} class="card quality-figure">
          <dt>{name}</dt>
          <dd class="quality-value">{value}</dd>
          {note !== undefined && <dd class="note">{note}</dd>}
        </div>
      ))}
    </dl>
  );
}
