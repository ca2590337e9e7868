// Boxes to tick, and answers to choose from.

import type { ComponentChildren } from "preact";
import "./choice.css";

interface CheckProps {
  readonly checked: boolean;
  readonly set: (checked: boolean) => unknown;
  /** Its text. */
  readonly children: ComponentChildren;
}

/** A box to tick, with its text. */
export function Check({ checked, set, children }: CheckProps) {
  return (
    <label class="check">
      <input type="checkbox" checked={checked} onChange={({ currentTarget }) => set(currentTarget.checked)} />
      <span>{children}</span>
    </label>
  );
}

interface ChoiceProps {
  readonly value: string;
  /** Null before the first choice. */
  readonly chosen: string | null;
  readonly choose: (value: string) => unknown;
  readonly children: ComponentChildren;
}

/** One of several answers to a question. */
export function Choice({ value, chosen, choose, children }: ChoiceProps) {
  return (
    <label class="choice">
      <input type="radio" name="choice" value={value} checked={chosen === value} onChange={() => choose(value)} />
      <span>{children}</span>
    </label>
  );
}
