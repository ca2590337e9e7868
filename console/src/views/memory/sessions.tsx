// The list of sessions.

import { displayText } from "../../../../lib/text/display-text.ts";
import type { Body } from "../../api/body.ts";
import { api } from "../../api/client.ts";
import { usePages } from "../../api/use-pages.ts";
import { RowList } from "../../components/page-list.tsx";
import { Time } from "../../components/time.tsx";
import { consolePath } from "../../format/console-path.ts";
import { useRowKeys } from "../../keyboard/use-row-keys.ts";
import { can } from "../../session/session.ts";
import { ForgetButton } from "./forget-button.tsx";
import { counted } from "./words.ts";

type Entry = Body<"getMemorySessions">["sessions"][number];

export function Sessions() {
  const pages = usePages<Body<"getMemorySessions">, Entry>(
    "sessions",
    (cursor, options) =>
      api.GET("/v1/memory/sessions", { params: { query: cursor === undefined ? {} : { cursor } }, ...options }),
    ({ sessions }) => sessions,
  );
  useRowKeys(".rows .memory-title");
  return (
    <RowList
      pages={pages}
      name="the sessions"
      empty="There are no sessions yet."
      hint={can("admin") ? "The first answered report begins one." : "You see the sessions of your token only."}
      row={(row) => <Row key={row.session_id} row={row} onForgotten={() => void pages.first.reload()} />}
    />
  );
}

function Row({ row, onForgotten }: { readonly row: Entry; readonly onForgotten: () => void }) {
  const { session_id: id, domains, last_turn_at, raw_count, summary_count } = row;
  return (
    <li class="row">
      <div class="memory-row-head">
        <a class="memory-title" href={`${consolePath("/memory/past-answers")}?session=${encodeURIComponent(id)}`}>
          {displayText(id)}
        </a>
        <ForgetButton
          kind="session"
          name={id}
          size="small"
          forget={() => api.DELETE("/v1/memory/sessions/{id}", { params: { path: { id } } })}
          onForgotten={onForgotten}
        >
          <p>
            Its turns are deleted, with {counted(raw_count, "past answer")}
            {summary_count > 0 && " and the summary of older ones"}. Its incidents stay.
          </p>
        </ForgetButton>
      </div>
      <p class="facts">
        <span>
          last used <Time at={last_turn_at} />
        </span>
        <span>{counted(raw_count, "past answer")}</span>
        {summary_count > 0 && <span>with a summary of older ones</span>}
        {domains.length > 0 && <span>{domains.join(", ")}</span>}
      </p>
    </li>
  );
}
