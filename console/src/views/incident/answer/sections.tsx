// The sections of an answer, in its order: checks, causes, candidates and steps.

import { useSignal } from "@preact/signals";
import type {
  Section as AnswerSection,
  AnswerView,
  Item,
  SectionKind,
} from "../../../../../functions/answer-view/answer-view.ts";
import { firstSentence } from "../../../../../functions/answer-view/live-evidence-text.ts";
import { Badge } from "../../../components/badge.tsx";
import { Button } from "../../../components/button.tsx";
import { Section } from "../../../components/page.tsx";
import { CheckLine, LeadBadge } from "./check-facts.tsx";
import { type CitationContext, Citations } from "./citations.tsx";
import { Note, Prose, wordsOf } from "./prose.tsx";
import { StepCard } from "./step-card.tsx";
import type { TickOf } from "./ticks.ts";

interface Surroundings {
  readonly tickOf: TickOf;
  readonly context: CitationContext;
  /** Whether evidence orders the causes, and not the text alone. */
  readonly isOrdered: boolean;
}

/** Sections that other parts of the page show: the log, the past incidents, and what was observed. */
const ELSEWHERE: ReadonlySet<SectionKind> = new Set(["evidence", "worked_before", "observed"]);
/** Sections that decide nothing now. */
const CLOSED: ReadonlySet<SectionKind> = new Set(["undecided", "considered", "prevention"]);
const STEPS: ReadonlySet<SectionKind> = new Set(["confirm", "mitigate", "look_next"]);
/** Causes or steps of a section that are shown at once: the best ones come first. */
const SHOWN = 3;

export function Sections({ view, ...surroundings }: Surroundings & { readonly view: AnswerView }) {
  return (
    <>
      {view.sections
        .filter(({ kind }) => !ELSEWHERE.has(kind))
        .map((section) => (
          <Part key={section.title} section={section} {...surroundings} />
        ))}
      {/* Each step says itself what to replace. */}
      {view.notes
        .filter(({ kind }) => kind === "from_report")
        .map(({ text }) => (
          <p key={text} class="note">
            <Prose text={text} />
          </p>
        ))}
    </>
  );
}

function Part({
  section: { kind, title, items },
  ...surroundings
}: Surroundings & { readonly section: AnswerSection }) {
  const isWhole = useSignal(false);
  const name = STEPS.has(kind) ? "step" : kind === "causes" ? "cause" : null;
  const shown = isWhole.value || name === null ? items : items.slice(0, SHOWN);
  const hidden = items.length - shown.length;
  // One row for the sources that all items cite.
  const [first, ...others] = items;
  const shared =
    others.length === 0 ? [] : first?.citations.filter((id) => others.every(({ citations }) => citations.includes(id)));
  const cards = (
    <>
      <ol class="list">
        {shown.map((item, i) => (
          <Card
            key={`${wordsOf(item)} ${item.command}`}
            kind={kind}
            item={{ ...item, citations: item.citations.filter((id) => !shared?.includes(id)) }}
            number={i + 1}
            {...surroundings}
          />
        ))}
      </ol>
      {hidden > 0 && (
        <div>
          <Button onClick={() => (isWhole.value = true)}>
            Show {hidden} more {name}
            {hidden > 1 && "s"}
          </Button>
        </div>
      )}
      <Citations numbers={shared ?? []} context={surroundings.context} />
    </>
  );
  if (!CLOSED.has(kind)) return <Section title={title}>{cards}</Section>;
  return (
    <details class="answer-more">
      <summary>
        {title} ({items.length})
      </summary>
      {cards}
    </details>
  );
}

interface CardProps extends Surroundings {
  readonly kind: SectionKind;
  readonly item: Item;
  /** From 1. */
  readonly number: number;
}

function Card({ kind, item, number, tickOf, context, isOrdered }: CardProps) {
  if (item.ran !== null) return <CheckLine item={item} ran={item.ran} />;
  if (STEPS.has(kind)) return <StepCard item={item} {...tickOf(item)} context={context} />;
  const words = wordsOf(item);
  // The first sentence names a cause; the others explain it.
  const heading = kind === "causes" ? firstSentence(words) : item.lead;
  const text = kind === "causes" ? words.slice(heading?.length).trim() : words;
  return (
    <li class={`card stack-2 answer-cause-${item.leadTone}`}>
      {heading !== null && (
        <div class="row-head">
          <h3>
            {isOrdered && `${number}. `}
            <Prose text={heading} />
          </h3>
          {kind === "causes" && (item.lead === null ? <Badge>○ Not checked</Badge> : <LeadBadge item={item} />)}
        </div>
      )}
      {text !== "" && (
        <p>
          <Prose text={text} />
        </p>
      )}
      <Note text={item.note} />
      <Citations numbers={item.citations} context={context} />
      {item.checks.length > 0 && (
        <ol class="list">
          {item.checks.map((check) => (
            <StepCard key={`${wordsOf(check)} ${check.command}`} item={check} {...tickOf(check)} context={context} />
          ))}
        </ol>
      )}
    </li>
  );
}
