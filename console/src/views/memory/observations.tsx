// The failures, each with its fix.

import { displayText } from "../../../../lib/text/display-text.ts";
import { Badge, SeverityBadge } from "../../components/badge.tsx";
import { When } from "../../components/time.tsx";
import { consolePath } from "../../format/console-path.ts";
import { counted, proofOf } from "../../format/words.ts";
import { Prose } from "../incident/answer/prose.tsx";
import { DomainLink, Records, WORDS_AND_DOMAIN } from "./records.tsx";

export function Observations() {
  return (
    <Records
      path="/v1/memory/observations"
      rows="observations"
      name="failures"
      filters={WORDS_AND_DOMAIN}
      hint="Each investigated failure becomes one."
      groups={(records) =>
        // What fixed a failure is first, whichever of its records has it.
        [...Map.groupBy(records, ({ id, failure_id }) => failure_id ?? id).values()].map((group) =>
          group.toSorted((a, b) => Number(b.resolution !== null) - Number(a.resolution !== null)),
        )
      }
      row={(row) => {
        const { id, title, severity, domain, occurrences, last_seen_at, targets, target, review_score } = row;
        const services = targets.length > 0 ? targets : target === null ? [] : [target];
        const fix = row.fixes.find(({ text, retired }) => retired === null && text === row.resolution);
        return (
          <li key={id} class="row">
            <div class="row-head">
              <a class="row-title" href={consolePath(`/memory/observations/${id}`)}>
                {displayText(title)}
              </a>
              <SeverityBadge severity={severity} />
              {review_score !== null && <Badge tone={review_score < 0 ? "bad" : "info"}>review {review_score}</Badge>}
            </div>
            {row.resolution === null ? (
              <p class="note">No fix recorded.</p>
            ) : (
              <p>
                <strong>Fixed by</strong> <Prose text={row.resolution} />{" "}
                {fix !== undefined && <span class="note">{proofOf(fix)}</span>}
              </p>
            )}
            <p class="facts">
              <When what={`${counted(occurrences, "report")}, last`} at={last_seen_at} />
              <DomainLink domain={domain} />
              {services[0] !== undefined && (
                <span>
                  {displayText(services[0])}
                  {services.length > 1 && ` and ${services.length - 1} more`}
                </span>
              )}
            </p>
          </li>
        );
      }}
    />
  );
}
