// Joins another record of the same failure into this one.

import { useSignal } from "@preact/signals";
import { displayText } from "../../../../lib/text/display-text.ts";
import { api } from "../../api/client.ts";
import { settle } from "../../api/failure.ts";
import { useGet } from "../../api/use-request.ts";
import { Button } from "../../components/button.tsx";
import { Choice } from "../../components/choice.tsx";
import { TextField } from "../../components/field.tsx";
import { FormDialog } from "../../components/form-dialog.tsx";
import { EmptyState, Loaded } from "../../components/states.tsx";
import { Time } from "../../components/time.tsx";
import { showToast } from "../../components/toast.tsx";
import { bound } from "../../components/use-form.ts";
import { counted } from "../../format/words.ts";
import { useSettled } from "../runbooks/use-settled.ts";
import type { ObservationProps } from "./records.tsx";

export function JoinButton(props: ObservationProps) {
  const isOpen = useSignal(false);
  return (
    <>
      <Button onClick={() => (isOpen.value = true)}>Join another record</Button>
      {isOpen.value && <JoinDialog {...props} close={() => (isOpen.value = false)} />}
    </>
  );
}

const TYPING_MS = 300;

interface JoinDialogProps extends ObservationProps {
  readonly close: () => void;
}

function JoinDialog({ observation: { id, domain }, request, close }: JoinDialogProps) {
  const typed = useSignal("");
  const chosen = useSignal("");
  const text = useSettled(typed.value.trim(), TYPING_MS) || undefined;
  const candidates = useGet("/v1/memory/observations", { query: { domain, limit: 10, text } });
  const join = async () => {
    const body = { observation_id: chosen.value };
    const result = await settle(api.POST("/v1/memory/observations/{id}/join", { params: { path: { id } }, body }));
    if (!result.ok) return result.failure;
    request.set(result.data);
    showToast("The two records are one.");
    return null;
  };
  return (
    <FormDialog
      title="Join another record of this failure"
      action="Join it"
      isDisabled={chosen.value === ""}
      close={close}
      submit={join}
    >
      <p>Its incidents and fixes move into this record, and it is deleted. The text of this record stays.</p>
      <TextField
        label={`Search records of ${domain}`}
        isLabelHidden
        type="search"
        placeholder={`Search records of ${domain}`}
        maxLength={200}
        {...bound(typed)}
      />
      <Loaded request={candidates} name="the records" lines={5}>
        {({ observations }) => {
          const others = observations.filter((other) => other.id !== id);
          if (others.length === 0) return <EmptyState title={`No other record of ${domain} matches.`} />;
          return (
            <fieldset class="choices">
              <legend class="visually-hidden">The record to join</legend>
              {others.map(({ id, title, occurrences, last_seen_at }) => (
                <Choice key={id} value={id} chosen={chosen.value} choose={(id) => (chosen.value = id)}>
                  {displayText(title)}{" "}
                  <span class="note">
                    {counted(occurrences, "report")}, last <Time at={last_seen_at} />
                  </span>
                </Choice>
              ))}
            </fieldset>
          );
        }}
      </Loaded>
    </FormDialog>
  );
}
