// Searches runbooks as a triage does, and shows what each score consists of.

import { displayText } from "../../../../lib/text/display-text.ts";
import { api } from "../../api/client.ts";
import { useRequest } from "../../api/use-request.ts";
import { Badge } from "../../components/badge.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { useRowKeys } from "../../keyboard/use-row-keys.ts";
import { runbookHref, splitName } from "./runbook-name.ts";
import { type ScoreFeature, scoreFeatures } from "./score-features.ts";
import type { SearchAnswer, SearchHit } from "./types.ts";

const LIMIT = 10;

export function RunbookSearch({ text, domain }: { readonly text: string; readonly domain: string | undefined }) {
  if (text === "")
    return (
      <EmptyState title="Type what failed, as an alert or a person would say it.">
        <p>The search is the one that an answer begins with. Each hit shows the parts of its score.</p>
      </EmptyState>
    );
  return <Hits text={text} domain={domain} />;
}

function Hits({ text, domain }: { readonly text: string; readonly domain: string | undefined }) {
  useRowKeys(".runbooks-hits h2 a");
  const query = { query: text, limit: LIMIT, ...(domain ? { domain } : {}) };
  const request = useRequest<SearchAnswer>(JSON.stringify(query), (options) =>
    api.GET("/v1/runbooks/search", { params: { query }, ...options }),
  );
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
              <ol class="runbooks-hits">
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

interface HitProps {
  /** The best section of a text. */
  readonly hit: SearchHit;
  /** Its other sections among the hits, best first. */
  readonly others: readonly SearchHit[];
}

function Hit({ hit, others }: HitProps) {
  const { kind, source, title, heading, text, score } = hit;
  const features = scoreFeatures(hit);
  return (
    <li class="card">
      <h2>
        {kind === "runbook" ? <a href={runbookHref(splitName(source))}>{displayText(title)}</a> : displayText(title)}
      </h2>
      <p class="facts">
        <code>{displayText(source)}</code>
        {kind !== "runbook" && <Badge>{kind}</Badge>}
        {heading !== "" && <span>{displayText(heading)}</span>}
      </p>
      <p class="runbooks-excerpt">{displayText(text)}</p>
      {others.length > 0 && (
        <p class="note">
          Also{" "}
          {others.map((each) => `${displayText(each.heading) || "its beginning"} ${each.score.toFixed(2)}`).join(", ")}
        </p>
      )}
      <details>
        <summary>
          Score {score.toFixed(2)}
          <ScoreBar features={features} />
        </summary>
        <div class="table-frame">
          <table class="runbooks-score">
            <thead>
              <tr>
                <th>Part</th>
                <th>Adds</th>
                <th>Rank by it</th>
                <th>Meaning</th>
              </tr>
            </thead>
            <tbody>
              {features.map(({ name, value, rank, meaning, colour }) => (
                <tr key={name}>
                  <td>
                    <span class={`runbooks-key runbooks-colour-${colour}`} aria-hidden="true" /> {name}
                  </td>
                  <td>{value.toFixed(2)}</td>
                  <td>{rank}</td>
                  <td>{meaning}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
        {hit.features.bm25 !== undefined && <Terms terms={hit.features.bm25.terms} />}
      </details>
    </li>
  );
}

/** Decoration of the table below it. */
function ScoreBar({ features }: { readonly features: readonly ScoreFeature[] }) {
  return (
    <svg class="runbooks-bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
      {features.map(({ name, share, colour }, index) => {
        const x = features.slice(0, index).reduce((sum, each) => sum + each.share, 0) * 100;
        return <rect key={name} class={`runbooks-colour-${colour}`} x={x} y={0} width={share * 100} height={8} />;
      })}
    </svg>
  );
}

function Terms({ terms }: { readonly terms: Readonly<Record<string, number>> }) {
  const weighed = Object.entries(terms).sort(([, a], [, b]) => b - a);
  return (
    <p class="facts">
      Words found:
      {weighed.map(([term, value]) => (
        <Badge key={term}>
          {displayText(term)} {value.toFixed(1)}
        </Badge>
      ))}
    </p>
  );
}
