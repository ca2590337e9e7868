// The alerts that a runbook answered, and whether it helped.

import { useSignal } from "@preact/signals";
import { displayText } from "../../../../lib/text/display-text.ts";
import { api } from "../../api/client.ts";
import { settle } from "../../api/failure.ts";
import { useRequest } from "../../api/use-request.ts";
import { Badge, SeverityBadge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Time } from "../../components/time.tsx";
import { showToast } from "../../components/toast.tsx";
import { consolePath } from "../../format/console-path.ts";
import { useRowKeys } from "../../keyboard/use-row-keys.ts";
import type { RunbookName } from "./runbook-name.ts";
import type { Uses } from "./types.ts";

type Use = Uses["uses"][number];

export function RunbookUses({ name }: { readonly name: RunbookName }) {
  const request = useRequest<Uses>(`uses ${name.domain}/${name.source}`, (options) =>
    api.GET("/v1/runbooks/{domain}/{source}/uses", { params: { path: name }, ...options }),
  );
  useRowKeys(".runbooks-title");
  const isBusy = useSignal(false);
  const showMore = async (list: Uses) => {
    if (list.next_cursor === null) return;
    isBusy.value = true;
    const params = { path: name, query: { cursor: list.next_cursor } };
    const next = await settle(api.GET("/v1/runbooks/{domain}/{source}/uses", { params }));
    isBusy.value = false;
    if (next.ok) request.set({ ...next.data, uses: [...list.uses, ...next.data.uses] });
    else showToast(`No more incidents: ${next.failure.detail}`, { isFailure: true });
  };
  return (
    <Loaded request={request} name="what it answered" lines={8}>
      {(list) =>
        list.uses.length === 0 ? (
          <EmptyState title="No answer has cited this runbook yet.">
            <p>An answer cites it when an incident matches. Search with the words of an alert to see its score.</p>
          </EmptyState>
        ) : (
          <>
            <p>{totalsText(list.totals)}</p>
            <ul class="runbooks-list">
              {list.uses.map((use) => (
                <UseEntry key={use.incident_id} use={use} />
              ))}
            </ul>
            {list.next_cursor !== null && (
              <Button isBusy={isBusy.value} onClick={() => void showMore(list)}>
                Show more
              </Button>
            )}
          </>
        )
      }
    </Loaded>
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
      <a class="runbooks-title" href={consolePath(`/incidents/${id}`)}>
        {displayText(title)}
      </a>
      <p class="runbooks-facts">
        <SeverityBadge severity={severity} />
        <Help use={use} />
        <span>
          {OUTCOMES[outcome]}, {Math.round(confidence * 100)} %
        </span>
        {target !== null && <code>{displayText(target)}</code>}
        <Time at={at} />
      </p>
    </li>
  );
}

const OUTCOMES = {
  cause: "named a cause",
  possible: "named candidates",
  unknown: "named nothing",
  benign: "no incident",
} as const;

function Help({ use: { worked, rating_up: up, rating_down: down } }: { readonly use: Use }) {
  if (worked === true || up > down)
    return <Badge tone="good">{worked === true ? "led to the fix" : "rated helpful"}</Badge>;
  if (worked === false || down > up)
    return <Badge tone="bad">{worked === false ? "did not lead to the fix" : "rated not helpful"}</Badge>;
  return <Badge>not reported</Badge>;
}
