// Why this answer: the recalled texts with the parts of their probability, for those who want them.

import { percentOf } from "../../../../../functions/answer-view/past-incident-text.ts";
import type { RunbookHit, TriageResult } from "../../../../../functions/schemas/triage-result.ts";
import { matchParts } from "./model/match-parts.ts";
import { Prose } from "./prose.tsx";

/** Recalled texts. */
const MAX_TEXTS = 5;
const MAX_PARTS = 10;

export function Why({ result }: { readonly result: TriageResult }) {
  const texts = nearest(result.recalled.runbooks);
  const { domain, incident_type, search_query, guardrails } = result;
  const redacted = Object.entries(guardrails.redacted);
  return (
    <details class="card answer-why">
      <summary>
        <h2>Why this answer</h2>
      </summary>
      <dl class="answer-facts">
        <div>
          <dt>Domain</dt>
          <dd>
            {domain.name}: <Prose text={domain.rule} />
          </dd>
        </div>
        <div>
          <dt>Type</dt>
          <dd>
            {incident_type.name}: <Prose text={incident_type.rule} />
          </dd>
        </div>
        {search_query !== null && (
          <div>
            <dt>Searched for</dt>
            <dd>
              <Prose text={search_query} />
            </dd>
          </div>
        )}
        {redacted.length > 0 && (
          <div>
            <dt>Redacted</dt>
            <dd>{redacted.map(([kind, count]) => `${count} ${kind.replaceAll("_", " ")}`).join(", ")}</dd>
          </div>
        )}
        {guardrails.lines_removed > 0 && (
          <div>
            <dt>Removed</dt>
            <dd>{guardrails.lines_removed} lines that read like instructions to a model</dd>
          </div>
        )}
      </dl>
      <h3>The nearest texts</h3>
      {texts.length === 0 ? (
        <p>No runbook, note or postmortem was found.</p>
      ) : (
        texts.map((hit) => <Match key={hit.id} hit={hit} />)
      )}
    </details>
  );
}

function Match({ hit }: { readonly hit: RunbookHit }) {
  const parts = matchParts(hit).slice(0, MAX_PARTS);
  const largest = Math.max(...parts.map(({ value }) => Math.abs(value)), 1);
  const ranks = Object.entries(hit.features).flatMap(([name, feature]) =>
    feature === undefined ? [] : [`${name.replaceAll("_", " ")} ${feature.rank}`],
  );
  return (
    <details class="answer-match">
      <summary>
        <Prose text={hit.title} /> <b>{percentOf(hit.probability)}</b>
      </summary>
      {parts.length > 0 ? (
        <>
          <p class="note">What speaks for it (+) and against it (−). The sum gives the probability.</p>
          <table class="answer-parts">
            <tbody>
              {parts.map(({ name, value }) => (
                <tr key={name}>
                  <th scope="row">{name}</th>
                  <td>
                    {value > 0 ? "+" : "−"}
                    {Math.abs(value).toFixed(2)}
                  </td>
                  <td>
                    <progress
                      class={value > 0 ? "answer-for" : "answer-against"}
                      max={largest}
                      value={Math.abs(value)}
                      aria-hidden="true"
                    />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </>
      ) : (
        <p class="note">The parts of this probability are not stored.</p>
      )}
      {ranks.length > 0 && <p class="note">Rank in the search by: {ranks.join(", ")}.</p>}
    </details>
  );
}

/** The best section of each text, the most probable first. */
function nearest(hits: readonly RunbookHit[]): RunbookHit[] {
  const best = hits.filter((hit, i) => hits.findIndex(({ source }) => source === hit.source) === i);
  return best.toSorted((a, b) => b.probability - a.probability).slice(0, MAX_TEXTS);
}
