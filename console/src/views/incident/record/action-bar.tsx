// What people can do: resolve or reopen, record the fix of an incident that ended by itself, acknowledge it, rate and correct
// the answer, mute the failure. At the bottom of the window; on a phone, the rarer actions are in a menu.

import { type Signal, useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { displayText } from "../../../../../lib/text/display-text.ts";
import { api } from "../../../api/client.ts";
import { Button } from "../../../components/button.tsx";
import { TextField } from "../../../components/field.tsx";
import { FormDialog } from "../../../components/form-dialog.tsx";
import { bound } from "../../../components/use-form.ts";
import { now } from "../../../format/now.ts";
import { useKeys } from "../../../keyboard/keys.ts";
import type { DialogProps, IncidentProps } from "../answer/model/incident.ts";
import { EditDialog } from "./edit-dialog.tsx";
import { presentMute } from "./model/mutes.ts";
import { fixesOf, shownFix } from "./model/past-fixes.ts";
import { MuteDialog } from "./mute-dialog.tsx";
import { NotRightDialog } from "./not-right-dialog.tsx";
import { ResolveDialog } from "./resolve-dialog.tsx";
import { resolveAsBefore, send, sendAtOnce } from "./send.ts";

type Rating = "up" | "down";
type Open = "resolve" | "reopen" | "edit" | "mute" | "not right";

export function ActionBar({ incident, reload }: IncidentProps) {
  const open = useSignal<Open | null>(null);
  const rated = useSignal<Rating | null>(null);
  const { id, triage, status, resolution, acknowledged_by } = incident;
  const isResolved = status === "resolved";
  // What needed no fix does not ask for one.
  const canOnlyReopen = isResolved && (resolution !== null || triage?.outcome === "benign");
  const fix = isResolved ? undefined : (shownFix(triage) ?? incident.fixes[0]);
  const canAcknowledge = !isResolved && acknowledged_by === null;
  const show = (dialog: Open) => () => {
    open.value = dialog;
  };
  const acknowledge = () => {
    if (!canAcknowledge) return;
    const request = api.PATCH("/v1/incidents/{id}", { params: { path: { id } }, body: { acknowledged: true } });
    return sendAtOnce(request, { done: "You have it: its repeats are no longer announced.", reload });
  };
  const rateUp = async () => {
    if (triage === null) return;
    rated.value = "up";
    const params = { path: { id: triage.triage_id } };
    const request = api.POST("/v1/triages/{id}/feedback", { params, body: { rating: "up" } });
    await sendAtOnce(request, { done: "Thank you. The rating is stored.", reload });
  };
  useKeys([
    canOnlyReopen
      ? { keys: "r", name: "Reopen the incident", run: show("reopen") }
      : { keys: "r", name: isResolved ? "Record what fixed it" : "Resolve the incident", run: show("resolve") },
    { keys: "a", name: "Acknowledge the incident", run: () => void acknowledge() },
    { keys: "u", name: "The answer helped", run: () => void rateUp() },
    { keys: "d", name: "The answer is not right", run: () => triage !== null && show("not right")() },
    { keys: "m", name: "Mute what is expected", run: show("mute") },
  ]);
  return (
    <fieldset class="record-bar" aria-label="Actions">
      {!canOnlyReopen && (
        <Button kind="primary" onClick={show("resolve")}>
          {isResolved ? "Record the fix" : "Resolve"}
        </Button>
      )}
      {fix !== undefined && (
        <Button title={displayText(fix.text)} onClick={() => resolveAsBefore(incident, fix, reload)}>
          Same as before
        </Button>
      )}
      {isResolved && <Button onClick={show("reopen")}>Reopen</Button>}
      {canAcknowledge && <Button onClick={acknowledge}>Acknowledge</Button>}
      <Menu>
        {triage !== null && (
          <>
            <Button aria-pressed={rated.value === "up"} title="The answer helped (u)" onClick={rateUp}>
              Helped
            </Button>
            <Button aria-pressed={rated.value === "down"} title="Correct the answer (d)" onClick={show("not right")}>
              Not right
            </Button>
          </>
        )}
        {!isResolved && presentMute(incident.mute, now.value) === null && (
          <Button title="Mute the failure for a time (m)" onClick={show("mute")}>
            Mute: this is expected
          </Button>
        )}
        <Button onClick={show("edit")}>Edit</Button>
      </Menu>
      <OpenDialog open={open} rated={rated} incident={incident} reload={reload} />
    </fieldset>
  );
}

/** On a wide screen its buttons are in the bar. The platform closes it on Escape and on a tap beside it. */
function Menu({ children }: { readonly children: preact.ComponentChildren }) {
  const panel = useRef<HTMLDivElement>(null);
  return (
    <>
      <button type="button" popovertarget="record-menu" class="button record-more-button" aria-label="More actions">
        ⋯
      </button>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the buttons in it are pressed; it only closes after that. */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: a key that presses a button is a click. */}
      <div
        ref={panel}
        id="record-menu"
        class="menu-panel record-menu"
        popover="auto"
        onClick={() => panel.current?.matches(":popover-open") && panel.current.hidePopover()}
      >
        {children}
      </div>
    </>
  );
}

interface OpenDialogProps extends IncidentProps {
  readonly open: Signal<Open | null>;
  readonly rated: Signal<Rating | null>;
}

function OpenDialog({ open, rated, incident, reload }: OpenDialogProps) {
  const props = { incident, reload, close: () => (open.value = null) };
  switch (open.value) {
    case "resolve":
      return <ResolveDialog {...props} incidents={[incident]} fixes={fixesOf(incident)} />;
    case "reopen":
      return <ReopenDialog {...props} />;
    case "edit":
      return <EditDialog {...props} />;
    case "mute":
      return <MuteDialog {...props} incidents={[incident]} />;
    case "not right":
      return incident.triage === null ? null : (
        <NotRightDialog {...props} triage={incident.triage} onRated={() => (rated.value = "down")} />
      );
    default:
      return null;
  }
}

/** Opens a resolved incident again. */
function ReopenDialog({ incident, reload, close }: DialogProps) {
  const reason = useSignal("");
  const submit = () => {
    const text = reason.value.trim();
    const body = text === "" ? {} : { reason: text };
    const request = api.POST("/v1/incidents/{id}/reopen", { params: { path: { id: incident.id } }, body });
    return send(request, { done: "Reopened.", reload });
  };
  return (
    <FormDialog title="Reopen the incident" action="Reopen" close={close} submit={submit}>
      {incident.resolution !== null && <p>The fix stays on record, as one that came back.</p>}
      <TextField
        label="Why?"
        hint="Optional. It is shown in the timeline."
        rows={3}
        maxLength={4_000}
        {...bound(reason)}
      />
    </FormDialog>
  );
}
