// Defines a source of evidence, or edits one.

import { useSignal } from "@preact/signals";
import { api } from "../../api/client.ts";
import { settle } from "../../api/failure.ts";
import { TextField } from "../../components/field.tsx";
import { FormDialog } from "../../components/form-dialog.tsx";
import { showToast } from "../../components/toast.tsx";
import type { Source } from "./entries.ts";
import { SourceFields } from "./source-fields.tsx";
import { type SourceText, sourceDefinition, sourceText } from "./source-text.ts";

interface SourceFormProps {
  /** Null for a new one. */
  readonly source: Source | null;
  readonly onStored: () => void;
  readonly close: () => unknown;
}

export function SourceForm({ source, onStored, close }: SourceFormProps) {
  const form = useSignal<SourceText>(sourceText(source));
  const text = form.value;
  const change = (changed: Partial<SourceText>) => {
    form.value = { ...form.value, ...changed };
  };
  const submit = async () => {
    const params = { path: { name: text.name.trim() } };
    const result = await settle(api.PUT("/v1/sources/{name}", { params, body: sourceDefinition(text) }));
    if (!result.ok) return result.failure;
    showToast(`The source ${result.data.name} is stored. The next triage asks it.`);
    onStored();
    return null;
  };
  return (
    <FormDialog
      title={source === null ? "Define a source" : `Edit ${source.name}`}
      action="Store it"
      close={close}
      submit={submit}
    >
      {source === null && (
        <TextField
          label="Name"
          hint="Lower-case letters, digits and hyphens, such as prod-metrics."
          required
          value={text.name}
          set={(name) => change({ name })}
        />
      )}
      <SourceFields text={text} change={change} />
    </FormDialog>
  );
}
