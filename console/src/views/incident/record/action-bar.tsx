// What people can do: resolve or reopen, record the fix of an incident that ended by itself, acknowledge it, rate the answer,
// correct what it says. At the bottom of the window on a phone.

import { type Signal, useSignal } from "@preact/signals";
import { api } from "../../../api/client.ts";
import { Button } from "../../../components/button.tsx";
import { useKeys } from "../../../keyboard/keys.ts";
import { can } from "../../../session/session.ts";
import { DomainDialog } from "./domain-dialog.tsx";
import { EditDialog } from "./edit-dialog.tsx";
import { FeedbackDialog } from "./feedback-dialog.tsx";
import type { RecordProps } from "./model/incident.ts";
import { ReopenDialog } from "./reopen-dialog.tsx";
import { ResolveDialog } from "./resolve-dialog.tsx";
import { sendAtOnce } from "./send.ts";

type Rating = "up" | "down";
type Open = "resolve" | "reopen" | "edit" | "domain" | "feedback";

export function ActionBar(props: RecordProps) {
  return can("feedback") ? <Actions {...props} /> : null;
}

function Actions({ incident, reload }: RecordProps) {
  const open = useSignal<Open | null>(null);
  const rated = useSignal<Rating | null>(null);
  const isResolved = incident.status === "resolved";
  // What needed no fix does not ask for one.
  const lacksFix = incident.resolution === null && incident.triage?.outcome !== "benign";
  const triageId = incident.triage?.triage_id;
  const reopen = () => {
    open.value = "reopen";
  };
  const recordFix = () => {
    open.value = "resolve";
  };
  const canOnlyReopen = isResolved && !lacksFix;
  const canAcknowledge = !isResolved && incident.acknowledged_by === null;
  const acknowledge = () => {
    if (!canAcknowledge) return;
    const request = api.PATCH("/v1/incidents/{id}", {
      params: { path: { id: incident.id } },
      body: { acknowledged: true },
    });
    return sendAtOnce(request, { done: "You have it: its repeats are no longer announced.", reload });
  };
  const rateUp = async () => {
    if (triageId === undefined) return;
    rated.value = "up";
    const request = api.POST("/v1/triages/{id}/feedback", {
      params: { path: { id: triageId } },
      body: { rating: "up" },
    });
    await sendAtOnce(request, { done: "Thank you. The rating is stored.", reload });
  };
  const rateDown = () => {
    if (triageId === undefined) return;
    open.value = "feedback";
  };
  useKeys([
    canOnlyReopen
      ? { keys: "r", name: "Reopen the incident", run: reopen }
      : { keys: "r", name: isResolved ? "Record what fixed it" : "Resolve the incident", run: recordFix },
    { keys: "a", name: "Acknowledge the incident", run: () => void acknowledge() },
    { keys: "u", name: "The answer helped", run: () => void rateUp() },
    { keys: "d", name: "The answer did not help", run: rateDown },
  ]);
  return (
    <fieldset class="record-bar" aria-label="Actions">
      {!canOnlyReopen && (
        <Button kind="primary" onClick={recordFix}>
          {isResolved ? "Record the fix" : "Resolve"}
        </Button>
      )}
      {isResolved && <Button onClick={reopen}>Reopen</Button>}
      {canAcknowledge && <Button onClick={acknowledge}>Acknowledge</Button>}
      {triageId !== undefined && <Votes rated={rated.value} up={rateUp} down={rateDown} />}
      <Button
        onClick={() => {
          open.value = "edit";
        }}
      >
        Edit
      </Button>
      <OpenDialog open={open} rated={rated} incident={incident} reload={reload} />
    </fieldset>
  );
}

interface VotesProps {
  readonly rated: Rating | null;
  readonly up: () => unknown;
  readonly down: () => void;
}

function Votes({ rated, up, down }: VotesProps) {
  return (
    <>
      <Button aria-pressed={rated === "up"} aria-label="The answer helped" title="The answer helped (u)" onClick={up}>
        <Thumb />
        <span class="record-bar-word">Helped</span>
      </Button>
      <Button
        aria-pressed={rated === "down"}
        aria-label="The answer did not help"
        title="The answer did not help (d)"
        onClick={down}
      >
        <Thumb isDown />
        <span class="record-bar-word">Did not help</span>
      </Button>
    </>
  );
}

interface OpenDialogProps extends RecordProps {
  readonly open: Signal<Open | null>;
  readonly rated: Signal<Rating | null>;
}

function OpenDialog({ open, rated, incident, reload }: OpenDialogProps) {
  const close = () => {
    open.value = null;
  };
  const props = { incident, reload, close };
  switch (open.value) {
    case "resolve":
      return <ResolveDialog {...props} />;
    case "reopen":
      return <ReopenDialog {...props} />;
    case "edit":
      return (
        <EditDialog
          {...props}
          correctDomain={() => {
            open.value = "domain";
          }}
        />
      );
    case "domain":
      return <DomainDialog {...props} />;
    case "feedback":
      return (
        <FeedbackDialog
          triageId={incident.triage?.triage_id ?? ""}
          reload={reload}
          close={close}
          onRated={() => {
            rated.value = "down";
          }}
        />
      );
    default:
      return null;
  }
}

/** Not every system has a font with the sign. */
function Thumb({ isDown = false }: { readonly isDown?: boolean }) {
  return (
    <svg class={isDown ? "record-thumb record-thumb-down" : "record-thumb"} viewBox="0 0 24 24" aria-hidden="true">
      <path d="M7 10v11H3V10zm2 10V10l4-8c1.7 0 3 1.3 3 3v4h4.2c1.3 0 2.2 1.200 1.900 2.400l-1.800 7.200c-.2 1.400-1.300 2.400-2.700 2.400H12c-1 0-2-.400-3-1z" />
    </svg>
  );
}
