// What a report recalls from memory, each hit with the parts of its score.

import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { percentOf } from "../../../../functions/answer-view/percent.ts";
import { displayText } from "../../../../lib/text/display-text.ts";
import type { Body } from "../../api/types.ts";
import { useGet } from "../../api/use-request.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Contributions } from "../../components/contributions.tsx";
import { Field } from "../../components/field.tsx";
import { Section } from "../../components/page.tsx";
import { EmptyState, Loaded } from "../../components/states.tsx";
import { Table } from "../../components/table.tsx";
import { Time, When } from "../../components/time.tsx";
import { consolePath } from "../../format/console-path.ts";
import { proofOf, shortId } from "../../format/words.ts";
import { useKeys } from "../../keyboard/keys.ts";
import { useRowKeys } from "../../keyboard/use-row-keys.ts";
import { ProcedureFacts } from "./details.tsx";
import { QuestionAndAnswer } from "./records.tsx";
import { incidentParts, type ScorePart } from "./score-parts.ts";

type Recalled = Body<"/v1/memory/search">;
/** A longer query does not fit an address. */
const MAX_QUERY = 4_000;

export function Recall() {
  const location = useLocation();
  const { query = "" } = location.query;
  const typed = useSignal(query);
  const input = useRef<HTMLTextAreaElement>(null);
  useKeys([{ keys: "/", name: "Write a query", run: () => input.current?.focus() }]);
  const search = () => {
    const text = typed.value.trim();
    location.route(text === "" ? location.path : `${location.path}?query=${encodeURIComponent(text)}`);
  };
  return (
    <>
      <search>
        <form
          class="stack record-text"
          onSubmit={(event) => {
            event.preventDefault();
            search();
          }}
        >
          <Field
            label="Report"
            hint="The first line is the headline. Further lines are evidence, such as a log. Ctrl+Enter searches."
          >
            <textarea
              ref={input}
              rows={3}
              maxLength={MAX_QUERY}
              placeholder="gateway killed, exit code 137"
              value={typed.value}
              onInput={(event) => (typed.value = event.currentTarget.value)}
              onKeyDown={(event) => {
                if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) search();
              }}
            />
          </Field>
          <div>
            <Button kind="primary" type="submit">
              Show what it recalls
            </Button>
          </div>
        </form>
      </search>
      {query.trim() !== "" && <Result query={query} />}
    </>
  );
}

function Result({ query }: { readonly query: string }) {
  const request = useGet("/v1/memory/search", { query: { query } });
  useRowKeys(".rows .row-title");
  return (
    <Loaded request={request} name="what the report recalls" lines={16}>
      {(recalled) => <Hits recalled={recalled} />}
    </Loaded>
  );
}

function Hits({ recalled: { domain, incidents, past_answers, procedure, warnings } }: { readonly recalled: Recalled }) {
  const isEmpty = incidents.length + past_answers.length === 0 && procedure === null;
  return (
    <>
      {warnings.map(({ code, dependency, message }) => (
        <p key={`${code} ${dependency}`} class="stale" role="status">
          Some hits may be missing. {displayText(message)}
        </p>
      ))}
      <p>
        Routed to the domain <strong>{domain.name}</strong>: {displayText(domain.rule)}.
      </p>
      {isEmpty && (
        <EmptyState title="Nothing alike is stored.">An answer to this report would use runbooks alone.</EmptyState>
      )}
      {incidents.length > 0 && (
        <Section
          title="Failures"
          note="Score = same failure × quality × review × age. Only hits that an answer uses are part of it."
        >
          <ul class="rows">
            {incidents.map((hit) => (
              <PastIncident key={hit.id} hit={hit} />
            ))}
          </ul>
        </Section>
      )}
      {past_answers.length > 0 && (
        <Section title="Answers" note="Score = (nearness + rating + session) × age.">
          <ul class="rows">
            {past_answers.map(({ id, question, answer, asked_at, session_id, score, ...likeness }) => (
              <li key={id} class="row">
                <QuestionAndAnswer question={question} answer={answer} />
                <p class="facts">
                  <Likeness {...likeness} />
                  <Time at={asked_at} />
                  <span>session {displayText(shortId(session_id))}</span>
                  <span>score {score.toFixed(2)}</span>
                </p>
              </li>
            ))}
          </ul>
        </Section>
      )}
      {procedure !== null && (
        <Section title="Approach" note="The nearest one in meaning. It is a hint for the investigation.">
          <ul class="rows">
            <li class="row">
              <QuestionAndAnswer question={procedure.query} answer={procedure.answer} strategy={procedure.strategy} />
              <p class="facts">
                <Likeness {...procedure} />
                <span>nearness {procedure.cosine.toFixed(2)}</span>
                <ProcedureFacts {...procedure} />
              </p>
            </li>
          </ul>
        </Section>
      )}
    </>
  );
}

function PastIncident({ hit }: { readonly hit: Recalled["incidents"][number] }) {
  const { id, title, probability, relevant, relevance, score, alike, differs, fixes, last_seen_at } = hit;
  const fix = fixes.find(({ retired, worked }) => retired === null && worked > 0);
  return (
    <li class="row">
      <div class="row-head">
        <a class="row-title" href={consolePath(`/memory/observations/${id}`)}>
          {displayText(title)}
        </a>
        <Likeness probability={probability} relevant={relevant} />
      </div>
      <p class="facts">
        <When what="last seen" at={last_seen_at} />
        {fix !== undefined && (
          <span>
            fixed by {displayText(fix.text)} ({proofOf(fix)})
          </span>
        )}
      </p>
      {alike.length > 0 && <p>Alike: {alike.map(displayText).join("; ")}.</p>}
      {differs.length > 0 && <p>Differs: {differs.map(displayText).join("; ")}.</p>}
      <Parts name={title} score={score} parts={incidentParts(hit)} />
      {relevance !== null && (
        <details>
          <summary>Why {percentOf(probability)}</summary>
          <Contributions contributions={relevance.contributions} />
        </details>
      )}
    </li>
  );
}

function Likeness({ probability, relevant }: { readonly probability: number | null; readonly relevant: boolean }) {
  if (probability === null) return <Badge>no failure to compare</Badge>;
  return (
    <>
      <Badge tone={relevant ? "info" : "neutral"}>{percentOf(probability)} the same failure</Badge>
      {!relevant && <Badge>not used in an answer</Badge>}
    </>
  );
}

interface PartsProps {
  readonly name: string;
  readonly score: number;
  readonly parts: readonly ScorePart[];
}

function Parts({ name, score, parts }: PartsProps) {
  const rows = [...parts, { name: "Score", value: score.toFixed(2), meaning: "orders the hits" }];
  return (
    <Table
      label={`Parts of the score of ${displayText(name)}`}
      columns={["Part", "Value", "Meaning"]}
      rows={rows.map(({ name, value, meaning }) => [name, value, meaning])}
    />
  );
}
