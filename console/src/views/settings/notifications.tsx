// The notification targets: who is told, whether messages arrive, and a test message.

import { useSignal } from "@preact/signals";
import { displayText } from "../../../../lib/text/display-text.ts";
import type { Body } from "../../api/body.ts";
import { api } from "../../api/client.ts";
import { settle } from "../../api/failure.ts";
import { useRequest } from "../../api/use-request.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { ConfirmedRemoval } from "../../components/confirmed-removal.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Section } from "../../components/page.tsx";
import { showToast } from "../../components/toast.tsx";
import { TargetForm } from "./target-form.tsx";
import type { Target } from "./target-text.ts";

type Targets = Body<"getNotifications">;

export function Notifications() {
  const edited = useSignal<Target | "new" | null>(null);
  const request = useRequest<Targets>("notification targets", (options) =>
    api.GET("/v1/notifications", { ...options }),
  );
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
      <Loaded request={request} name="the notification targets" lines={6}>
        {({ targets }) => (
          <>
            {targets.length === 0 ? (
              <EmptyState title="Nobody is notified yet.">
                <p>
                  <a href="/guide/guides/notifications.html">The guide</a> says what each system needs.
                </p>
              </EmptyState>
            ) : (
              <ul class="rows">
                {targets.map((target) => (
                  <Row
                    key={target.name}
                    target={target}
                    onEdit={() => (edited.value = target)}
                    onDeleted={() => void request.reload()}
                  />
                ))}
              </ul>
            )}
          </>
        )}
      </Loaded>
      {edited.value !== null && (
        <TargetForm
          target={edited.value === "new" ? null : edited.value}
          onStored={() => void request.reload()}
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
  const { name, kind, events, domains, min_severity, pending, last_error, credential, credential_exists } = target;
  const isBusy = useSignal(false);
  const test = async () => {
    isBusy.value = true;
    const params = { path: { name } };
    const result = await settle(api.POST("/v1/notifications/{name}/try", { params, body: {} }));
    isBusy.value = false;
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
        <Button size="small" isBusy={isBusy.value} onClick={() => void test()}>
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
      {credential_exists === false && (
        <p class="field-error">The Worker has no secret {credential}: no message can be sent.</p>
      )}
      {last_error !== null && <p class="note">{displayText(last_error)}</p>}
    </li>
  );
}
