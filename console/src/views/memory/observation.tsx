// One observation: what fixed the failure, the incidents that reported it, what identifies it, and corrections.

import { useLocation } from "preact-iso/router";
import { percentOf } from "../../../../functions/answer-view/past-incident-text.ts";
import { displayText } from "../../../../lib/text/display-text.ts";
import { api } from "../../api/client.ts";
import { type Loading, useRequest } from "../../api/use-request.ts";
import { Badge, SeverityBadge } from "../../components/badge.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Page, Section } from "../../components/page.tsx";
import { Time } from "../../components/time.tsx";
import { consolePath } from "../../format/console-path.ts";
import { can } from "../../session/session.ts";
import { FixList } from "./fix-list.tsx";
import { ForgetButton } from "./forget-button.tsx";
import { JoinButton } from "./join-button.tsx";
import type { ObservationDetail } from "./observation-detail.ts";
import { ObservedIncidents } from "./observed-incidents.tsx";
import { ReviewScore } from "./review-score.tsx";
import { counted } from "./words.ts";

export function Observation({ id }: { readonly id: string }) {
  const request = useRequest<ObservationDetail>(id, (options) =>
    api.GET("/v1/memory/observations/{id}", { params: { path: { id } }, ...options }),
  );
  const state = request.state.value;
  const title = state.status === "ready" ? displayText(state.data.title) : "Observation";
  return (
    <Page title={title} actions={<a href={consolePath("/memory")}>All failures</a>}>
      <Loaded request={request} name="the failure" lines={16}>
        {(observation) => <Content observation={observation} request={request} />}
      </Loaded>
    </Page>
  );
}

interface ContentProps {
  readonly observation: ObservationDetail;
  readonly request: Loading<ObservationDetail>;
}

function Content({ observation, request }: ContentProps) {
  const { fixes, narrative, facts, why } = observation;
  return (
    <>
      <Summary observation={observation} />
      <Section title="What fixed it">
        <FixList fixes={fixes} />
      </Section>
      <Section title="What the investigation found">
        <p class="memory-text">{displayText(narrative)}</p>
        {facts.length > 0 && (
          <ul class="memory-list">
            {facts.map((fact) => (
              <li key={fact}>{displayText(fact)}</li>
            ))}
          </ul>
        )}
      </Section>
      <ObservedIncidents observation={observation} request={request} />
      <Section title="Why the record is as it is">
        <ul class="memory-list">
          {why.map((sentence) => (
            <li key={sentence}>{displayText(sentence)}</li>
          ))}
        </ul>
        <Signature signature={observation.signature} />
      </Section>
      {(can("feedback") || can("admin")) && <Corrections observation={observation} request={request} />}
    </>
  );
}

function Summary({ observation }: { readonly observation: ObservationDetail }) {
  const { severity, domain, occurrences, first_seen_at, last_seen_at, targets, final_score } = observation;
  const { shown_count, helped_count } = observation;
  return (
    <div class="memory-summary">
      <p class="facts">
        <SeverityBadge severity={severity} />
        <Badge>{domain}</Badge>
        <span>
          {counted(occurrences, "report")}, first <Time at={first_seen_at} />, last <Time at={last_seen_at} />
        </span>
        {final_score !== null && <span>confidence of its answer {percentOf(final_score / 10)}</span>}
        {shown_count > 0 && (
          <span>
            shown in {counted(shown_count, "answer")}, helped in {helped_count}
          </span>
        )}
      </p>
      {targets.length > 0 && <p class="note">On {targets.map(displayText).join(", ")}</p>}
    </div>
  );
}

function Signature({ signature }: Pick<ObservationDetail, "signature">) {
  const { alert, codes, templates } = signature;
  if (alert === null && codes.length === 0 && templates.length === 0) return null;
  return (
    <dl class="memory-signature">
      {alert !== null && (
        <>
          <dt>Alert</dt>
          <dd>
            <code>{displayText(alert)}</code>
          </dd>
        </>
      )}
      {codes.length > 0 && (
        <>
          <dt>Codes</dt>
          <dd>{codes.map(displayText).join(", ")}</dd>
        </>
      )}
      {templates.length > 0 && (
        <>
          <dt>Error lines</dt>
          <dd>
            {templates.map(({ text }) => (
              <code key={text} class="memory-line">
                {displayText(text)}
              </code>
            ))}
          </dd>
        </>
      )}
    </dl>
  );
}

function Corrections({ observation, request }: ContentProps) {
  const { route } = useLocation();
  const { id, title, fixes, incidents } = observation;
  return (
    <Section title="Correct it">
      {can("feedback") && <ReviewScore observation={observation} request={request} />}
      <div class="line">
        {can("feedback") && <JoinButton observation={observation} request={request} />}
        <ForgetButton
          kind="failure"
          name={title}
          forget={() => api.DELETE("/v1/memory/observations/{id}", { params: { path: { id } } })}
          onForgotten={() => route(consolePath("/memory"))}
        >
          <p>
            Its {fixes.length === 1 ? "fix is" : `${fixes.length} fixes are`} deleted with it, and what other answers
            cite from it.
          </p>
          <p>
            Its {counted(incidents.total, "incident")} {incidents.total === 1 ? "stays" : "stay"}. The next report of
            this failure begins a new record.
          </p>
        </ForgetButton>
      </div>
    </Section>
  );
}
