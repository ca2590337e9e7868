// Causes with their evidence, candidates, causes that are ruled out, and checks.

import type { PossibleCause, RuledOut } from "../../../../../functions/schemas/answer.ts";
import type { TriageResult } from "../../../../../functions/schemas/triage-result.ts";
import { Badge, type Tone } from "../../../components/badge.tsx";
import { Section } from "../../../components/page.tsx";
import { CheckLine } from "./check-facts.tsx";
import { type CitationContext, Citations } from "./citations.tsx";
import { type CauseState, causesOf, type ShownCause } from "./model/causes.ts";
import { sharedCitations } from "./model/citations.ts";
import { Prose } from "./prose.tsx";

interface CausesProps {
  readonly result: TriageResult;
  readonly context: CitationContext;
}

const STATES: Readonly<Record<CauseState, { readonly name: string; readonly tone: Tone }>> = {
  confirmed: { name: "✓ Confirmed by a check", tone: "good" },
  contradictory: { name: "? Checks contradict each other", tone: "warn" },
  undecided: { name: "? Checked, not decided", tone: "warn" },
  not_checked: { name: "○ Not checked", tone: "neutral" },
};

export function Causes({ result, context }: CausesProps) {
  const { causes, ruledOut, candidates } = causesOf(result);
  // One row of sources for all causes where they cite the same.
  const shared = sharedCitations(causes);
  return (
    <>
      {causes.length > 0 && (
        <Section title="Likely causes">
          <ol class="answer-list">
            {causes.map((cause, i) => (
              <CauseCard
                key={cause.lead}
                cause={shared === null ? cause : { ...cause, citations: [] }}
                number={i + 1}
                context={context}
              />
            ))}
          </ol>
          {shared !== null && <Citations ids={shared} context={context} />}
        </Section>
      )}
      <Candidates items={candidates} context={context} />
      <RuledOutCauses items={ruledOut} context={context} />
    </>
  );
}

interface ItemsProps<T> {
  readonly items: readonly T[];
  readonly context: CitationContext;
}

function Candidates({ items, context }: ItemsProps<PossibleCause>) {
  if (items.length === 0) return null;
  return (
    <Section title="Candidates" note="None is confirmed. Check them, the most probable first.">
      <ol class="answer-list">
        {items.map((candidate) => (
          <li key={candidate.title} class="card answer-cause">
            <div class="answer-cause-head">
              <h3>
                <Prose text={candidate.title} />
              </h3>
              <Badge>{candidate.probability.toFixed(2)} probability</Badge>
            </div>
            <p>
              <Prose text={candidate.text} />
            </p>
            <Citations ids={candidate.citations} context={context} />
          </li>
        ))}
      </ol>
    </Section>
  );
}

function RuledOutCauses({ items, context }: ItemsProps<RuledOut>) {
  if (items.length === 0) return null;
  return (
    <Section title="Ruled out">
      <ul class="answer-list">
        {items.map(({ text, reason, citations }) => (
          <li key={text} class="card answer-cause answer-cause-out">
            <div class="answer-cause-head">
              <h3>
                <Prose text={text} />
              </h3>
              <Badge tone="bad">✕ Ruled out</Badge>
            </div>
            <p>
              <Prose text={reason} />
            </p>
            <Citations ids={citations} context={context} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

interface CauseCardProps {
  readonly cause: ShownCause;
  readonly number: number;
  readonly context: CitationContext;
}

function CauseCard({ cause, number, context }: CauseCardProps) {
  const { lead, rest, state, checks, citations, note, ownStep } = cause;
  const { name, tone } = STATES[state];
  return (
    <li class={`card answer-cause answer-cause-${state}`}>
      <div class="answer-cause-head">
        <h3>
          {number}. <Prose text={lead} />
        </h3>
        <Badge tone={tone}>{name}</Badge>
      </div>
      {rest !== "" && (
        <p>
          <Prose text={rest} />
        </p>
      )}
      {note !== null && <p class="answer-caution">⚠ {capital(note)}.</p>}
      {checks.map((check) => (
        <CheckLine key={check.id} check={check} />
      ))}
      {ownStep !== null && (
        <p class="note">
          To check it: <Prose text={ownStep.text} />
        </p>
      )}
      <Citations ids={citations} context={context} />
    </li>
  );
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
