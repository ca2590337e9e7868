// Joins another observation of the same failure into this one.

import { useSignal } from "@preact/signals";
import { displayText } from "../../../../lib/text/display-text.ts";
import type { Body } from "../../api/body.ts";
import { api } from "../../api/client.ts";
import { type Failure, settle } from "../../api/failure.ts";
import { type Loading, useRequest } from "../../api/use-request.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { FailedState } from "../../components/failed-state.tsx";
import { Field } from "../../components/field.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Time } from "../../components/time.tsx";
import { showToast } from "../../components/toast.tsx";
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

function JoinDialog({ observation: { id, domain }, request, onClose }: JoinProps & { readonly onClose: () => void }) {
  const text = useSignal("");
  const chosen = useSignal<string | null>(null);
  const isBusy = useSignal(false);
  const failure = useSignal<Failure | null>(null);
  const candidates = useRequest<RecordList>(`${domain} ${text.value}`, (options) =>
    api.GET("/v1/memory/observations", {
      params: { query: { domain, limit: 20, ...(text.value === "" ? {} : { text: text.value }) } },
      ...options,
    }),
  );
  const join = async () => {
    if (chosen.value === null) return;
    isBusy.value = true;
    failure.value = null;
    const body = { observation_id: chosen.value };
    const result = await settle(api.POST("/v1/memory/observations/{id}/join", { params: { path: { id } }, body }));
    isBusy.value = false;
    if (!result.ok) {
      failure.value = result.failure;
      return;
    }
    request.set(result.data);
    showToast("The two records are one.");
    onClose();
  };
  return (
    <Dialog title="Join another record of this failure" onClose={onClose}>
      <div class="memory-forget">
        <p>Its incidents and fixes move into this record, and it is deleted. The text of this record stays.</p>
        <RecordSearch domain={domain} onSearch={(words) => (text.value = words)} />
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
        {failure.value !== null && <FailedState failure={failure.value} />}
        <div class="memory-actions">
          <Button kind="primary" isBusy={isBusy.value} disabled={chosen.value === null} onClick={() => void join()}>
            Join it
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </div>
    </Dialog>
  );
}

interface RecordSearchProps {
  readonly domain: string;
  readonly onSearch: (text: string) => void;
}

function RecordSearch({ domain, onSearch }: RecordSearchProps) {
  const typed = useSignal("");
  return (
    <form
      class="memory-search"
      onSubmit={(event) => {
        event.preventDefault();
        onSearch(typed.value.trim());
      }}
    >
      <Field label={`Search records of ${domain}`} isLabelHidden>
        <input
          type="search"
          placeholder={`Search records of ${domain}`}
          maxLength={200}
          value={typed.value}
          onInput={(event) => (typed.value = event.currentTarget.value)}
        />
      </Field>
      <Button type="submit">Search</Button>
    </form>
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
