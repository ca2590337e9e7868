// The alerts that a runbook answered, and whether it helped.

import { outcomeName } from "../../../../functions/answer-view/outcome-name.ts";
import { percentOf } from "../../../../functions/answer-view/past-incident-text.ts";
import { displayText } from "../../../../lib/text/display-text.ts";
import { api } from "../../api/client.ts";
import { usePages } from "../../api/use-pages.ts";
import { Badge, SeverityBadge } from "../../components/badge.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { PageList } from "../../components/page-list.tsx";
import { Time } from "../../components/time.tsx";
import { consolePath } from "../../format/console-path.ts";
import { useRowKeys } from "../../keyboard/use-row-keys.ts";
import type { RunbookName } from "./runbook-name.ts";
import type { Uses } from "./types.ts";

type Use = Uses["uses"][number];

export function RunbookUses({ name }: { readonly name: RunbookName }) {
  const pages = usePages<Uses, Use>(
    `uses ${name.domain}/${name.source}`,
    (cursor, options) =>
      api.GET("/v1/runbooks/{domain}/{source}/uses", {
        params: { path: name, query: cursor === undefined ? {} : { cursor } },
        ...options,
      }),
    ({ uses }) => uses,
  );
  useRowKeys(".row-title");
  const state = pages.first.state.value;
  return (
    <PageList
      pages={pages}
      name="what it answered"
      empty={
        <EmptyState title="No answer has cited this runbook yet.">
          <p>An answer cites it when an incident matches. Search with the words of an alert to see its score.</p>
        </EmptyState>
      }
    >
      {(uses) => (
        <>
          {state.status === "ready" && <p>{totalsText(state.data.totals)}</p>}
          <ul class="plain-rows">
            {uses.map((use) => (
              <UseEntry key={use.incident_id} use={use} />
            ))}
          </ul>
        </>
      )}
    </PageList>
  );
}

function totalsText({ answered, helped, did_not_help: failed }: Uses["totals"]): string {
  const open = answered - helped - failed;
  return `Answered ${answered} ${answered === 1 ? "incident" : "incidents"}: helped ${helped}, did not help ${failed}, not reported ${open}.`;
}

function UseEntry({ use }: { readonly use: Use }) {
  const { incident_id: id, title, target, severity, at, outcome, confidence } = use;
  return (
    <li>
      <a class="row-title" href={consolePath(`/incidents/${id}`)}>
        {displayText(title)}
      </a>
      <p class="facts">
        <SeverityBadge severity={severity} />
        <Help use={use} />
        <span>
          {outcomeName(outcome)}
          {(outcome === "cause" || outcome === "possible") && `, ${percentOf(confidence)}`}
        </span>
        {target !== null && <code>{displayText(target)}</code>}
        <Time at={at} />
      </p>
    </li>
  );
}

function Help({ use: { worked, rating_up: up, rating_down: down } }: { readonly use: Use }) {
  if (worked === true || up > down)
    return <Badge tone="good">{worked === true ? "led to the fix" : "rated helpful"}</Badge>;
  if (worked === false || down > up)
    return <Badge tone="bad">{worked === false ? "did not lead to the fix" : "rated not helpful"}</Badge>;
  return <Badge>not reported</Badge>;
}
