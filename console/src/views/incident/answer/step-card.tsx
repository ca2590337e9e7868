// One step: what to do, its command, what the command does to the system, and whether it is done.

import { useId } from "preact/hooks";
import type { Item } from "../../../../../functions/answer-view/answer-view.ts";
import { displayText } from "../../../../../lib/text/display-text.ts";
import { CodeBlock } from "../../../components/code-block.tsx";
import { Time } from "../../../components/time.tsx";
import { type CitationContext, Citations } from "./citations.tsx";
import { capital, Note, Prose, wordsOf } from "./prose.tsx";
import type { Tick } from "./ticks.ts";

interface StepCardProps extends Tick {
  readonly item: Item;
  readonly context: CitationContext;
}

/** Words, a sign and a border say it; the colour repeats it. */
const EFFECTS = {
  "read-only": { sign: "◉", tone: "neutral" },
  "changes state": { sign: "⚠", tone: "bad" },
  "not verified as read-only": { sign: "⚠", tone: "warn" },
} as const;

export function StepCard({ item, isDone, done, tick, context }: StepCardProps) {
  const { command, open, undo, citations, note } = item;
  const id = useId();
  const effect = item.warning ?? (command === null ? null : "read-only");
  return (
    <li
      class={`card stack-2 answer-step tone-${effect === null ? "neutral" : EFFECTS[effect].tone}${isDone ? " answer-step-done" : ""}`}
    >
      <div class="answer-step-head">
        {tick !== null && (
          <input
            id={id}
            type="checkbox"
            checked={isDone}
            onChange={({ currentTarget }) => tick(currentTarget.checked)}
            aria-label={`Done: ${displayText(wordsOf(item))}`}
          />
        )}
        <div class="answer-step-text">
          {effect !== null && (
            <p class="answer-effect">
              {EFFECTS[effect].sign} {capital(effect)}
            </p>
          )}
          <label for={tick === null ? undefined : id}>
            <Prose text={wordsOf(item)} />
          </label>
          <Note text={note} />
          {isDone && done !== null && (
            <p class="note">
              Done{done.by === null ? "" : ` by ${displayText(done.by)}`} {done.at !== null && <Time at={done.at} />}
            </p>
          )}
        </div>
      </div>
      {command !== null && <CodeBlock text={command} name={`command, ${effect}`} />}
      {open.length > 0 && <p class="note">Replace {open.join(", ")} before you run it.</p>}
      {undo !== null && (
        <div>
          <p>
            <strong>To undo:</strong> {!undo.isCommand && <Prose text={undo.text} />}
          </p>
          {undo.isCommand && <CodeBlock text={undo.text} name="command that undoes the step" />}
        </div>
      )}
      <Citations numbers={citations} context={context} />
    </li>
  );
}
