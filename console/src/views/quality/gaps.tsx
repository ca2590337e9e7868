// Failures that no runbook answers, each with a draft of a runbook.

import { useLocation } from "preact-iso/router";
import { outcomeName } from "../../../../functions/answer-view/outcome-name.ts";
import { displayText } from "../../../../lib/text/display-text.ts";
import { api } from "../../api/client.ts";
import { settle } from "../../api/failure.ts";
import type { Body } from "../../api/types.ts";
import { useGet } from "../../api/use-request.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Section } from "../../components/page.tsx";
import { EmptyState, Loaded } from "../../components/states.tsx";
import { Time } from "../../components/time.tsx";
import { showToast } from "../../components/toast.tsx";
import { consolePath } from "../../format/console-path.ts";
import { counted } from "../../format/words.ts";
import { useRowKeys } from "../../keyboard/use-row-keys.ts";
import { can } from "../../session/session.ts";
import { PeriodField, usePeriod } from "./parts.tsx";

type GapList = Body<"/v1/quality/gaps">;
type Gap = GapList["gaps"][number];

/** Read by the editor of runbooks: `{domain, source, markdown}`. */
const DRAFT_KEY = "dejavu.draft";

export function Gaps() {
  const days = usePeriod();
  const request = useGet("/v1/quality/gaps", { query: { days } });
  return (
    <>
      <PeriodField />
      <Section
        title="Failures without a runbook"
        note="The newest answer to each names no runbook, not even a possible one, or did not lead to the fix. A runbook for the first ones helps most."
      >
        <Loaded request={request} name="the failures" lines={16}>
          {({ gaps, total }) => <List gaps={gaps} total={total} days={days} />}
        </Loaded>
      </Section>
    </>
  );
}

function List({ gaps, total, days }: GapList & { readonly days: number }) {
  useRowKeys(".quality-gap :is(.button, a):first-of-type");
  if (gaps.length === 0)
    return (
      <EmptyState title="Runbooks answered everything in this period.">
        A failure appears here when an alert is answered without a runbook.
      </EmptyState>
    );
  return (
    <>
      <ul class="list">
        {gaps.map((gap) => (
          <GapItem key={gap.id} gap={gap} days={days} />
        ))}
      </ul>
      {total > gaps.length && (
        <p class="note">
          The first {gaps.length} of {total}.
        </p>
      )}
    </>
  );
}

function GapItem({ gap, days }: { readonly gap: Gap; readonly days: number }) {
  const { name, title, domain, incidents, unanswered, last_at, targets, services, incident_ids, has_fix, runbook } =
    gap;
  return (
    <li class="card stack-2 quality-gap">
      <div class="line">
        <h3>{displayText(name)}</h3>
        <Badge tone="warn">{outcomeName(gap.last_outcome)}</Badge>
        <Badge tone={has_fix ? "good" : "neutral"}>{has_fix ? "Fix recorded" : "No fix recorded"}</Badge>
      </div>
      {name !== title && <p>{displayText(title)}</p>}
      <p class="note">
        {counted(incidents, "incident")}
        {services > 1 && ` of ${services} services`}
        {unanswered < incidents && `, ${unanswered} unanswered`}, last <Time at={last_at} />. {domain}
        {targets.length > 0 && ` · ${targets.map(displayText).join(", ")}`}
        {services > targets.length && " …"}
      </p>
      <div class="line">
        {runbook !== null ? (
          <a class="button" href={consolePath(`/runbooks/${runbook.split("/").map(encodeURIComponent).join("/")}`)}>
            Open its runbook
          </a>
        ) : (
          can("ingest") && <WriteButton gap={gap} days={days} />
        )}
        <a href={consolePath(`/incidents/${incident_ids[0]}`)}>Newest incident</a>
      </div>
      {runbook !== null && <p class="note">A runbook of this name was written. No such alert came since.</p>}
    </li>
  );
}

function WriteButton({ gap, days }: { readonly gap: Gap; readonly days: number }) {
  const { route } = useLocation();
  const write = async () => {
    const params = { path: { id: gap.id }, query: { days } };
    const result = await settle(api.GET("/v1/quality/gaps/{id}/draft", { params }));
    if (!result.ok) return showToast(`No draft: ${result.failure.detail}`, { isFailure: true });
    const { domain, source, markdown } = result.data;
    sessionStorage.setItem(DRAFT_KEY, JSON.stringify({ domain, source, markdown }));
    route(consolePath("/runbooks/new"));
  };
  return (
    <Button kind="primary" onClick={write}>
      Write one <span class="visually-hidden">for {displayText(gap.name)}</span>
    </Button>
  );
}
