// The fixes of a failure: those in use, those that never helped, and former ones struck through with the reason.

import { displayText } from "../../../../lib/text/display-text.ts";
import type { Body } from "../../api/body.ts";
import { Badge } from "../../components/badge.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { Time } from "../../components/time.tsx";
import { proofOf } from "./fix-text.ts";

export type Fix = Body<"getMemoryObservationsById">["fixes"][number];

export function FixList({ fixes }: { readonly fixes: readonly Fix[] }) {
  if (fixes.length === 0)
    return (
      <EmptyState title="No fix is recorded.">
        <p>Resolve one of its incidents with what fixed it. The next report of this failure shows it.</p>
      </EmptyState>
    );
  return (
    <ul class="memory-fixes">
      {fixes.map((fix) => (
        <FixEntry key={fix.id} fix={fix} />
      ))}
    </ul>
  );
}

function FixEntry({ fix }: { readonly fix: Fix }) {
  const { text, conditions, tried, worked, last_at, last_worked_at, last_worked_by, retired, came_back_at } = fix;
  const isFailed = tried > 0 && worked === 0;
  return (
    <li class="memory-fix">
      <p>
        {retired === null ? displayText(text) : <s>{displayText(text)}</s>}{" "}
        {retired !== null && <Badge>replaced</Badge>}
        {retired === null && isFailed && <Badge tone="bad">did not help</Badge>}
        {retired === null && worked > 0 && <Badge tone="good">{proofOf(fix)}</Badge>}
      </p>
      <p class="facts">
        {retired !== null && (
          <span>
            {sentence(retired.reason)}, <Time at={retired.at} />
          </span>
        )}
        {(retired !== null || isFailed) && <span>{proofOf(fix)}</span>}
        <span>
          last {last_worked_at === null ? "tried" : "worked"} <Time at={last_worked_at ?? last_at} />
          {last_worked_by !== null && `, by ${displayText(last_worked_by)}`}
        </span>
        {conditions !== null && <span>only with {displayText(conditions)}</span>}
        {came_back_at !== null && (
          <span class="memory-came-back">
            the failure came back <Time at={came_back_at} />
          </span>
        )}
      </p>
    </li>
  );
}

function sentence(reason: string): string {
  if (reason === "a newer fix") return "Replaced by a newer fix";
  return reason === "corrected" ? "Corrected by a person" : displayText(reason);
}
