// Defines something under a name, or edits it: a source of evidence or a notification target.

import type { ComponentChildren } from "preact";
import type { Failure, Result } from "../../api/failure.ts";
import { TextField } from "../../components/field.tsx";
import { FormDialog } from "../../components/form-dialog.tsx";
import { showToast } from "../../components/toast.tsx";

export interface FieldText {
  readonly label: string;
  readonly hint?: string;
  readonly placeholder?: string;
  readonly required?: boolean;
  readonly rows?: number;
}

interface DefinitionFormProps<Name extends string> {
  readonly title: string;
  /** Null where the name is fixed. */
  readonly exampleName: string | null;
  /** Above the fields. */
  readonly children?: ComponentChildren;
  readonly fields: Partial<Readonly<Record<Name, FieldText>>>;
  /** Below the fields. */
  readonly more?: ComponentChildren;
  readonly field: (name: Name | "name") => { readonly value: string; readonly set: (value: string) => void };
  readonly store: () => Promise<Result<unknown>>;
  /** Shown when it is stored. */
  readonly done: string;
  readonly onStored: () => void;
  readonly close: () => unknown;
}

export function DefinitionForm<Name extends string>(props: DefinitionFormProps<Name>) {
  const { title, exampleName, children, fields, more, field, store, done, onStored, close } = props;
  const submit = async (): Promise<Failure | null> => {
    const result = await store();
    if (!result.ok) return result.failure;
    showToast(done);
    onStored();
    return null;
  };
  return (
    <FormDialog title={title} action="Store it" close={close} submit={submit}>
      {exampleName !== null && (
        <TextField
          label="Name"
          hint={`Lower-case letters, digits and hyphens, such as ${exampleName}.`}
          required
          {...field("name")}
        />
      )}
      {children}
      <TextFields fields={fields} field={field} />
      {more}
    </FormDialog>
  );
}

export function TextFields<Name extends string>({
  fields,
  field,
}: Pick<DefinitionFormProps<Name>, "fields" | "field">) {
  return (
    <>
      {(Object.entries(fields) as [Name, FieldText][]).map(([name, text]) => (
        <TextField key={name} {...text} {...field(name)} />
      ))}
    </>
  );
}
