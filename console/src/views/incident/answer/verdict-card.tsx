// The outcome, which failure it is, its figure, what fixed it before, the next step, the change before it, and what limits the answer.

import type { ComponentChildren } from "preact";
import type { AnswerView, FixSection } from "../../../../../functions/answer-view/answer-view.ts";
import { firstSentence } from "../../../../../functions/answer-view/live-evidence-text.ts";
import { FIXED_BEFORE } from "../../../../../functions/answer-view/outcome-name.ts";
import {
  cameBack,
  didNotHoldSentence,
  otherServiceIn,
} from "../../../../../functions/answer-view/past-incident-text.ts";
import { percentOf } from "../../../../../functions/answer-view/percent.ts";
import { correctionsSince, entryText } from "../../../../../functions/answer-view/timeline-text.ts";
import { precedentOf, verdictLine } from "../../../../../functions/answer-view/verdict.ts";
import type { TriageResult } from "../../../../../functions/schemas/triage-result.ts";
import { TIMESTAMP } from "../../../../../lib/logs/log-time.ts";
import { displayText } from "../../../../../lib/text/display-text.ts";
import { CodeBlock } from "../../../components/code-block.tsx";
import { CopyButton } from "../../../components/copy-button.tsx";
import { Time } from "../../../components/time.tsx";
import { now } from "../../../format/now.ts";
import { durationOf } from "../../../format/time.ts";
import { proofLines } from "../../../format/words.ts";
import { can } from "../../../session/session.ts";
import { runbookHref, splitName } from "../../runbooks/runbook-name.ts";
import { AddToRunbook } from "./add-to-runbook.tsx";
import { type CitationContext, Citations } from "./citations.tsx";
import { firstStep } from "./model/first-step.ts";
import type { IncidentDetail } from "./model/incident.ts";
import { capital, Prose, wordsOf } from "./prose.tsx";

interface VerdictCardProps {
  readonly incident: IncidentDetail;
  readonly view: AnswerView;
  readonly result: TriageResult;
  readonly context: CitationContext;
}

/** Green is for what worked. */
const TONES = { good: "info", warn: "warn", info: "neutral", neutral: "neutral" } as const;

export function VerdictCard({ incident, view, result, context }: VerdictCardProps) {
  const corrections = correctionsSince(incident.events, result.created_at);
  const isCorrected = corrections.length > 0;
  const answer = <AnswerItself incident={incident} view={view} result={result} context={context} />;
  return (
    <section
      class={`card answer-verdict tone-${isCorrected ? "warn" : TONES[view.verdict.tone]}`}
      aria-labelledby="answer-outcome"
    >
      <h2 id="answer-outcome">{isCorrected ? "Corrected" : view.verdict.name}</h2>
      {corrections.map((correction) => (
        <p key={entryText(correction)} class="answer-aside tone-warn">
          {displayText(entryText(correction))}
          {correction.runbook !== null && (
            <>
              {" "}
              <a href={runbookHref(splitName(correction.runbook))}>Open it</a>
            </>
          )}
        </p>
      ))}
      {incident.resolution !== null ? (
        <FixedBy incident={incident} fix={incident.resolution} result={result} />
      ) : (
        isCorrected && view.fix !== null && <FixedBefore fix={view.fix} incident={incident} />
      )}
      {isCorrected ? (
        <details>
          <summary>The answer before that: {verdictLine(view.verdict)}</summary>
          <div class="stack">{answer}</div>
        </details>
      ) : (
        answer
      )}
    </section>
  );
}

function AnswerItself({ incident, view, result, context }: VerdictCardProps) {
  const { verdict, warnings } = view;
  const { failure, explanation, citations } = failureOf(view, result);
  const line = firstErrorLine(result);
  return (
    <>
      {failure !== null && (
        <p class="answer-failure">
          <Prose text={failure} />
        </p>
      )}
      {incident.resolution === null &&
        (view.fix === null ? <FixedSince incident={incident} /> : <FixedBefore fix={view.fix} incident={incident} />)}
      {line !== null && <code class="clamp note">{displayText(line)}</code>}
      {verdict.figure !== null && (
        <p class="answer-figure">
          <strong>{percentOf(verdict.figure)}</strong> {verdict.figureOf}
        </p>
      )}
      {/* Of a cause with a figure, it would say the figure again. */}
      {(verdict.tone !== "good" || verdict.figure === null) && <p>{capital(verdict.meaning)}.</p>}
      {incident.status !== "resolved" && <FirstStep view={view} />}
      <NearestChange result={result} />
      {explanation !== "" && (
        <p class="answer-summary">
          <Prose text={explanation} />
        </p>
      )}
      <Citations numbers={citations} context={context} />
      {warnings.length > 0 && (
        <div class="answer-warnings" role="note" aria-label="What was missing">
          <p>
            <strong>Something was unavailable, so this answer may be incomplete.</strong>
          </p>
          <ul>
            {warnings.map((message) => (
              <li key={message}>
                <Prose text={message} />
              </li>
            ))}
          </ul>
        </div>
      )}
    </>
  );
}

