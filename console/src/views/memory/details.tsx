// The layers behind the failures: answers, approaches, sessions, pending writes and changes.

import { percentOf } from "../../../../functions/answer-view/percent.ts";
import { displayText } from "../../../../lib/text/display-text.ts";
import { api } from "../../api/client.ts";
import type { Body } from "../../api/types.ts";
import { useGet } from "../../api/use-request.ts";
import { Badge } from "../../components/badge.tsx";
import { Time, When } from "../../components/time.tsx";
import { consolePath } from "../../format/console-path.ts";
import { now } from "../../format/now.ts";
import { counted, shortId } from "../../format/words.ts";
import { can } from "../../session/session.ts";
import { DomainLink, ForgetButton, QuestionAndAnswer, Records, WORDS_AND_DOMAIN } from "./records.tsx";

export function PastAnswers() {
  return (
    <Records
      path="/v1/memory/past-answers"
      rows="past_answers"
      name="answers"
      filters={{ ...WORDS_AND_DOMAIN, session: "session_id" }}
      hint="Each answered report becomes one."
      row={(row, reload) => {
        const { id, question, answer, created_at, domain, session_id, net_rating, is_summary, incident_id } = row;
        return (
          <li key={id} class="row">
            <QuestionAndAnswer question={question} answer={answer} incidentId={incident_id}>
              <ForgetButton
                kind={is_summary ? "summary" : "answer"}
                name={question}
                forget={() => api.DELETE("/v1/memory/past-answers/{id}", { params: { path: { id } } })}
                onForgotten={reload}
              >
                <p>
                  {is_summary
                    ? "The past answers that this summary contains are deleted with it."
                    : "The summary that contains it is deleted with it, and what other answers cite from it. Its incident stays."}
                </p>
              </ForgetButton>
            </QuestionAndAnswer>
            <p class="facts">
              <Time at={created_at} />
              <DomainLink domain={domain} />
              <a href={`?session=${encodeURIComponent(session_id)}`} title="Only this session">
                session {displayText(shortId(session_id))}
              </a>
              {net_rating !== 0 && (
                <Badge tone={net_rating > 0 ? "good" : "bad"}>
                  {net_rating > 0 ? `rated up, +${net_rating}` : `rated down, −${-net_rating}`}
                </Badge>
              )}
              {is_summary && <Badge tone="info">summary of a session</Badge>}
              {!is_summary && row.compressed_at !== null && <Badge>replaced by a summary</Badge>}
              {!is_summary && row.compressed_at === null && row.summary_id !== null && (
                <Badge>is being summarised</Badge>
              )}
            </p>
          </li>
        );
      }}
    />
  );
}

export function Procedures() {
  return (
    <Records
      path="/v1/memory/procedures"
      rows="procedures"
      name="approaches"
      filters={WORDS_AND_DOMAIN}
      hint="An answer of a language model that its critic scored at least 0.7 becomes one. Without a model there are none."
      row={({ id, query, strategy, answer, incident_id, archived_at, ...facts }, reload) => (
        <li key={id} class="row">
          <QuestionAndAnswer question={query} answer={answer} strategy={strategy} incidentId={incident_id}>
            <ForgetButton
              kind="approach"
              name={query}
              forget={() => api.DELETE("/v1/memory/procedures/{id}", { params: { path: { id } } })}
              onForgotten={reload}
            >
              <p>Later investigations no longer get this hint. The incident and its answer stay.</p>
            </ForgetButton>
          </QuestionAndAnswer>
          <p class="facts">
            <ProcedureFacts {...facts} />
            <DomainLink domain={facts.domain} />
            {archived_at !== null && <Badge>archived: not used for long</Badge>}
          </p>
        </li>
      )}
    />
  );
}

type Procedure = Body<"/v1/memory/procedures">["procedures"][number];

