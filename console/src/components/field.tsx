// A labelled input with its hint and its error.

import { cloneElement, type VNode } from "preact";
import { useId } from "preact/hooks";
import { displayText } from "../../../lib/text/display-text.ts";

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

interface BoundProps<V extends string> extends Omit<FieldProps, "children"> {
  readonly value: V;
  readonly set: (value: V) => unknown;
}

interface TextFieldProps extends BoundProps<string> {
  readonly type?: "text" | "search" | "date" | "datetime-local";
  readonly placeholder?: string | undefined;
  readonly required?: boolean;
  readonly maxLength?: number;
  /** Lines of a text; without them, it is one line. */
  readonly rows?: number;
}

/** Text that a person types. */
export function TextField({
  label,
  hint,
  error,
  isLabelHidden = false,
  set,
  type,
  rows,
  ...attributes
}: TextFieldProps) {
  return (
    <Field label={label} hint={hint} error={error} isLabelHidden={isLabelHidden}>
      {rows === undefined ? (
        <input
          {...attributes}
          // The types of the platform ask for a form of their own for each kind of input.
          type={type as "text"}
          autocomplete="off"
          onInput={({ currentTarget }) => set(currentTarget.value)}
        />
      ) : (
        <textarea {...attributes} rows={rows} onInput={({ currentTarget }) => set(currentTarget.value)} />
      )}
    </Field>
  );
}

interface SelectFieldProps<V extends string> extends BoundProps<V> {
  /** The text of each value. */
  readonly names: Readonly<Record<string, string>>;
}

/** One of several values. */
export function SelectField<V extends string>({ value, set, names, ...field }: SelectFieldProps<V>) {
  return (
    <Field {...field}>
      <select value={value} onChange={({ currentTarget }) => set(currentTarget.value as V)}>
        {Object.entries(names).map(([name, text]) => (
          <option key={name} value={name}>
            {displayText(text)}
          </option>
        ))}
      </select>
    </Field>
  );
}

/** Names that are their own texts, as options. @param none the text of no choice */
export function namesOf(names: readonly string[], none?: string): Readonly<Record<string, string>> {
  return { ...(none === undefined ? {} : { "": none }), ...Object.fromEntries(names.map((name) => [name, name])) };
}