/** Which failure it is, as the first sentence of the summary or the best candidate names it; and the rest of the summary. */
function failureOf({ verdict, summary, sections }: AnswerView, result: TriageResult) {
  const { answer } = result;
  // The candidates below say the same as the summary.
  const isCandidate = sections.some(({ kind }) => kind === "candidates");
  // The figure is that of the failure which stands above it.
  const best = precedentOf(result) ?? answer.possible_causes[0]?.title ?? null;
  if (isCandidate) return { failure: best, explanation: "", citations: [] };
  const words = summary === null ? "" : wordsOf(summary);
  // A known failure has no figure if a person chose its runbook.
  const isKnown = verdict.figure !== null || verdict.tone === "good";
  const failure = isKnown && words !== "" ? firstSentence(words) : null;
  return { failure, explanation: words.slice(failure?.length).trim(), citations: summary?.citations ?? [] };
}

/** The line of the report that says most, without the time before it, if the title above does not say it. */
function firstErrorLine({ title, answer }: TriageResult): string | null {
  const line = answer.evidence.find(({ quote }) => quote !== null && quote !== title)?.quote ?? null;
  const [time = ""] = line?.match(TIMESTAMP) ?? [];
  return line?.startsWith(time) ? line.slice(time.length).trim() : line;
}

/** The change shortly before the start is what people look for first. */
function NearestChange({ result }: { readonly result: TriageResult }) {
  const change = result.live.changes.recent.find(({ minutes_before }) => minutes_before >= 0);
  if (change === undefined || result.outcome === "benign") return null;
  return (
    <p class="answer-aside tone-warn">
      <strong>Changed {durationOf(Math.round(change.minutes_before) * 60_000)} before it started:</strong>{" "}
      {displayText(change.title || change.service)}. <a href="#changes">See the changes</a>
    </p>
  );
}

function Fixed({ lead, text, children }: Record<"lead" | "text", string> & { readonly children: ComponentChildren }) {
  const command = /`([^`\n]+)`/.exec(text)?.[1];
  return (
    <div class="answer-same">
      <p>
        <strong>{lead}:</strong> <Prose text={text} />
        {command !== undefined && (
          <>
            {" "}
            <CopyButton text={displayText(command)} name="command of the fix" />
          </>
        )}
      </p>
      {children}
    </div>
  );
}

/** What fixed it before, however likely it is the same failure, comes before everything that a runbook says. */
function FixedBefore({
  fix: { lead, past },
  incident,
}: Pick<VerdictCardProps, "incident"> & { readonly fix: FixSection }) {
  const { citations, probability, same_failure } = past;
  // It may have helped in other incidents since the answer, and the report of this one says that it did not hold.
  const since = incident.fixes.find(
    ({ text, tried, came_back_at }) => text === past.fix.text && (tried > past.fix.tried || came_back_at !== null),
  );
  const fix = { ...past.fix, ...since, by: since?.last_worked_by ?? past.fix.by };
  const other = otherServiceIn(past, incident.target);
  const records = citations.length > 1 && since === undefined ? ` in the ${citations.length} nearest records` : "";
  return (
    <Fixed lead={lead} text={fix.text}>
      {didNotHoldSentence(past).map((sentence) => (
        <p key={sentence}>
          <strong>{sentence}</strong>
        </p>
      ))}
      {other !== null && (
        <p>
          <strong>
            It names {displayText(other)}, not {displayText(incident.target ?? "")}.
          </strong>
        </p>
      )}
      <p class="note">
        {fix.tried === 1 ? "Worked once," : `Worked ${fix.worked} of ${fix.tried} times${records}, last`}{" "}
        <Time at={fix.last_worked_at ?? past.fix.at} />
        {[...(fix.by === null ? [] : [` by ${fix.by}`]), ...cameBack(fix).map((back) => `; it ${back}`)].join("")}.
        {same_failure && ` ${percentOf(probability)} the same failure.`} <a href="#seen-before">See what differs</a>
      </p>
    </Fixed>
  );
}

/** Of equal incidents that are answered at once, the first fix comes after the answers. */
function FixedSince({ incident: { fixes, status } }: Pick<VerdictCardProps, "incident">) {
  const [fix] = fixes;
  if (fix === undefined || status === "resolved") return null;
  return (
    <Fixed lead={`${FIXED_BEFORE}, since this answer`} text={fix.text}>
      <p class="note">{capital(proofLines(fix, now.value).join("; "))}.</p>
    </Fixed>
  );
}

function FixedBy({ incident, fix, result }: Pick<VerdictCardProps, "incident" | "result"> & { readonly fix: string }) {
  const { resolved_by, resolved_at } = incident;
  const runbook = result.sources.find(({ kind }) => kind === "runbook")?.source ?? null;
  return (
    <Fixed lead="Fixed by" text={fix}>
      <p class="note">
        {resolved_by !== null && `${displayText(resolved_by)}, `}
        {resolved_at !== null && <Time at={resolved_at} />}
      </p>
      {runbook !== null && can("ingest") && <AddToRunbook source={runbook} fix={fix} />}
    </Fixed>
  );
}

/** The next step in one sentence. The whole of it, with its box to tick, stands below. */
function FirstStep({ view }: { readonly view: AnswerView }) {
  const step = firstStep(view);
  if (step === undefined) return null;
  return (
    <div class="stack-2 answer-first">
      <p>
        <strong>Do this next{step.warning === null ? "" : ` (${step.warning})`}:</strong>{" "}
        <Prose text={firstSentence(wordsOf(step))} />
        {step.open.length > 0 && ` Replace ${step.open.join(", ")} before you run it.`}
      </p>
      {step.command !== null && <CodeBlock text={step.command} name="first command" />}
    </div>
  );
}
