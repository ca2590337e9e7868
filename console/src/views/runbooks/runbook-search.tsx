// Searches runbooks as a triage does, and shows what each score consists of.

import { displayText } from "../../../../lib/text/display-text.ts";
import type { Body } from "../../api/types.ts";
import { useGet } from "../../api/use-request.ts";
import { Badge } from "../../components/badge.tsx";
import { EmptyState, Loaded } from "../../components/states.tsx";
import { Table } from "../../components/table.tsx";
import { useRowKeys } from "../../keyboard/use-row-keys.ts";
import { runbookHref, splitName } from "./runbook-name.ts";

const LIMIT = 10;

interface RunbookSearchProps {
  readonly text: string;
  readonly domain: string | undefined;
}

export function RunbookSearch({ text, domain }: RunbookSearchProps) {
  if (text !== "") return <Hits text={text} domain={domain} />;
  return (
    <EmptyState title="Type what failed, as an alert or a person would say it.">
      The search is the one that an answer begins with. Each hit shows the parts of its score.
    </EmptyState>
  );
}

function Hits({ text, domain }: RunbookSearchProps) {
  useRowKeys(".rows h2 a");
  const query = { query: text, limit: LIMIT, domain: domain || undefined };
  const request = useGet("/v1/runbooks/search", { query });
  return (
    <Loaded request={request} name="the hits" lines={12}>
      {({ hits, domain: routed, warnings }) => {
        const matching = hits.filter(({ score }) => score > 0);
        return (
          <>
            {warnings.map(({ code, message }) => (
              <p key={code} class="stale">
                {displayText(message)}
              </p>
            ))}
            <p class="note">
              Domain <strong>{routed.name}</strong>: {displayText(routed.rule)}
            </p>
            {matching.length === 0 ? (
              <EmptyState title="No section matches. Use other words, or search all domains." />
            ) : (
              <ol class="rows">
                {[...Map.groupBy(matching, ({ source }) => source).values()].map(([best, ...others]) =>
                  best === undefined ? null : <Hit key={best.id} hit={best} others={others} />,
                )}
              </ol>
            )}
          </>
        );
      }}
    </Loaded>
  );
}

type SearchHit = Body<"/v1/runbooks/search">["hits"][number];
type Feature = keyof SearchHit["features"];

const FEATURES: Readonly<Record<Feature, { readonly name: string; readonly meaning: string }>> = {
  document: { name: "Whole text", meaning: "how well the whole runbook matches the words" },
  title: { name: "Title", meaning: "how well its title matches" },
  dense: { name: "Meaning", meaning: "how near this section is in meaning" },
  bm25: { name: "Words", meaning: "how many rare words of the query this section holds" },
  lead: { name: "Beginning", meaning: "how well its beginning matches the words" },
  proximity: { name: "Close together", meaning: "how many words of the query stand close together" },
  type: { name: "Incident type", meaning: "it is about the recognised type of incident" },
  domain: { name: "Domain", meaning: "the words hint at its domain" },
  name: { name: "Name", meaning: "the query contains its title or file name" },
  attached: { name: "Attached", meaning: "the report or a person names this runbook" },
};

interface HitProps {
  /** The best section of a text. */
  readonly hit: SearchHit;
  /** Its other sections among the hits, best first. */
  readonly others: readonly SearchHit[];
}

function Hit({ hit, others }: HitProps) {
  const { kind, source, title, heading, text, score, features } = hit;
  const parts = (Object.keys(FEATURES) as Feature[])
    .flatMap((key) => (features[key] === undefined ? [] : [{ ...FEATURES[key], ...features[key] }]))
    .sort((a, b) => b.value - a.value);
  const terms = Object.entries(features.bm25?.terms ?? {}).sort(([, a], [, b]) => b - a);
  return (
    <li class="row">
      <h2>
        {kind === "runbook" ? <a href={runbookHref(splitName(source))}>{displayText(title)}</a> : displayText(title)}
      </h2>
      <p class="facts">
        <code>{displayText(source)}</code>
        {kind !== "runbook" && <Badge>{kind}</Badge>}
        {heading !== "" && <span>{displayText(heading)}</span>}
      </p>
      <p class="clamp runbooks-excerpt">{displayText(text)}</p>
      {others.length > 0 && (
        <p class="note">
          Also{" "}
          {others.map((each) => `${displayText(each.heading) || "its beginning"} ${each.score.toFixed(2)}`).join(", ")}
        </p>
      )}
      <details>
        <summary>Score {score.toFixed(2)}</summary>
        <Table
          label="Parts of the score"
          columns={["Part", "Adds", "Rank by it", "Meaning"]}
          rows={parts.map(({ name, value, rank, meaning }) => [name, value.toFixed(2), rank, meaning])}
        />
        {terms.length > 0 && (
          <p class="facts">
            Words found:
            {terms.map(([term, value]) => (
              <Badge key={term}>
                {displayText(term)} {value.toFixed(1)}
              </Badge>
            ))}
          </p>
        )}
      </details>
    </li>
  );
}
