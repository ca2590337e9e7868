// One of several answers to a question.

import type { ComponentChildren } from "preact";

interface ChoiceProps {
  readonly value: string;
  readonly chosen: string;
  readonly choose: (value: string) => unknown;
  readonly children: ComponentChildren;
}

export function Choice({ value, chosen, choose, children }: ChoiceProps) {
  return (
    <label class="record-choice">
      <input type="radio" name="choice" value={value} checked={chosen === value} onChange={() => choose(value)} />
      <span>{children}</span>
    </label>
  );
}
