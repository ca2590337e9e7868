// A check that ran: its verdict, what it says, its query and its source.

import type { Item, LeadTone } from "../../../../../functions/answer-view/answer-view.ts";
import type { CheckResult } from "../../../../../lib/checks/check.ts";
import { Badge, type Tone } from "../../../components/badge.tsx";
import { CodeBlock } from "../../../components/code-block.tsx";
import { Time } from "../../../components/time.tsx";
import { ExternalLink } from "./external-link.tsx";
import { Prose, wordsOf } from "./prose.tsx";

/** Words and a sign say it; the colour repeats it. */
const LEADS: Readonly<Record<LeadTone, { readonly sign: string; readonly tone: Tone }>> = {
  good: { sign: "✓", tone: "info" },
  warn: { sign: "?", tone: "warn" },
  bad: { sign: "✕", tone: "bad" },
  dim: { sign: "–", tone: "neutral" },
  strong: { sign: "", tone: "neutral" },
};

export function LeadBadge({ item: { lead, leadTone } }: { readonly item: Item }) {
  const { sign, tone } = LEADS[leadTone];
  return (
    <Badge tone={tone}>
      {sign} {lead}
    </Badge>
  );
}

interface CheckProps {
  readonly item: Item;
  readonly ran: CheckResult;
}

/** The check in one line; its query and source open below it. */
export function CheckLine({ item, ran }: CheckProps) {
  return (
    <li>
      <details>
        <summary>
          <LeadBadge item={item} /> <Prose text={wordsOf(item)} />
        </summary>
        <CheckFacts ran={ran} />
      </details>
    </li>
  );
}

export function CheckText({ item, ran }: CheckProps) {
  return (
    <div class="stack-2">
      <p>
        <LeadBadge item={item} /> <Prose text={wordsOf(item)} />
      </p>
      <CheckFacts ran={ran} />
    </div>
  );
}

function CheckFacts({ ran: { name, runbook, checked_at, query, source, link } }: Pick<CheckProps, "ran">) {
  return (
    <div class="stack-2 answer-aside">
      <p class="note">
        Check {name} of {runbook}
        {checked_at !== null && (
          <>
            , <Time at={checked_at} />
          </>
        )}
      </p>
      <CodeBlock text={query} name={`query of the check ${name}`} />
      <ExternalLink href={link}>Open in {source}</ExternalLink>
    </div>
  );
}
