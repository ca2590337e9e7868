// The failures, each with its fix.

import { displayText } from "../../../../lib/text/display-text.ts";
import type { Body } from "../../api/body.ts";
import { api } from "../../api/client.ts";
import { usePages } from "../../api/use-pages.ts";
import { Badge, SeverityBadge } from "../../components/badge.tsx";
import { RowList } from "../../components/page-list.tsx";
import { Time } from "../../components/time.tsx";
import { consolePath } from "../../format/console-path.ts";
import { useRowKeys } from "../../keyboard/use-row-keys.ts";
import { Prose } from "../incident/answer/prose.tsx";
import { DomainLink, Filters, useFilters } from "./filters.tsx";
import { proofOf } from "./fix-text.ts";
import { counted } from "./words.ts";

type Entry = Body<"getMemoryObservations">["observations"][number];

export function Observations() {
  const { text, domain } = useFilters();
  const filter = { ...(text === undefined ? {} : { text }), ...(domain === undefined ? {} : { domain }) };
  const pages = usePages<Body<"getMemoryObservations">, Entry>(
    `observations ${JSON.stringify(filter)}`,
    (cursor, options) =>
      api.GET("/v1/memory/observations", {
        params: { query: { ...filter, ...(cursor === undefined ? {} : { cursor }) } },
        ...options,
      }),
    ({ observations }) => observations,
  );
  useRowKeys(".rows .memory-title");
  const isFiltered = text !== undefined || domain !== undefined;
  return (
    <>
      <Filters name="failures" />
      <RowList
        pages={pages}
        name="the failures"
        empty={isFiltered ? "No failure matches." : "There are no failures yet."}
        hint={isFiltered ? "Use fewer words, or another domain." : "Each investigated failure becomes one."}
        row={(row) => <Row key={row.id} row={row} />}
      />
    </>
  );
}

function Row({ row }: { readonly row: Entry }) {
  const { id, title, severity, domain, occurrences, last_seen_at, targets, target, review_score } = row;
  const services = targets.length > 0 ? targets : target === null ? [] : [target];
  return (
    <li class="row">
      <div class="memory-row-head">
        <a class="memory-title" href={consolePath(`/memory/observations/${id}`)}>
          {displayText(title)}
        </a>
        <SeverityBadge severity={severity} />
        {review_score !== null && <Badge tone={review_score < 0 ? "bad" : "info"}>review {review_score}</Badge>}
      </div>
      <CurrentFix row={row} />
      <p class="facts">
        <span>
          {counted(occurrences, "report")}, last <Time at={last_seen_at} />
        </span>
        <DomainLink domain={domain} />
        {services.length > 0 && (
          <span>
            {displayText(services[0] ?? "")}
            {services.length > 1 && ` and ${services.length - 1} more`}
          </span>
        )}
      </p>
    </li>
  );
}

function CurrentFix({ row: { fixes, resolution } }: { readonly row: Entry }) {
  const fix = fixes.find(({ text, retired }) => retired === null && text === resolution);
  if (resolution === null) return <p class="note">No fix recorded.</p>;
  return (
    <p class="memory-fix-line">
      <strong>Fixed by</strong> <Prose text={resolution} />{" "}
      {fix !== undefined && <span class="note">{proofOf(fix)}</span>}
    </p>
  );
}
