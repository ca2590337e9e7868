// What decided nothing: hypotheses that were not kept, checks without a result, and how to prevent the failure.

import type { TriageResult } from "../../../../../functions/schemas/triage-result.ts";
import type { CheckResult } from "../../../../../lib/checks/check.ts";
import { Badge } from "../../../components/badge.tsx";
import { Section } from "../../../components/page.tsx";
import { CheckLine } from "./check-facts.tsx";
import { type CitationContext, Citations } from "./citations.tsx";
import { causesOf } from "./model/causes.ts";
import { Prose } from "./prose.tsx";

interface MoreEvidenceProps {
  readonly result: TriageResult;
  readonly context: CitationContext;
}

export function MoreEvidence({ result, context }: MoreEvidenceProps) {
  const { considered, otherChecks } = causesOf(result);
  return (
    <>
      <Considered items={considered} context={context} />
      <OtherChecks checks={otherChecks} />
      <Prevention result={result} />
    </>
  );
}

/** The hypotheses that a language model did not keep. */
function Considered({
  items,
  context,
}: {
  readonly items: TriageResult["answer"]["hypotheses"];
  readonly context: CitationContext;
}) {
  if (items.length === 0) return null;
  return (
    <Section title="Also considered">
      <ul class="answer-list">
        {items.map(({ cause, verdict, reason, citations }) => (
          <li key={cause} class="answer-considered">
            <p>
              <Prose text={cause} /> <Badge>{verdict}</Badge>
            </p>
            <p class="note">
              <Prose text={reason} />
            </p>
            <Citations ids={citations} context={context} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

function OtherChecks({ checks }: { readonly checks: readonly CheckResult[] }) {
  const decided = checks.filter(({ verdict }) => verdict === "confirmed" || verdict === "refuted");
  const undecided = checks.filter((check) => !decided.includes(check));
  if (checks.length === 0) return null;
  return (
    <Section title="Other checks" note="Checks of the nearest runbooks that belong to no cause above.">
      {decided.length > 0 && <CheckLines checks={decided} />}
      {undecided.length > 0 && (
        <details class="answer-more">
          <summary>{undecided.length === 1 ? "1 check" : `${undecided.length} checks`} decided nothing</summary>
          <CheckLines checks={undecided} />
        </details>
      )}
    </Section>
  );
}

function CheckLines({ checks }: { readonly checks: readonly CheckResult[] }) {
  return (
    <div class="answer-checks">
      {checks.map((check) => (
        <CheckLine key={check.id} check={check} />
      ))}
    </div>
  );
}

function Prevention({ result }: Pick<MoreEvidenceProps, "result">) {
  const { prevention } = result.answer;
  if (prevention.length === 0) return null;
  return (
    <details class="answer-more">
      <summary>Prevent it next time</summary>
      <ul>
        {prevention.map(({ text }) => (
          <li key={text}>
            <Prose text={text} />
          </li>
        ))}
      </ul>
    </details>
  );
}
