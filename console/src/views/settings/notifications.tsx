// The notification targets: who is told, whether messages arrive, and a test message.

import { useSignal } from "@preact/signals";
import { SEVERITIES } from "../../../../functions/schemas/incident-values.ts";
import { displayText } from "../../../../lib/text/display-text.ts";
import { api } from "../../api/client.ts";
import { settle } from "../../api/failure.ts";
import { useGet } from "../../api/use-request.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { ConfirmedRemoval } from "../../components/confirmed-removal.tsx";
import { namesOf, SelectField } from "../../components/field.tsx";
import { Section } from "../../components/page.tsx";
import { onePage, PageList } from "../../components/page-list.tsx";
import { showToast } from "../../components/toast.tsx";
import { useForm } from "../../components/use-form.ts";
import { DefinitionForm, TextFields } from "./definition-form.tsx";
import { OPTIONS, TARGET_KINDS, type Target, targetDefinition, targetText } from "./target-text.ts";

export function Notifications() {
  const edited = useSignal<Target | "new" | null>(null);
  const request = useGet("/v1/notifications");
  const reload = () => void request.reload();
  return (
    <Section
      title="Notification targets"
      note="Who gets the answer, such as a channel or a ticket."
      actions={
        <Button kind="primary" onClick={() => (edited.value = "new")}>
          Add a target
        </Button>
      }
    >
      <PageList
        pages={onePage(request, ({ targets }) => targets)}
        name="the notification targets"
        empty="Nobody is notified yet."
        hint={
          <p>
            <a href="/guide/guides/notifications.html">The guide</a> says what each system needs.
          </p>
        }
        row={(target) => (
          <Row key={target.name} target={target} onEdit={() => (edited.value = target)} onDeleted={reload} />
        )}
      />
      {edited.value !== null && (
        <TargetForm
          target={edited.value === "new" ? null : edited.value}
          onStored={reload}
          close={() => (edited.value = null)}
        />
      )}
    </Section>
  );
}

interface RowProps {
  readonly target: Target;
  readonly onEdit: () => void;
  readonly onDeleted: () => void;
}

function Row({ target, onEdit, onDeleted }: RowProps) {
  const { name, kind, events, domains, min_severity, pending, last_error, problem } = target;
  const test = async () => {
    const params = { path: { name } };
    const result = await settle(api.POST("/v1/notifications/{name}/try", { params, body: {} }));
    if (!result.ok) return showToast(result.failure.detail, { isFailure: true });
    const { failure, latency_ms } = result.data;
    if (failure === null) showToast(`${name} accepted the message in ${Math.round(latency_ms)} ms.`);
    else showToast(`${name} did not accept it: ${failure.detail}`, { isFailure: true });
  };
  return (
    <li class="row">
      <div class="row-head">
        <h3>{name}</h3>
        {last_error !== null && <Badge tone="bad">last message failed</Badge>}
        <Button size="small" onClick={test}>
          Send a test message <span class="visually-hidden">to {name}</span>
        </Button>
        <Button size="small" aria-label={`Edit ${name}`} onClick={onEdit}>
          Edit
        </Button>
        <ConfirmedRemoval
          verb="Delete"
          name={name}
          remove={() => api.DELETE("/v1/notifications/{name}", { params: { path: { name } } })}
          done={`The target ${name} is deleted.`}
          onDone={onDeleted}
        >
          <p>It gets no more messages. Those that it has stay where they are.</p>
        </ConfirmedRemoval>
      </div>
      <p class="facts">
        <span>{kind}</span>
        <span>from severity {min_severity}</span>
        <span>{domains.length === 0 ? "all domains" : domains.join(", ")}</span>
        <span>{events.map((event) => event.replaceAll("_", " ")).join(", ")}</span>
        {pending > 0 && <span>{pending} not delivered yet</span>}
      </p>
      {problem !== null && <p class="field-error">No message can be sent: {displayText(problem)}.</p>}
      {last_error !== null && <p class="note">{displayText(last_error)}</p>}
    </li>
  );
}

const KIND_NAMES = Object.fromEntries(Object.entries(TARGET_KINDS).map(([name, { product }]) => [name, product]));
/** Which incidents, and a handover. */
const MORE = {
  domains: {
    label: "Domains (optional)",
    hint: "Only incidents of these domains. Empty: all.",
    placeholder: "kubernetes, checkout-team",
  },
  matchers: {
    label: "Labels (optional)",
    hint: 'Matchers as in Alertmanager, one a line, such as team=~"db|payments".',
    rows: 2,
  },
  handover: {
    label: "Handover (optional)",
    hint: "daily or a day of the week, and a time in UTC.",
    placeholder: "daily 08:00",
  },
};

interface TargetFormProps {
  /** Null for a new one. */
  readonly target: Target | null;
  readonly onStored: () => void;
  readonly close: () => unknown;
}

function TargetForm({ target, onStored, close }: TargetFormProps) {
  const { values, field } = useForm(targetText(target));
  const { fields, holds } = TARGET_KINDS[values.kind];
  const name = values.name.trim();
  const body = targetDefinition(values, target);
  const isSlack = values.kind === "slack";
  const credential = {
    label: isSlack ? "Credential (optional)" : "Credential",
    hint: `The name of a secret of the Worker, never its value. It holds ${holds}.`,
    placeholder: "NOTIFY_ON_CALL",
    required: !isSlack,
  };
  return (
    <DefinitionForm
      title={target === null ? "Add a notification target" : `Edit ${name}`}
      exampleName={target === null ? "on-call" : null}
      fields={{ ...Object.fromEntries(fields.map((name) => [name, { ...OPTIONS[name], required: true }])), credential }}
      field={field}
      more={
        <>
          <SelectField label="From severity" names={namesOf(SEVERITIES)} {...field("severity")} />
          <details>
            <summary>Which incidents, and a handover</summary>
            <div class="stack">
              <TextFields fields={MORE} field={field} />
            </div>
          </details>
        </>
      }
      store={() => settle(api.PUT("/v1/notifications/{name}", { params: { path: { name } }, body }))}
      done={`The target ${name} is stored. Send it a test message.`}
      onStored={onStored}
      close={close}
    >
      <SelectField label="System" names={KIND_NAMES} {...field("kind")} />
    </DefinitionForm>
  );
}
