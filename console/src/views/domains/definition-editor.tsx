// Edits the definition of a domain in rows: labels, words, incident types and first looks.

import { useSignal } from "@preact/signals";
import { api } from "../../api/client.ts";
import { settle } from "../../api/failure.ts";
import { Button } from "../../components/button.tsx";
import { Check } from "../../components/choice.tsx";
import { TextField } from "../../components/field.tsx";
import { LeaveQuestion } from "../../components/leave-question.tsx";
import { Section } from "../../components/page.tsx";
import { EmptyState, FailedState } from "../../components/states.tsx";
import { showToast } from "../../components/toast.tsx";
import { useSubmit } from "../../components/use-form.ts";
import {
  canEditInRows,
  definitionOf,
  type Form,
  formOf,
  HintRows,
  LabelRows,
  LookRows,
  TypeRows,
} from "./definition-rows.tsx";
import type { Definition } from "./domain.ts";

export const EMPTY_DEFINITION: Definition = {
  description: "",
  labels: [],
  hints: [],
  excluded_words: [],
  only_when_decided: false,
  target_labels: [],
  incident_types: [],
  first_looks: [],
};

interface DefinitionEditorProps {
  readonly name: string;
  readonly definition: Definition;
  readonly isNew?: boolean;
  readonly onDone: (isStored: boolean) => void;
}

export function DefinitionEditor(props: DefinitionEditorProps) {
  if (canEditInRows(props.definition)) return <RowEditor {...props} />;
  return (
    <EmptyState title="This definition cannot be edited here.">
      <p>
        A word or a value of a label holds a comma or a semicolon, which separate them here. Edit its{" "}
        <code>domain.yaml</code>, or send the definition with <code>PUT /v1/domains/{props.name}</code>.
      </p>
    </EmptyState>
  );
}

function RowEditor({ name, definition, isNew = false, onDone }: DefinitionEditorProps) {
  const begin = JSON.stringify(formOf(definition));
  const form = useSignal<Form>(formOf(definition));
  const isDirty = JSON.stringify(form.value) !== begin;
  const change = (part: Partial<Form>) => {
    form.value = { ...form.value, ...part };
  };
  const { submit, isBusy, outcome } = useSubmit(async () => {
    const body = definitionOf(form.value);
    const result = await settle(api.PUT("/v1/domains/{name}", { params: { path: { name } }, body }));
    if (!result.ok) return result.failure;
    showToast("Saved. The next triage uses it.");
    onDone(true);
    return null;
  });
  return (
    <form class="stack-5" onSubmit={submit}>
      {outcome !== null && <FailedState failure={outcome} />}
      <Fields form={form.value} change={change} />
      <div class="line save-bar">
        <Button kind="primary" type="submit" isBusy={isBusy} disabled={name === "" || !(isDirty || isNew)}>
          Save
        </Button>
        <Button onClick={() => onDone(false)}>{isDirty ? "Discard changes" : "Cancel"}</Button>
        <span class="note" role="status">
          {name === "" ? "Give it a name" : isDirty ? "Not saved yet" : "No changes"}
        </span>
      </div>
      <LeaveQuestion isDirty={isDirty} onDiscard={null} />
    </form>
  );
}

interface FieldsProps {
  readonly form: Form;
  readonly change: (part: Partial<Form>) => void;
}

function Fields({ form, change }: FieldsProps) {
  const { description, labels, hints, types, looks } = form;
  return (
    <>
      <TextField
        label="Description"
        hint="One sentence for people and for language models."
        maxLength={300}
        value={description}
        set={(description) => change({ description })}
      />
      <Section
        title="Labels"
        note="A rule is team=payments, billing; env=prod. Every label must have one of its values."
      >
        <LabelRows rows={labels} onChange={(rows) => change({ labels: rows })} />
      </Section>
      <Section title="Words" note="Words or phrases of a report that hint at the domain, separated by commas.">
        <HintRows rows={hints} onChange={(rows) => change({ hints: rows })} />
      </Section>
      <Section title="Incident types" note="Runbooks name them in incident_type. Their words recognise them.">
        <TypeRows rows={types} onChange={(rows) => change({ types: rows })} />
      </Section>
      <Section title="First looks" note="Steps for an unknown cause. Commands must only read.">
        <LookRows rows={looks} onChange={(rows) => change({ looks: rows })} />
      </Section>
      <MoreFields form={form} change={change} />
    </>
  );
}

function MoreFields({ form: { excluded, targets, onlyWhenDecided }, change }: FieldsProps) {
  return (
    <Section title="More">
      <TextField
        label="Not for reports that name"
        hint="Other technologies that the labels match too, separated by commas."
        value={excluded}
        set={(text) => change({ excluded: text })}
      />
      <TextField
        label="Labels that name the affected object"
        hint="Best first, separated by commas."
        value={targets}
        set={(text) => change({ targets: text })}
      />
      <Check checked={onlyWhenDecided} set={(checked) => change({ onlyWhenDecided: checked })}>
        Recall its texts only for reports that its labels or words decide for
      </Check>
    </Section>
  );
}
