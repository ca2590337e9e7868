// The list of past answers and of the summaries of sessions.

import { displayText } from "../../../../lib/text/display-text.ts";
import type { Body } from "../../api/body.ts";
import { api } from "../../api/client.ts";
import { usePages } from "../../api/use-pages.ts";
import { Badge } from "../../components/badge.tsx";
import { RowList } from "../../components/page-list.tsx";
import { Time } from "../../components/time.tsx";
import { consolePath } from "../../format/console-path.ts";
import { useRowKeys } from "../../keyboard/use-row-keys.ts";
import { DomainLink, Filters, useFilters } from "./filters.tsx";
import { ForgetButton } from "./forget-button.tsx";
import { shortSession } from "./words.ts";

type Answers = Body<"getMemoryPastAnswers">;
type Entry = Answers["past_answers"][number];

export function PastAnswers() {
  const filter = useFilters();
  const pages = usePages<Answers, Entry>(
    `past answers ${JSON.stringify(filter)}`,
    (cursor, options) =>
      api.GET("/v1/memory/past-answers", {
        params: { query: { ...filter, ...(cursor === undefined ? {} : { cursor }) } },
        ...options,
      }),
    ({ past_answers }) => past_answers,
  );
  useRowKeys(".rows summary");
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <>
      <Filters name="answers" />
      <RowList
        pages={pages}
        name="the answers"
        empty={isFiltered ? "No answer matches." : "There are no answers yet."}
        hint={isFiltered ? "Remove a filter." : "Each answered report becomes one."}
        row={(row) => <Row key={row.id} row={row} onForgotten={() => void pages.first.reload()} />}
      />
    </>
  );
}

function Row({ row, onForgotten }: { readonly row: Entry; readonly onForgotten: () => void }) {
  const { id, question, answer, created_at, domain, session_id, net_rating, is_summary, incident_id } = row;
  const kind = is_summary ? "summary" : "answer";
  return (
    <li class="row">
      <details>
        <summary class="memory-title">{displayText(question)}</summary>
        <p class="memory-text">{displayText(answer)}</p>
        <div class="line">
          {incident_id !== null && <a href={consolePath(`/incidents/${incident_id}`)}>Open its incident</a>}
          <ForgetButton
            kind={kind}
            name={question}
            size="small"
            forget={() => api.DELETE("/v1/memory/past-answers/{id}", { params: { path: { id } } })}
            onForgotten={onForgotten}
          >
            {is_summary ? (
              <p>The past answers that this summary contains are deleted with it.</p>
            ) : (
              <p>
                The summary that contains it is deleted with it, and what other answers cite from it. Its incident
                stays.
              </p>
            )}
          </ForgetButton>
        </div>
      </details>
      <p class="facts">
        <Time at={created_at} />
        <DomainLink domain={domain} />
        <a href={`?session=${encodeURIComponent(session_id)}`} title="Only this session">
          session {displayText(shortSession(session_id))}
        </a>
        <Rating net={net_rating} />
        <State row={row} />
      </p>
    </li>
  );
}

function Rating({ net }: { readonly net: number }) {
  if (net === 0) return null;
  return <Badge tone={net > 0 ? "good" : "bad"}>{net > 0 ? `rated up, +${net}` : `rated down, −${-net}`}</Badge>;
}

function State({ row: { is_summary, summary_id, compressed_at } }: { readonly row: Entry }) {
  if (is_summary) return <Badge tone="info">summary of a session</Badge>;
  if (compressed_at !== null) return <Badge>replaced by a summary</Badge>;
  return summary_id === null ? null : <Badge>is being summarised</Badge>;
}
