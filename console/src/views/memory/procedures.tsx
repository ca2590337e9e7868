// The list of procedures.

import { percentOf } from "../../../../functions/answer-view/past-incident-text.ts";
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

type Entry = Body<"getMemoryProcedures">["procedures"][number];

export function Procedures() {
  const { text, domain } = useFilters();
  const filter = { ...(text === undefined ? {} : { text }), ...(domain === undefined ? {} : { domain }) };
  const pages = usePages<Body<"getMemoryProcedures">, Entry>(
    `procedures ${JSON.stringify(filter)}`,
    (cursor, options) =>
      api.GET("/v1/memory/procedures", {
        params: { query: { ...filter, ...(cursor === undefined ? {} : { cursor }) } },
        ...options,
      }),
    ({ procedures }) => procedures,
  );
  useRowKeys(".rows summary");
  const isFiltered = text !== undefined || domain !== undefined;
  return (
    <>
      <Filters name="approaches" />
      <RowList
        pages={pages}
        name="the approaches"
        empty={isFiltered ? "No approach matches." : "There are no approaches yet."}
        hint={
          isFiltered
            ? "Use fewer words, or another domain."
            : "An answer of a language model that its critic scored at least 0.7 becomes one. Without a model there are none."
        }
        row={(row) => <Row key={row.id} row={row} onForgotten={() => void pages.first.reload()} />}
      />
    </>
  );
}

function Row({ row, onForgotten }: { readonly row: Entry; readonly onForgotten: () => void }) {
  const { id, query, strategy, answer, confidence, use_count, last_used_at, domain, incident_id, archived_at } = row;
  return (
    <li class="row">
      <details>
        <summary class="memory-title">{displayText(query)}</summary>
        <p class="memory-text">{displayText(answer)}</p>
        <p class="note">How it was reached: {displayText(strategy)}</p>
        <div class="line">
          {incident_id !== null && <a href={consolePath(`/incidents/${incident_id}`)}>Open its incident</a>}
          <ForgetButton
            kind="approach"
            name={query}
            size="small"
            forget={() => api.DELETE("/v1/memory/procedures/{id}", { params: { path: { id } } })}
            onForgotten={onForgotten}
          >
            <p>Later investigations no longer get this hint. The incident and its answer stay.</p>
          </ForgetButton>
        </div>
      </details>
      <p class="facts">
        <span>
          last used <Time at={last_used_at} />
        </span>
        <DomainLink domain={domain} />
        <span>score of its answer {percentOf(confidence)}</span>
        <span title="Uses halve with time.">weight of its uses {use_count.toFixed(1)}</span>
        {archived_at !== null && <Badge>archived: not used for long</Badge>}
      </p>
    </li>
  );
}
