// One step: what to do, its command, what the command does to the system, and whether it is done.

import { useId } from "preact/hooks";
import { displayText } from "../../../../../lib/text/display-text.ts";
import { CodeBlock } from "../../../components/code-block.tsx";
import { Time } from "../../../components/time.tsx";
import { type CitationContext, Citations } from "./citations.tsx";
import type { ShownStep } from "./model/steps.ts";
import { Prose } from "./prose.tsx";

interface StepCardProps {
  readonly step: ShownStep;
  readonly isDone: boolean;
  /** Missing where the session may not, or the state cannot be kept. */
  readonly tick?: (done: boolean) => void;
  readonly context: CitationContext;
}

/** Words, a sign and a border say it; the colour repeats it. */
const EFFECTS: Readonly<Record<NonNullable<ShownStep["effect"]>, { readonly name: string; readonly command: string }>> =
  {
    read_only: { name: "◉ Read-only", command: "read-only command" },
    changes_state: { name: "⚠ Changes the system", command: "command that changes the system" },
    unverified: { name: "⚠ Not verified as read-only", command: "command that may change the system" },
  };

/** An undo that is nothing but a command, in a code span. */
const COMMAND_ALONE = /^`([^`\n]+)`\.?$/;

export function StepCard({ step, isDone, tick, context }: StepCardProps) {
  const { text, command, open, undo, effect, citations, note, state } = step;
  const id = useId();
  const shown = effect && EFFECTS[effect];
  return (
    <li class={`card answer-step answer-step-${effect}${isDone ? " answer-step-done" : ""}`}>
      <div class="answer-step-head">
        {tick !== undefined && (
          <input
            id={id}
            type="checkbox"
            checked={isDone}
            onChange={({ currentTarget }) => tick(currentTarget.checked)}
            aria-label={`Done: ${displayText(text)}`}
          />
        )}
        <div class="answer-step-text">
          {shown !== null && <p class="answer-effect">{shown.name}</p>}
          <label for={tick === undefined ? undefined : id}>
            <Prose text={text} />
          </label>
          {note !== null && <p class="answer-caution">⚠ {note.charAt(0).toUpperCase() + note.slice(1)}.</p>}
          {isDone && state?.done && <DoneBy by={state.by} at={state.at} />}
        </div>
      </div>
      {command !== null && command.trim() !== "" && <CodeBlock text={command} name={shown?.command ?? "command"} />}
      {open.length > 0 && <p class="note">Replace {open.join(", ")} before you run it.</p>}
      {undo !== null && <Undo text={undo} />}
      <Citations ids={citations} context={context} />
    </li>
  );
}

function DoneBy({ by, at }: { readonly by: string | null; readonly at: string | null }) {
  return (
    <p class="note">
      Done{by === null ? "" : ` by ${displayText(by)}`}
      {at !== null && (
        <>
          {" "}
          <Time at={at} />
        </>
      )}
    </p>
  );
}

function Undo({ text }: { readonly text: string }) {
  const alone = COMMAND_ALONE.exec(text.trim())?.[1];
  if (alone === undefined)
    return (
      <p>
        <strong>To undo:</strong> <Prose text={text} />
      </p>
    );
  return (
    <div>
      <p>
        <strong>To undo:</strong>
      </p>
      <CodeBlock text={alone} name="command that undoes the step" />
    </div>
  );
}
