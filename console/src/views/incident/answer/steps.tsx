// The steps of an answer: checks first, then what changes the system. What is done is kept for everybody.

import { useSignal } from "@preact/signals";
import type { TriageResult } from "../../../../../functions/schemas/triage-result.ts";
import { api } from "../../../api/client.ts";
import { settle } from "../../../api/failure.ts";
import { Button } from "../../../components/button.tsx";
import { Section } from "../../../components/page.tsx";
import { showToast } from "../../../components/toast.tsx";
import { can } from "../../../session/session.ts";
import { type CitationContext, Citations } from "./citations.tsx";
import type { IncidentDetail } from "./incident-detail.ts";
import { sharedCitations } from "./model/citations.ts";
import { type ShownStep, type StepGroup, stepGroups } from "./model/steps.ts";
import { StepCard } from "./step-card.tsx";

interface StepsProps {
  readonly incident: IncidentDetail;
  readonly result: TriageResult;
  readonly context: CitationContext;
  readonly reload: () => Promise<void>;
}

/** Steps of a group that are shown at once: the best ones come first. */
const SHOWN_STEPS = 3;

export function Steps({ incident, result, context, reload }: StepsProps) {
  /** Clicks that the server has not answered yet, by key. */
  const pending = useSignal<Readonly<Record<string, boolean>>>({});
  const { groups, note } = stepGroups(result, incident.steps);

  const tick = async (key: string, done: boolean) => {
    pending.value = { ...pending.value, [key]: done };
    const request = { params: { path: { id: incident.id, key } }, body: { done } };
    const saved = await settle(api.PUT("/v1/incidents/{id}/steps/{key}", request));
    if (saved.ok) await reload();
    else showToast(`The step is not saved. ${saved.failure.detail}`, { isFailure: true });
    const { [key]: _, ...others } = pending.value;
    pending.value = others;
  };
  const stateOf = ({ state }: ShownStep) => {
    const key = state?.key;
    const isDone = (key === undefined ? undefined : pending.value[key]) ?? state?.done ?? false;
    const canTick = key !== undefined && can("feedback");
    return { isDone, ...(canTick ? { tick: (done: boolean) => void tick(key, done) } : {}) };
  };
  return (
    <>
      {groups.map((group) => (
        <Group key={group.title} group={group} stateOf={stateOf} context={context} />
      ))}
      {note !== null && <p class="note">{note}</p>}
    </>
  );
}

interface GroupProps {
  readonly group: StepGroup;
  readonly stateOf: (step: ShownStep) => { readonly isDone: boolean; readonly tick?: (done: boolean) => void };
  readonly context: CitationContext;
}

function Group({ group: { title, note, steps }, stateOf, context }: GroupProps) {
  const isWhole = useSignal(false);
  const shown = isWhole.value ? steps : steps.slice(0, SHOWN_STEPS);
  const hidden = steps.length - shown.length;
  // One row of sources for all steps where they cite the same.
  const shared = sharedCitations(steps);
  return (
    <Section title={title} {...(note === null ? {} : { note })}>
      <ol class="answer-list">
        {shown.map((step) => (
          <StepCard
            key={`${step.text} ${step.command}`}
            step={shared === null ? step : { ...step, citations: [] }}
            {...stateOf(step)}
            context={context}
          />
        ))}
      </ol>
      {hidden > 0 && (
        <div>
          <Button onClick={() => (isWhole.value = true)}>
            Show {hidden} more {hidden === 1 ? "step" : "steps"}
          </Button>
        </div>
      )}
      {shared !== null && <Citations ids={shared} context={context} />}
    </Section>
  );
}
