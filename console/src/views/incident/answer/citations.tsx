// Citations of a statement: buttons that open the cited text, past incident or check below them.

import { useSignal } from "@preact/signals";
import { useId, useRef } from "preact/hooks";
import type { IncidentHit } from "../../../../../functions/schemas/triage-result.ts";
import { displayText } from "../../../../../lib/text/display-text.ts";
import { useGet } from "../../../api/use-request.ts";
import { Button } from "../../../components/button.tsx";
import { Fact, Facts } from "../../../components/facts.tsx";
import { Markdown } from "../../../components/markdown.tsx";
import { Loaded } from "../../../components/states.tsx";
import { Time } from "../../../components/time.tsx";
import { CheckText } from "./check-facts.tsx";
import type { Citation } from "./model/citations.ts";
import { Prose } from "./prose.tsx";

export interface CitationContext {
  readonly incidentId: string;
  /** By their numbers. */
  readonly citations: ReadonlyMap<number, Citation>;
}

interface CitationsProps {
  readonly numbers: readonly number[];
  readonly context: CitationContext;
}

export function Citations({ numbers, context }: CitationsProps) {
  const open = useSignal<string | null>(null);
  const panel = useId();
  const row = useRef<HTMLDivElement>(null);
  const cited = numbers.flatMap((number) => context.citations.get(number) ?? []);
  const shown = cited.find(({ id }) => id === open.value);
  if (cited.length === 0) return null;
  const close = () => {
    const index = cited.findIndex(({ id }) => id === open.value);
    open.value = null;
    // The focus returns to the button that opened it.
    row.current?.querySelectorAll("button")[index]?.focus();
  };
  return (
    <div class="stack-2">
      <div class="actions" ref={row}>
        {cited.map((citation) => (
          <CitationButton
            key={citation.id}
            citation={citation}
            panel={panel}
            isOpen={citation.id === open.value}
            toggle={() => (open.value = open.value === citation.id ? null : citation.id)}
          />
        ))}
      </div>
      {shown !== undefined && (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset groups inputs.
        <div
          id={panel}
          class="card answer-source"
          role="group"
          aria-label={`Source: ${displayText(shown.name)}`}
          onKeyDown={(event) => event.key === "Escape" && close()}
        >
          <div class="answer-source-head">
            <p class="note">{displayText(shown.name)}</p>
            <Button size="small" aria-label="Close the source" onClick={close}>
              Close
            </Button>
          </div>
          <CitedText key={shown.id} citation={shown} incidentId={context.incidentId} />
        </div>
      )}
    </div>
  );
}

interface CitationButtonProps {
  readonly citation: Citation;
  readonly panel: string;
  readonly isOpen: boolean;
  readonly toggle: () => void;
}

function CitationButton({ citation: { number, label, name }, panel, isOpen, toggle }: CitationButtonProps) {
  return (
    <button
      type="button"
      class="button button-small answer-citation"
      aria-expanded={isOpen}
      aria-controls={isOpen ? panel : undefined}
      onClick={toggle}
    >
      <b>{number}</b> <span>{displayText(label)}</span>
      <span class="visually-hidden">, source: {displayText(name)}</span>
    </button>
  );
}

function CitedText({ citation, incidentId }: { readonly citation: Citation; readonly incidentId: string }) {
  const { content } = citation;
  switch (content.kind) {
    case "text":
      return <Markdown text={content.text} level={4} />;
    case "check":
      return <CheckText item={content.item} ran={content.ran} />;
    case "incident":
      return <PastIncidentText incident={content.incident} />;
    case "elsewhere":
      return <StoredText id={citation.id} incidentId={incidentId} />;
  }
}

/** A cited past incident: what happened, and what fixed it. */
function PastIncidentText({ incident }: { readonly incident: IncidentHit }) {
  const { title, narrative, resolution, resolved_by, last_seen_at, reported_at, occurrences, alike, differs } =
    incident;
  return (
    <>
      <p>
        <strong>
          <Prose text={title} />
        </strong>
      </p>
      {narrative !== "" && (
        <p>
          <Prose text={narrative} />
        </p>
      )}
      <Facts>
        <Fact name="Fix">
          {resolution === null ? "none recorded" : <Prose text={resolution} />}
          {resolved_by !== null && resolved_by !== "" && ` (${resolved_by})`}
        </Fact>
        <Fact name="Seen">
          <Time at={last_seen_at ?? reported_at} />
          {occurrences > 1 && `, ${occurrences} times before`}
        </Fact>
        {alike.length > 0 && <Fact name="Alike">{alike.join("; ")}</Fact>}
        {differs.length > 0 && <Fact name="Differs">{differs.join("; ")}</Fact>}
      </Facts>
    </>
  );
}

/** The answer cites more sections of its runbooks than its result holds. */
function StoredText({ id, incidentId }: { readonly id: string; readonly incidentId: string }) {
  const request = useGet("/v1/incidents/{id}/sources/{source_id}", { path: { id: incidentId, source_id: id } });
  return (
    <Loaded request={request} name="the cited text" lines={3}>
      {({ text, is_current }) =>
        text === null ? (
          <p>The cited text was deleted since.</p>
        ) : (
          <>
            <Markdown text={text} level={4} />
            {is_current && <p class="note">This is the text as it is stored now.</p>}
          </>
        )
      }
    </Loaded>
  );
}
