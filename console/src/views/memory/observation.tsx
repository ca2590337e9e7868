// One failure: what fixed it, the incidents that reported it, what identifies it, and corrections.

import { useLocation } from "preact-iso/router";
import { percentOf } from "../../../../functions/answer-view/percent.ts";
import { displayText } from "../../../../lib/text/display-text.ts";
import { api } from "../../api/client.ts";
import { useGet } from "../../api/use-request.ts";
import { Badge, SeverityBadge } from "../../components/badge.tsx";
import { Fact, Facts } from "../../components/facts.tsx";
import { Page, Section } from "../../components/page.tsx";
import { EmptyState, Loaded } from "../../components/states.tsx";
import { Time, When } from "../../components/time.tsx";
import { consolePath } from "../../format/console-path.ts";
import { counted, proofOf } from "../../format/words.ts";
import { can } from "../../session/session.ts";
import { Prose } from "../incident/answer/prose.tsx";
import { JoinButton } from "./join-button.tsx";
import { ObservedIncidents } from "./observed-incidents.tsx";
import { ForgetButton, type ObservationProps } from "./records.tsx";
import { ReviewScore } from "./review-score.tsx";

export function Observation({ id }: { readonly id: string }) {
  const request = useGet("/v1/memory/observations/{id}", { path: { id } });
  const state = request.state.value;
  const title = state.status === "ready" ? displayText(state.data.title) : "Failure";
  return (
    <Page title={title} actions={<a href={consolePath("/memory")}>All failures</a>}>
      <Loaded request={request} name="the failure" lines={16}>
        {(observation) => <Content observation={observation} request={request} />}
      </Loaded>
    </Page>
  );
}

function Content({ observation, request }: ObservationProps) {
  const { severity, domain, occurrences, first_seen_at, last_seen_at, targets, final_score, fixes } = observation;
  const { shown_count, helped_count, narrative, facts, why, signature } = observation;
  return (
    <>
      <div class="stack-2">
        <p class="facts">
          <SeverityBadge severity={severity} />
          <Badge>{domain}</Badge>
          <span>
            {counted(occurrences, "report")}, first <Time at={first_seen_at} />, last <Time at={last_seen_at} />
          </span>
          {final_score !== null && <span>probability of its answer {percentOf(final_score / 10)}</span>}
          {shown_count > 0 && (
            <span>
              shown in {counted(shown_count, "answer")}, helped in {helped_count}
            </span>
          )}
        </p>
        {targets.length > 0 && <p class="note">On {targets.map(displayText).join(", ")}</p>}
      </div>
      <Section title="What fixed it">
        {fixes.length === 0 ? (
          <EmptyState title="No fix is recorded.">
            Resolve one of its incidents with what fixed it. The next report of this failure shows it.
          </EmptyState>
        ) : (
          <ul class="rows">
            {fixes.map((fix) => (
              <Fix key={fix.id} fix={fix} />
            ))}
          </ul>
        )}
      </Section>
      <Section title="What the investigation found">
        <p class="record-text">{displayText(narrative)}</p>
        <Texts texts={facts} />
      </Section>
      <ObservedIncidents observation={observation} request={request} />
      <Section title="Why the record is as it is">
        <Texts texts={why} />
        <Facts>
          {signature.alert !== null && (
            <Fact name="Alert">
              <code>{displayText(signature.alert)}</code>
            </Fact>
          )}
          {signature.codes.length > 0 && <Fact name="Codes">{signature.codes.map(displayText).join(", ")}</Fact>}
          {signature.templates.map(({ text }) => (
            <Fact key={text} name="Error line">
              <code>{displayText(text)}</code>
            </Fact>
          ))}
        </Facts>
      </Section>
      {(can("feedback") || can("admin")) && <Corrections observation={observation} request={request} />}
    </>
  );
}

function Texts({ texts }: { readonly texts: readonly string[] }) {
  return (
    <ul class="bullets">
      {texts.map((text) => (
        <li key={text}>{displayText(text)}</li>
      ))}
    </ul>
  );
}

/** Those that never helped say so; former ones are struck through, with the reason. */
function Fix({ fix }: { readonly fix: ObservationProps["observation"]["fixes"][number] }) {
  const { text, conditions, tried, worked, last_at, last_worked_at, last_worked_by, retired, came_back_at } = fix;
  const isFailed = tried > 0 && worked === 0;
  return (
    <li class="row">
      <p>
        {retired === null ? <Prose text={text} /> : <s>{displayText(text)}</s>}{" "}
        {retired !== null && <Badge>replaced</Badge>}
        {retired === null && isFailed && <Badge tone="bad">did not help</Badge>}
        {retired === null && worked > 0 && <Badge tone="good">{proofOf(fix)}</Badge>}
      </p>
      <p class="facts">
        {retired !== null && (
          <When what={`${REASONS[retired.reason] ?? displayText(retired.reason)},`} at={retired.at} />
        )}
        {(retired !== null || isFailed) && <span>{proofOf(fix)}</span>}
        <When what={last_worked_at === null ? "last tried" : "last worked"} at={last_worked_at ?? last_at}>
          {last_worked_by !== null && `, by ${displayText(last_worked_by)}`}
        </When>
        {conditions !== null && <span>only with {displayText(conditions)}</span>}
        {came_back_at !== null && (
          <span class="warn">
            the failure came back <Time at={came_back_at} />
          </span>
        )}
      </p>
    </li>
  );
}

const REASONS: Readonly<Record<string, string>> = {
  "a newer fix": "Replaced by a newer fix",
  corrected: "Corrected by a person",
};

function Corrections({ observation, request }: ObservationProps) {
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
          size="normal"
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
