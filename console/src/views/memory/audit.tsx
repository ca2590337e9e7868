// Changes and deletions through the API, newest first.

import { displayText } from "../../../../lib/text/display-text.ts";
import type { Body } from "../../api/body.ts";
import { api } from "../../api/client.ts";
import { usePages } from "../../api/use-pages.ts";
import { RowList } from "../../components/page-list.tsx";
import { Time } from "../../components/time.tsx";

type Events = Body<"getMemoryAudit">;
type Entry = Events["events"][number];

export function Audit() {
  const pages = usePages<Events, Entry>(
    "audit",
    (cursor, options) =>
      api.GET("/v1/memory/audit", { params: { query: cursor === undefined ? {} : { cursor } }, ...options }),
    ({ events }) => events,
  );
  return (
    <RowList
      pages={pages}
      name="the changes"
      empty="Nothing was changed yet."
      row={(row) => <Row key={row.id} row={row} />}
    />
  );
}

function Row({ row: { at, action, kind, subject_id, actor, request_id, detail } }: { readonly row: Entry }) {
  const { method, route, ...others } = detail;
  return (
    <li class="row">
      <p>
        {typeof route === "string" ? (
          <code>
            {String(method)} {displayText(route)}
          </code>
        ) : (
          <>
            {displayText(kind).replace("_", " ")} {displayText(action)}
          </>
        )}
      </p>
      <p class="facts">
        <Time at={at} />
        <span>by {actor === null ? "an unrecorded caller" : displayText(actor)}</span>
        {subject_id !== "" && <code>{displayText(subject_id)}</code>}
        {Object.entries(others).map(([name, value]) => (
          <span key={name}>
            {displayText(name.replaceAll("_", " "))} {displayText(String(value))}
          </span>
        ))}
        {request_id !== null && <span>request {displayText(request_id)}</span>}
      </p>
    </li>
  );
}
