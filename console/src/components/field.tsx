// A labelled input with its hint and its error.

import { cloneElement, type VNode } from "preact";
import { useId } from "preact/hooks";

interface FieldProps {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly error?: string | undefined;
  /** Hides the label from sight; screen readers read it. */
  readonly isLabelHidden?: boolean;
  /** One input, select or textarea. */
  readonly children: VNode;
}

export function Field({ label, hint, error, isLabelHidden = false, children }: FieldProps) {
  const id = useId();
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(" ");
  const input = cloneElement(children, {
    id,
    ...(described === "" ? {} : { "aria-describedby": described }),
    ...(error === undefined ? {} : { "aria-invalid": true }),
  });
  return (
    <div class="field">
      <label for={id} class={isLabelHidden ? "visually-hidden" : undefined}>
        {label}
      </label>
      {input}
      {hint !== undefined && (
        <p class="field-hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error !== undefined && (
        <p class="field-error" id={`${id}-error`} role="alert">
          {error}
        </p>
      )}
    </div>
  );
}
