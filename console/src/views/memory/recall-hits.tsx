// One hit of each layer, with the parts of its score.

import { percentOf } from "../../../../functions/answer-view/past-incident-text.ts";
import { displayText } from "../../../../lib/text/display-text.ts";
import type { Body } from "../../api/body.ts";
import { Badge } from "../../components/badge.tsx";
import { Time } from "../../components/time.tsx";
import { consolePath } from "../../format/console-path.ts";
import { proofOf } from "./fix-text.ts";
import {
  answerParts,
  type Contribution,
  contributionsOf,
  incidentParts,
  type ScorePart,
  signed,
} from "./score-parts.ts";
import { shortSession } from "./words.ts";

type Recalled = Body<"getMemorySearch">;

export function PastIncidentHit({ hit }: { readonly hit: Recalled["incidents"][number] }) {
  const { id, title, probability, relevant, relevance, score, alike, differs, fixes, last_seen_at } = hit;
  const fix = fixes.find(({ retired, worked }) => retired === null && worked > 0);
  return (
    <li class="row memory-hit">
      <div class="memory-row-head">
        <a class="memory-title" href={consolePath(`/memory/observations/${id}`)}>
          {displayText(title)}
        </a>
        <Likeness probability={probability} relevant={relevant} />
      </div>
      <p class="facts">
        {last_seen_at !== null && (
          <span>
            last seen <Time at={last_seen_at} />
          </span>
        )}
        {fix !== undefined && (
          <span>
            fixed by {displayText(fix.text)} ({proofOf(fix)})
          </span>
        )}
      </p>
      {alike.length > 0 && <p>Alike: {alike.map(displayText).join("; ")}.</p>}
      {differs.length > 0 && <p>Differs: {differs.map(displayText).join("; ")}.</p>}
      <Parts name={title} score={score} parts={incidentParts(hit)} />
      {relevance !== null && (
        <Contributions probability={probability} contributions={contributionsOf(relevance.contributions)} />
      )}
    </li>
  );
}

export function PastAnswerHit({ hit }: { readonly hit: Recalled["past_answers"][number] }) {
  const { question, answer, asked_at, session_id, score, ranking, probability, relevant } = hit;
  return (
    <li class="row memory-hit">
      <details>
        <summary class="memory-title">{displayText(question)}</summary>
        <p class="memory-text">{displayText(answer)}</p>
      </details>
      <p class="facts">
        <Likeness probability={probability} relevant={relevant} />
        <Time at={asked_at} />
        <span>session {displayText(shortSession(session_id))}</span>
      </p>
      <Parts name={question} score={score} parts={answerParts(ranking)} />
    </li>
  );
}

export function ProcedureHit({ hit }: { readonly hit: NonNullable<Recalled["procedure"]> }) {
  const { query, answer, strategy, cosine, confidence, use_count, last_used_at, probability, relevant } = hit;
  return (
    <li class="row memory-hit">
      <details>
        <summary class="memory-title">{displayText(query)}</summary>
        <p class="memory-text">{displayText(answer)}</p>
        <p class="note">How it was reached: {displayText(strategy)}</p>
      </details>
      <p class="facts">
        <Likeness probability={probability} relevant={relevant} />
        <span>nearness {cosine.toFixed(2)}</span>
        <span>score of its answer {percentOf(confidence)}</span>
        <span>weight of its uses {use_count.toFixed(1)}</span>
        <span>
          last used <Time at={last_used_at} />
        </span>
      </p>
    </li>
  );
}

function Likeness({ probability, relevant }: { readonly probability: number | null; readonly relevant: boolean }) {
  if (probability === null) return <Badge>no failure to compare</Badge>;
  return (
    <>
      <Badge tone={relevant ? "info" : "neutral"}>{percentOf(probability)} the same failure</Badge>
      {!relevant && <Badge>not used in an answer</Badge>}
    </>
  );
}

function Parts({
  name,
  score,
  parts,
}: {
  readonly name: string;
  readonly score: number;
  readonly parts: readonly ScorePart[];
}) {
  return (
    <div class="table-frame">
      <table class="memory-parts">
        <caption class="visually-hidden">Parts of the score of {displayText(name)}</caption>
        <thead class="visually-hidden">
          <tr>
            <th scope="col">Part</th>
            <th scope="col">Value</th>
            <th scope="col">Meaning</th>
          </tr>
        </thead>
        <tbody>
          {parts.map(({ name, value, meaning }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td class="memory-figure">{value}</td>
              <td>{meaning}</td>
            </tr>
          ))}
          <tr class="memory-sum">
            <th scope="row">Score</th>
            <td class="memory-figure memory-score">{score.toFixed(2)}</td>
            <td>orders the hits</td>
          </tr>
        </tbody>
      </table>
    </div>
  );
}

interface ContributionsProps {
  readonly probability: number;
  readonly contributions: readonly Contribution[];
}

function Contributions({ probability, contributions }: ContributionsProps) {
  const largest = Math.max(1, ...contributions.map(({ value }) => Math.abs(value)));
  return (
    <details class="memory-why">
      <summary>Why {percentOf(probability)}</summary>
      <ul>
        {contributions.map(({ name, value }) => (
          <li key={name}>
            <span>{name}</span>
            <Bar share={value / largest} />
            <span class="memory-figure">{signed(value)}</span>
          </li>
        ))}
      </ul>
      <p class="note">
        Contributions to the log-odds: bars to the right raise the probability. A calibration by the feedback of your
        team may follow.
      </p>
    </details>
  );
}

/** @param share −1 to 1 */
function Bar({ share }: { readonly share: number }) {
  const width = Math.abs(share) * 50;
  return (
    <svg class="memory-bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
      <rect
        class={share < 0 ? "memory-bar-lowers" : "memory-bar-raises"}
        x={share < 0 ? 50 - width : 50}
        width={width}
        height="8"
      />
      <rect class="memory-bar-middle" x="49.75" width="0.5" height="8" />
    </svg>
  );
}
