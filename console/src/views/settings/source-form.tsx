// Defines a source of evidence, or changes its definition.

import { useSignal } from "@preact/signals";
import { api } from "../../api/client.ts";
import { type Failure, settle } from "../../api/failure.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { FailedState } from "../../components/failed-state.tsx";
import { Field } from "../../components/field.tsx";
import { showToast } from "../../components/toast.tsx";
import type { Source } from "./entries.ts";
import { ConnectionFields, HttpFields, ReportFields } from "./source-fields.tsx";
import { type SourceText, sourceDefinition, sourceText } from "./source-text.ts";

interface SourceFormProps {
  /** Null for a new one. */
  readonly source: Source | null;
  readonly onStored: () => void;
  readonly onClose: () => void;
}

export function SourceForm({ source, onStored, onClose }: SourceFormProps) {
  const form = useSignal<SourceText>(sourceText(source));
  const isBusy = useSignal(false);
  const failure = useSignal<Failure | null>(null);
  const text = form.value;
  const change = (changed: Partial<SourceText>) => {
    form.value = { ...form.value, ...changed };
  };
  const store = async (event: Event) => {
    event.preventDefault();
    isBusy.value = true;
    failure.value = null;
    const params = { path: { name: form.value.name.trim() } };
    const result = await settle(api.PUT("/v1/sources/{name}", { params, body: sourceDefinition(form.value) }));
    isBusy.value = false;
    if (!result.ok) {
      failure.value = result.failure;
      return;
    }
    showToast(`The source ${result.data.name} is stored. The next triage asks it.`);
    onStored();
  };
  return (
    <Dialog title={source === null ? "Define a source" : `Edit ${source.name}`} onClose={onClose}>
      <form onSubmit={(event) => void store(event)}>
        {source === null && (
          <Field label="Name" hint="Lower-case letters, digits and hyphens, such as prod-metrics.">
            <input required value={text.name} onInput={(event) => change({ name: event.currentTarget.value })} />
          </Field>
        )}
        <ConnectionFields text={text} onChange={change} />
        <ReportFields text={text} onChange={change} />
        <HttpFields text={text} onChange={change} />
        {failure.value !== null && <FailedState failure={failure.value} />}
        <div class="settings-actions">
          <Button kind="primary" type="submit" isBusy={isBusy.value}>
            Store it
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </form>
    </Dialog>
  );
}
