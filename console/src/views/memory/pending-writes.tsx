// Index writes that are not delivered yet, and ratings for the trace server.

import { displayText } from "../../../../lib/text/display-text.ts";
import type { Body } from "../../api/body.ts";
import { api } from "../../api/client.ts";
import { usePages } from "../../api/use-pages.ts";
import { EmptyState } from "../../components/empty-state.tsx";
import { PageList } from "../../components/page-list.tsx";
import { Time } from "../../components/time.tsx";
import { exactTime } from "../../format/time.ts";
import { counted } from "./words.ts";

type Outbox = Body<"getMemoryOutbox">;

export function PendingWrites() {
  const pages = usePages<Outbox, Outbox["pending"][number]>(
    "pending writes",
    (cursor, options) =>
      api.GET("/v1/memory/outbox", { params: { query: cursor === undefined ? {} : { cursor } }, ...options }),
    ({ pending }) => pending,
  );
  const state = pages.first.state.value;
  return (
    <>
      {state.status === "ready" && <Ratings annotations={state.data.annotations} />}
      <PageList
        pages={pages}
        name="the pending writes"
        empty={
          <EmptyState title="Nothing is pending.">
            <p>The search index holds every record.</p>
          </EmptyState>
        }
      >
        {(rows) => (
          <>
            {state.status === "ready" && (
              <p>
                {counted(state.data.total, "record")} wait for the search index. Search by words finds them already. The
                job <code>retry-outbox</code> tries again every 2 minutes.
              </p>
            )}
            <ul class="rows">
              {rows.map(({ id, collection, document_id, created_at, attempts, next_attempt_at, last_error }) => (
                <li key={id} class="row">
                  <p>
                    {displayText(collection)} <code>{displayText(document_id)}</code>
                  </p>
                  <p class="facts">
                    <span>
                      pending since <Time at={created_at} />
                    </span>
                    <span>{counted(attempts, "attempt")}</span>
                    <span>next attempt {exactTime(next_attempt_at)}</span>
                    {last_error !== null && <span class="memory-came-back">{displayText(last_error)}</span>}
                  </p>
                </li>
              ))}
            </ul>
          </>
        )}
      </PageList>
    </>
  );
}

function Ratings({ annotations: { pending, given_up } }: { readonly annotations: Outbox["annotations"] }) {
  if (pending === 0 && given_up === 0) return null;
  return (
    <p class="note">
      {pending > 0 && `${counted(pending, "rating")} wait for the trace server. `}
      {given_up > 0 && `The trace server refused ${counted(given_up, "rating")}.`}
    </p>
  );
}
