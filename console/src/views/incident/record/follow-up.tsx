// A question about the incident, asked in its session: the answer knows what was said before.

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { displayText } from "../../../../../lib/text/display-text.ts";
import { followTriage, NO_PROGRESS, type Progress, type TriageEnd } from "../../../api/follow-triage.ts";
import { CodeBlock } from "../../../components/code-block.tsx";
import { LineForm } from "../../../components/line-form.tsx";
import { Section } from "../../../components/page.tsx";
import { FailedState } from "../../../components/states.tsx";
import { consolePath } from "../../../format/console-path.ts";
import type { IncidentDetail } from "../answer/model/incident.ts";

interface Turn {
  readonly question: string;
  readonly progress: Progress;
  /** Null while it runs. */
  readonly end: TriageEnd | null;
}

const MAX_STEPS = 4;

export function FollowUp({ incident: { session_id } }: { readonly incident: IncidentDetail }) {
  const turns = useSignal<readonly Turn[]>([]);
  const abort = useRef<AbortController>(undefined);
  useEffect(() => () => abort.current?.abort(), []);
  const change = (part: Partial<Turn>) => {
    turns.value = turns.value.map((turn, index) => (index === turns.value.length - 1 ? { ...turn, ...part } : turn));
  };
  const ask = async (question: string) => {
    turns.value = [...turns.value, { question, progress: NO_PROGRESS, end: null }];
    abort.current = new AbortController();
    const { signal } = abort.current;
    // The field is free for the next question at once.
    void followTriage({ question, session_id }, { signal, onProgress: (progress) => change({ progress }) }).then(
      (end) => change({ end }),
    );
    return null;
  };
  return (
    <Section title="Ask about this incident">
      {turns.value.length > 0 && (
        <ol class="list">
          {turns.value.map((turn, index) => (
            <li key={index} class="card">
              <p>
                <strong>{displayText(turn.question)}</strong>
              </p>
              <Reply turn={turn} />
            </li>
          ))}
        </ol>
      )}
      <LineForm
        label="Your question"
        action="Ask"
        placeholder="Such as: what did we try last time?"
        isBusy={turns.value.at(-1)?.end === null}
        submit={ask}
      />
    </Section>
  );
}

/** The answer in short; its own page has the rest. */
function Reply({ turn: { progress, end } }: { readonly turn: Turn }) {
  if (end?.state === "failed") return <FailedState failure={end.failure} />;
  if (end?.state !== "answered") {
    const text = progress.texts.get("summary.text");
    return (
      <div aria-busy="true">
        {text !== undefined && <p>{displayText(text)}</p>}
        <p class="note" role="status">
          {progress.steps.at(-1)} …
        </p>
      </div>
    );
  }
  const { answer, incident_id } = end.result;
  const steps = [...answer.confirm, ...answer.mitigate, ...answer.look_next].slice(0, MAX_STEPS);
  return (
    <div role="status" class="stack-2">
      <p>{displayText(answer.summary.text)}</p>
      {steps.length > 0 && (
        <ol class="bullets">
          {steps.map(({ text, command }, index) => (
            <li key={index}>
              <p>{displayText(text)}</p>
              {command !== null && <CodeBlock text={displayText(command)} name="command" />}
            </li>
          ))}
        </ol>
      )}
      <p>
        <a href={consolePath(`/incidents/${incident_id}`)}>Open the whole answer</a>
      </p>
    </div>
  );
}
