// The alerts that a runbook answered, and whether it helped.

import { outcomeText } from "../../../../functions/answer-view/outcome-name.ts";
import { usesText } from "../../../../functions/answer-view/uses-text.ts";
import { displayText } from "../../../../lib/text/display-text.ts";
import type { Body } from "../../api/types.ts";
import { usePages } from "../../api/use-pages.ts";
import { Badge, SeverityBadge } from "../../components/badge.tsx";
import { PageList } from "../../components/page-list.tsx";
import { Time } from "../../components/time.tsx";
import { consolePath } from "../../format/console-path.ts";
import { useRowKeys } from "../../keyboard/use-row-keys.ts";
import type { RunbookName } from "./runbook-name.ts";

type Uses = Body<"/v1/runbooks/{domain}/{source}/uses">;

export function RunbookUses({ name }: { readonly name: RunbookName }) {
  const pages = usePages("/v1/runbooks/{domain}/{source}/uses", "uses", { path: name });
  useRowKeys(".row-title");
  const state = pages.first.state.value;
  return (
    <>
      {state.status === "ready" && (
        <ul>
          {state.data.topics.map((topic) => (
            <li key={topic.anchor}>
              {displayText(topic.title)}: {usesText(topic)}
            </li>
          ))}
        </ul>
      )}
      <PageList
        pages={pages}
        name="what it answered"
        empty="No answer has cited this runbook yet."
        hint="An answer cites it when an incident matches. Search with the words of an alert to see its score."
        row={(use) => (
          <li key={use.incident_id} class="row">
            <a class="row-title" href={consolePath(`/incidents/${use.incident_id}`)}>
              {displayText(use.title)}
            </a>
            <p class="facts">
              <SeverityBadge severity={use.severity} />
              <Help use={use} />
              <span>{outcomeText(use.outcome, use.confidence)}</span>
              {use.target !== null && <code>{displayText(use.target)}</code>}
              <Time at={use.at} />
            </p>
          </li>
        )}
      />
    </>
  );
}

function Help({ use: { worked, rating_up: up, rating_down: down } }: { readonly use: Uses["uses"][number] }) {
  if (worked === true || up > down)
    return <Badge tone="good">{worked === true ? "led to the fix" : "rated helpful"}</Badge>;
  if (worked === false || down > up)
    return <Badge tone="bad">{worked === false ? "did not lead to the fix" : "rated not helpful"}</Badge>;
  return <Badge>not reported</Badge>;
}
