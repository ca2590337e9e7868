// A check with its result: what it says, the value, the rule, the query and its source.

import type { CheckResult } from "../../../../../lib/checks/check.ts";
import { Badge, type Tone } from "../../../components/badge.tsx";
import { CodeBlock } from "../../../components/code-block.tsx";
import { Time } from "../../../components/time.tsx";
import { ExternalLink } from "./external-link.tsx";
import { Fact } from "./past-incident-text.tsx";
import { Prose } from "./prose.tsx";

const VERDICTS: Readonly<Record<CheckResult["verdict"], { readonly name: string; readonly tone: Tone }>> = {
  confirmed: { name: "✓ Confirmed", tone: "good" },
  refuted: { name: "✕ Ruled out", tone: "bad" },
  inconclusive: { name: "? Not decided", tone: "warn" },
  not_run: { name: "– Not run", tone: "neutral" },
};

export function CheckVerdictBadge({ verdict }: Pick<CheckResult, "verdict">) {
  const { name, tone } = VERDICTS[verdict];
  return <Badge tone={tone}>{name}</Badge>;
}

export function CheckFacts({ check }: { readonly check: CheckResult }) {
  const { name, verdict, statement, value, rule, query, runbook, source, checked_at, link } = check;
  return (
    <div class="answer-check">
      <p>
        <CheckVerdictBadge verdict={verdict} /> <Prose text={statement} />
      </p>
      <dl class="answer-facts">
        {value !== null && (
          <Fact name="Value">
            <code>{value}</code>
          </Fact>
        )}
        {rule !== null && (
          <Fact name="Rule">
            <code>{rule}</code>
          </Fact>
        )}
        <Fact name="Check">
          {name} of {runbook}
        </Fact>
        {source !== null && (
          <Fact name="Source">
            {source}
            {checked_at !== null && (
              <>
                , <Time at={checked_at} />
              </>
            )}
          </Fact>
        )}
      </dl>
      <CodeBlock text={query} name={`query of the check ${name}`} />
      <ExternalLink href={link}>Open in {source}</ExternalLink>
    </div>
  );
}

/** A check in one line; its query and source open below it. */
export function CheckLine({ check }: { readonly check: CheckResult }) {
  const { verdict, statement, value } = check;
  return (
    <details class="answer-check-line">
      <summary>
        <CheckVerdictBadge verdict={verdict} /> <Prose text={statement} />
        {value !== null && (
          <>
            {" "}
            <code>{value}</code>
          </>
        )}
      </summary>
      <CheckFacts check={check} />
    </details>
  );
}
