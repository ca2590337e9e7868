// Why this answer, in sentences; one level deeper, the recalled texts with the parts of their probability.

import { percentOf } from "../../../../../functions/answer-view/percent.ts";
import { furtherSearchNote, type Verdict } from "../../../../../functions/answer-view/verdict.ts";
import type { RunbookHit, TriageResult } from "../../../../../functions/schemas/triage-result.ts";
import { Contributions } from "../../../components/contributions.tsx";
import { Time } from "../../../components/time.tsx";
import type { IncidentDetail } from "./model/incident.ts";
import { nearestTexts, whySentences } from "./model/why-sentences.ts";
import { capital, Prose } from "./prose.tsx";

/** Recalled texts with their features. */
const MAX_TEXTS = 5;

interface WhyProps {
  readonly incident: IncidentDetail;
  readonly result: TriageResult;
  readonly verdict: Verdict;
}

export function Why({ incident, result, verdict }: WhyProps) {
  const texts = nearestTexts(result.recalled.runbooks).slice(0, MAX_TEXTS);
  const { domain, outcome, search_query, guardrails } = result;
  const redacted = Object.entries(guardrails.redacted);
  const { title, reported_title, question, logs } = incident;
  const reported = [title, reported_title, question, logs].join("\n");
  const sentences = [
    ...(outcome === "benign" ? [] : whySentences(result, reported)),
    ...verdict.explanation,
    verdict.origin,
    ...(search_query === null ? [] : [`The search was for: ${search_query}`]),
    ...furtherSearchNote(domain).map((note) => `${capital(note)}.`),
    ...(redacted.length === 0
      ? []
      : [`Redacted: ${redacted.map(([kind, count]) => `${count} ${kind.replaceAll("_", " ")}`).join(", ")}.`]),
    ...(guardrails.lines_removed > 0
      ? [`${guardrails.lines_removed} lines that read like instructions to a model were removed.`]
      : []),
  ];
  return (
    <details class="card answer-why">
      <summary>
        <h2>Why this answer</h2>
      </summary>
      {sentences.map((sentence) => (
        <p key={sentence}>
          <Prose text={sentence} />
        </p>
      ))}
      <p class="note">
        Answered <Time at={result.created_at} />.
      </p>
      {texts.length > 0 && (
        <details>
          <summary>The nearest texts, with each feature</summary>
          {texts.map((hit) => (
            <Match key={hit.id} hit={hit} />
          ))}
        </details>
      )}
    </details>
  );
}

function Match({ hit }: { readonly hit: RunbookHit }) {
  const ranks = Object.entries(hit.features).flatMap(([name, feature]) =>
    feature === undefined ? [] : [`${name.replaceAll("_", " ")} ${feature.rank}`],
  );
  return (
    <details>
      <summary>
        <Prose text={hit.title} /> <b>{percentOf(hit.probability)}</b>
      </summary>
      <Contributions contributions={hit.relevance.contributions} />
      {ranks.length > 0 && <p class="note">Rank in the search by: {ranks.join(", ")}.</p>}
    </details>
  );
}
