// What a query recalls from memory, each hit with the parts of its score.

import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { displayText } from "../../../../lib/text/display-text.ts";
import type { Body } from "../../api/body.ts";
import { api } from "../../api/client.ts";
import { useRequest } from "../../api/use-request.ts";
import { Button } from "../../components/button.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { Field } from "../../components/field.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Section } from "../../components/page.tsx";
import { useKeys } from "../../keyboard/keys.ts";
import { useRowKeys } from "../../keyboard/use-row-keys.ts";
import { PastAnswerHit, PastIncidentHit, ProcedureHit } from "./recall-hits.tsx";

type Recalled = Body<"getMemorySearch">;
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
          class="memory-recall-form"
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
  const request = useRequest<Recalled>(query, (options) =>
    api.GET("/v1/memory/search", { params: { query: { query } }, ...options }),
  );
  useRowKeys(".memory-hit .memory-title");
  return (
    <Loaded request={request} name="what the query recalls" lines={16}>
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
        <EmptyState title="Nothing alike is stored.">
          <p>An answer to this report would use runbooks alone.</p>
        </EmptyState>
      )}
      {incidents.length > 0 && (
        <Section
          title="Observations"
          note="Score = same failure × quality × review × age. Only hits that an answer uses are part of it."
        >
          <ul class="rows">
            {incidents.map((hit) => (
              <PastIncidentHit key={hit.id} hit={hit} />
            ))}
          </ul>
        </Section>
      )}
      {past_answers.length > 0 && (
        <Section title="Past answers" note="Score = (nearness + rating + session) × age.">
          <ul class="rows">
            {past_answers.map((hit) => (
              <PastAnswerHit key={hit.id} hit={hit} />
            ))}
          </ul>
        </Section>
      )}
      {procedure !== null && (
        <Section title="Procedure" note="The nearest one in meaning. It is a hint for the investigation.">
          <ul class="rows">
            <ProcedureHit hit={procedure} />
          </ul>
        </Section>
      )}
    </>
  );
}
