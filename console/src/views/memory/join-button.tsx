// Joins another observation of the same failure into this one.

import { useSignal } from "@preact/signals";
import { displayText } from "../../../../lib/text/display-text.ts";
import type { Body } from "../../api/body.ts";
import { api } from "../../api/client.ts";
import { settle } from "../../api/failure.ts";
import { type Loading, useRequest } from "../../api/use-request.ts";
import { Button } from "../../components/button.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { TextField } from "../../components/field.tsx";
import { FormDialog } from "../../components/form-dialog.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Time } from "../../components/time.tsx";
import { showToast } from "../../components/toast.tsx";
import { useSettled } from "../runbooks/use-settled.ts";
import type { ObservationDetail } from "./observation-detail.ts";
import { counted } from "./words.ts";

type RecordList = Body<"getMemoryObservations">;

interface JoinProps {
  readonly observation: ObservationDetail;
  readonly request: Loading<ObservationDetail>;
}

export function JoinButton({ observation, request }: JoinProps) {
  const isOpen = useSignal(false);
  return (
    <>
      <Button onClick={() => (isOpen.value = true)}>Join another record</Button>
      {isOpen.value && (
        <JoinDialog observation={observation} request={request} onClose={() => (isOpen.value = false)} />
      )}
    </>
  );
}

const TYPING_MS = 300;

function JoinDialog({ observation: { id, domain }, request, onClose }: JoinProps & { readonly onClose: () => void }) {
  const typed = useSignal("");
  const chosen = useSignal<string | null>(null);
  const text = useSettled(typed.value.trim(), TYPING_MS);
  const candidates = useRequest<RecordList>(`${domain} ${text}`, (options) =>
    api.GET("/v1/memory/observations", {
      params: { query: { domain, limit: 20, ...(text === "" ? {} : { text }) } },
      ...options,
    }),
  );
  const join = async () => {
    if (chosen.value === null) return "invalid";
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
      isDisabled={chosen.value === null}
      close={onClose}
      submit={join}
    >
      <p>Its incidents and fixes move into this record, and it is deleted. The text of this record stays.</p>
      <TextField
        label={`Search records of ${domain}`}
        isLabelHidden
        type="search"
        placeholder={`Search records of ${domain}`}
        maxLength={200}
        value={typed.value}
        set={(words) => (typed.value = words)}
      />
      <Loaded request={candidates} name="the records" lines={5}>
        {({ observations }) => (
          <Candidates
            domain={domain}
            candidates={observations.filter((other) => other.id !== id)}
            chosen={chosen.value}
            onChoose={(candidate) => (chosen.value = candidate)}
          />
        )}
      </Loaded>
    </FormDialog>
  );
}

interface CandidatesProps {
  readonly domain: string;
  readonly candidates: RecordList["observations"];
  /** The id of a candidate. */
  readonly chosen: string | null;
  readonly onChoose: (id: string) => void;
}

function Candidates({ domain, candidates, chosen, onChoose }: CandidatesProps) {
  if (candidates.length === 0) return <EmptyState title={`No other record of ${domain} matches.`} />;
  return (
    <fieldset class="memory-candidates">
      <legend class="visually-hidden">The record to join</legend>
      {candidates.map(({ id, title, occurrences, last_seen_at }) => (
        <label key={id}>
          <input type="radio" name="record" checked={chosen === id} onChange={() => onChoose(id)} />
          <span>
            {displayText(title)}
            <span class="note">
              {" "}
              {counted(occurrences, "report")}, last <Time at={last_seen_at} />
            </span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
