// Defines a notification target, or edits one.

import { useSignal } from "@preact/signals";
import { SEVERITIES, type Severity } from "../../../../functions/schemas/incident-values.ts";
import { api } from "../../api/client.ts";
import { settle } from "../../api/failure.ts";
import { SelectField, TextField } from "../../components/field.tsx";
import { FormDialog } from "../../components/form-dialog.tsx";
import { showToast } from "../../components/toast.tsx";
import { namesOf } from "../../format/names-of.ts";
import {
  OPTIONS,
  TARGET_KINDS,
  type Target,
  type TargetKind,
  type TargetText,
  targetDefinition,
  targetText,
} from "./target-text.ts";

interface TargetFormProps {
  /** Null for a new one. */
  readonly target: Target | null;
  readonly onStored: () => void;
  readonly close: () => unknown;
}

const KIND_NAMES = Object.fromEntries(Object.entries(TARGET_KINDS).map(([name, { product }]) => [name, product]));

export function TargetForm({ target, onStored, close }: TargetFormProps) {
  const form = useSignal(targetText(target));
  const text = form.value;
  const { fields, holds } = TARGET_KINDS[text.kind];
  const change = (changed: Partial<TargetText>) => {
    form.value = { ...form.value, ...changed };
  };
  const submit = async () => {
    const params = { path: { name: text.name.trim() } };
    const result = await settle(api.PUT("/v1/notifications/{name}", { params, body: targetDefinition(text, target) }));
    if (!result.ok) return result.failure;
    showToast(`The target ${result.data.name} is stored. Send it a test message.`);
    onStored();
    return null;
  };
  return (
    <FormDialog
      title={target === null ? "Add a notification target" : `Edit ${target.name}`}
      action="Store it"
      close={close}
      submit={submit}
    >
      {target === null && (
        <TextField
          label="Name"
          hint="Lower-case letters, digits and hyphens, such as on-call."
          required
          value={text.name}
          set={(name) => change({ name })}
        />
      )}
      <SelectField
        label="System"
        value={text.kind}
        names={KIND_NAMES}
        set={(kind) => change({ kind: kind as TargetKind })}
      />
      {fields.map((field) => (
        <TextField
          key={field}
          {...OPTIONS[field]}
          required
          value={text[field]}
          set={(value) => change({ [field]: value })}
        />
      ))}
      <TextField
        label={text.kind === "slack" ? "Credential (optional)" : "Credential"}
        hint={`The name of a secret of the Worker, never its value. It holds ${holds}.`}
        placeholder="NOTIFY_ON_CALL"
        required={text.kind !== "slack"}
        value={text.credential}
        set={(credential) => change({ credential })}
      />
      <SelectField
        label="From severity"
        value={text.severity}
        names={namesOf(SEVERITIES)}
        set={(severity) => change({ severity: severity as Severity })}
      />
      <details>
        <summary>Which incidents, and a handover</summary>
        <div class="stack">
          <TextField
            label="Domains (optional)"
            hint="Only incidents of these domains. Empty: all."
            placeholder="kubernetes, checkout-team"
            value={text.domains}
            set={(domains) => change({ domains })}
          />
          <TextField
            label="Labels (optional)"
            hint='Matchers as in Alertmanager, one a line, such as team=~"db|payments".'
            rows={2}
            value={text.matchers}
            set={(matchers) => change({ matchers })}
          />
          <TextField
            label="Handover (optional)"
            hint="daily or a day of the week, and a time in UTC."
            placeholder="daily 08:00"
            value={text.handover}
            set={(handover) => change({ handover })}
          />
        </div>
      </details>
    </FormDialog>
  );
}
