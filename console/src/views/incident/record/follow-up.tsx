// A question about the incident, asked in its session: the answer knows what was said before.

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { displayText } from "../../../../../lib/text/display-text.ts";
import type { Failure } from "../../../api/failure.ts";
import { NO_PROGRESS, streamTriage, type Triage, type TriageProgress } from "../../../api/triage-stream.ts";
import { CodeBlock } from "../../../components/code-block.tsx";
import { FailedState } from "../../../components/failed-state.tsx";
import { Section } from "../../../components/page.tsx";
import { consolePath } from "../../../format/console-path.ts";
import { LineForm } from "./line-form.tsx";
import type { IncidentDetail } from "./model/incident.ts";

interface Turn {
  readonly question: string;
  readonly progress: TriageProgress;
  readonly result: Triage | null;
  readonly failure: Failure | null;
}

const MAX_STEPS = 4;

export function FollowUp({ incident }: { readonly incident: IncidentDetail }) {
  const turns = useSignal<readonly Turn[]>([]);
  const abort = useRef<AbortController>(undefined);
  useEffect(() => () => abort.current?.abort(), []);
  const last = turns.value.at(-1);
  const isAsking = last !== undefined && last.result === null && last.failure === null;
  const change = (part: Partial<Turn>) => {
    turns.value = turns.value.map((turn, index) => (index === turns.value.length - 1 ? { ...turn, ...part } : turn));
  };
  const ask = async (text: string) => {
    turns.value = [...turns.value, { question: text, progress: NO_PROGRESS, result: null, failure: null }];
    abort.current = new AbortController();
    const { signal } = abort.current;
    try {
      const body = { question: text, session_id: incident.session_id };
      const result = await streamTriage(body, { signal, onProgress: (progress) => change({ progress }) });
      change(result.ok ? { result: result.data } : { failure: result.failure });
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  };
  return (
    <Section title="Ask about this incident">
      <Turns turns={turns.value} />
      <LineForm
        label="Your question"
        action="Ask"
        placeholder="Such as: what did we try last time?"
        isBusy={isAsking}
        submit={(text) => {
          void ask(text);
          return true;
        }}
      />
    </Section>
  );
}

function Turns({ turns }: { readonly turns: readonly Turn[] }) {
  if (turns.length === 0) return null;
  return (
    <ol class="list">
      {turns.map((turn, index) => (
        <li key={index} class="card">
          <p class="record-question">{displayText(turn.question)}</p>
          <Reply turn={turn} />
        </li>
      ))}
    </ol>
  );
}

const STAGES = {
  searching: "Searching runbooks and past incidents …",
  reading: "Reading what was found …",
  writing: "Writing …",
} as const;

function Reply({ turn: { progress, result, failure } }: { readonly turn: Turn }) {
  if (failure !== null) return <FailedState failure={failure} />;
  if (result !== null) return <ShortAnswer result={result} />;
  const text = progress.texts.get("summary.text");
  return (
    <div aria-busy="true">
      {text !== undefined && <p>{displayText(text)}</p>}
      <p class="note" role="status">
        {STAGES[progress.stage]}
      </p>
    </div>
  );
}

/** The answer in short; its own page has the rest. */
function ShortAnswer({ result }: { readonly result: Triage }) {
  const { answer, incident_id } = result;
  const steps = [...answer.confirm, ...answer.mitigate, ...answer.look_next].slice(0, MAX_STEPS);
  return (
    <div role="status" class="stack-2">
      <p>{displayText(answer.summary.text)}</p>
      {steps.length > 0 && (
        <ol class="stack-2">
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