export function ProcedureFacts({
  last_used_at,
  confidence,
  use_count,
}: Pick<Procedure, "last_used_at" | "confidence" | "use_count">) {
  return (
    <>
      <When what="last used" at={last_used_at} />
      <span>score of its answer {percentOf(confidence)}</span>
      <span title="Uses halve with time.">weight of its uses {use_count.toFixed(1)}</span>
    </>
  );
}

export function Sessions() {
  return (
    <Records
      path="/v1/memory/sessions"
      rows="sessions"
      name="sessions"
      hint={can("admin") ? "The first answered report begins one." : "You see the sessions of your token only."}
      row={({ session_id: id, domains, last_turn_at, raw_count, summary_count }, reload) => (
        <li key={id} class="row">
          <div class="row-head">
            <a class="row-title" href={`${consolePath("/memory/past-answers")}?session=${encodeURIComponent(id)}`}>
              {displayText(id)}
            </a>
            <ForgetButton
              kind="session"
              name={id}
              forget={() => api.DELETE("/v1/memory/sessions/{id}", { params: { path: { id } } })}
              onForgotten={reload}
            >
              <p>
                Its turns are deleted, with {counted(raw_count, "past answer")}
                {summary_count > 0 && " and the summary of older ones"}. Its incidents stay.
              </p>
            </ForgetButton>
          </div>
          <p class="facts">
            <When what="last used" at={last_turn_at} />
            <span>{counted(raw_count, "past answer")}</span>
            {summary_count > 0 && <span>with a summary of older ones</span>}
            {domains.length > 0 && <span>{domains.join(", ")}</span>}
          </p>
        </li>
      )}
    />
  );
}

const COLLECTIONS: Readonly<Record<string, string>> = {
  runbooks: "Runbook",
  incidents: "Failure record",
  past_answers: "Answer",
  procedures: "Approach",
  inventory: "Object of a cluster",
};

/** Index writes that are not delivered yet, and ratings for the trace server. */
export function PendingWrites() {
  const state = useGet("/v1/memory/outbox").state.value;
  const { total = 0, annotations = { pending: 0, given_up: 0 } } = state.status === "ready" ? state.data : {};
  return (
    <>
      {annotations.pending > 0 && (
        <p class="note">{counted(annotations.pending, "rating")} wait for the trace server.</p>
      )}
      {annotations.given_up > 0 && (
        <p class="note">The trace server refused {counted(annotations.given_up, "rating")}.</p>
      )}
      {total > 0 && (
        <p>
          {counted(total, "record")} wait for the search index. Search by words finds them already. The job{" "}
          <code>retry-outbox</code> tries again every 2 minutes.
        </p>
      )}
      <Records
        path="/v1/memory/outbox"
        rows="pending"
        name="pending writes"
        hint="The search index holds every record."
        row={({ id, collection, document_id, created_at, attempts, next_attempt_at, last_error }) => (
          <li key={id} class="row">
            <p>
              {COLLECTIONS[collection] ?? displayText(collection)} <code>{displayText(document_id)}</code>
            </p>
            <p class="facts">
              <When what="pending since" at={created_at} />
              <span>{counted(attempts, "attempt")}</span>
              {Date.parse(next_attempt_at) > now.value && <When what="next attempt" at={next_attempt_at} />}
              {last_error !== null && <span class="warn">{displayText(last_error)}</span>}
            </p>
          </li>
        )}
      />
    </>
  );
}

/** Changes and deletions through the API. */
export function Audit() {
  return (
    <Records
      path="/v1/memory/audit"
      rows="events"
      name="changes"
      hint="Changes and deletions through the API appear here."
      row={({ id, at, action, kind, subject_id, actor, request_id, detail: { method, route, ...others } }) => (
        <li key={id} class="row">
          <p>
            {typeof route === "string" ? (
              <code>
                {String(method)} {displayText(route)}
              </code>
            ) : (
              `${displayText(kind).replace("_", " ")} ${displayText(action)}`
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
      )}
    />
  );
}
