// Links that show a query to a person: the page of a Prometheus server, or Explore of Grafana.

import type { EvidenceSourceDefinition } from "../../schemas/evidence/source.ts";

export interface LinkedQuery {
  readonly expression: string;
  readonly from: Date;
  readonly to: Date;
}

/** Path of a data source in Grafana; requests below it are passed on to the source. */
const DATA_SOURCE = /^(.{0,500}?)\/api\/datasources\/(?:proxy\/)?uid\/([\w-]{1,80})(?:\/|$)/;

/**
 * A link to Explore, if the address for people is that of Grafana: `…/api/datasources/proxy/uid/<uid>`, or
 * `…/explore?datasource=<uid>`. Null otherwise.
 */
export function exploreLink(
  definition: EvidenceSourceDefinition,
  type: "prometheus" | "loki",
  { expression, from, to }: LinkedQuery,
): string | null {
  const place = explorePlace(definition.open_url) ?? explorePlace(definition.url);
  if (place === null) return null;
  const datasource = { type, uid: place.uid };
  const range = { from: `${from.getTime()}`, to: `${to.getTime()}` };
  const panes = { check: { datasource: place.uid, queries: [{ refId: "A", expr: expression, datasource }], range } };
  const parameters = { schemaVersion: "1", panes: JSON.stringify(panes), orgId: place.organisation };
  return `${place.base}/explore?${new URLSearchParams(parameters)}`;
}

/** A link to the page of a server with its own; null for a server that a browser cannot open. */
export function graphLink(
  definition: EvidenceSourceDefinition,
  { expression, from, to, isRange }: LinkedQuery & { readonly isRange: boolean },
): string | null {
  // A browser does not send the headers.
  if (definition.open_url === null && Object.keys(definition.headers).length > 0) return null;
  const url = parse(definition.open_url ?? definition.url);
  if (url === null || url.pathname.includes("/api/datasources/")) return null;
  const end = to.toISOString().slice(0, 19).replace("T", " ");
  const range = `${Math.max(1, Math.round((to.getTime() - from.getTime()) / 1_000))}s`;
  const times = isRange
    ? { "g0.tab": "0", "g0.range_input": range, "g0.end_input": end }
    : { "g0.tab": "1", "g0.moment_input": end };
  return `${baseOf(url, url.pathname)}/graph?${new URLSearchParams({ "g0.expr": expression, ...times })}`;
}

function explorePlace(address: string | null) {
  const url = parse(address);
  if (url === null) return null;
  const organisation = url.searchParams.get("orgId") ?? "1";
  const [, before, uid] = DATA_SOURCE.exec(url.pathname) ?? [];
  if (before !== undefined && uid !== undefined) return { base: baseOf(url, before), uid, organisation };
  const named = url.searchParams.get("datasource");
  return named !== null && url.pathname.endsWith("/explore")
    ? { base: baseOf(url, url.pathname.slice(0, -"/explore".length)), uid: named, organisation }
    : null;
}

/** Without user and password. */
function baseOf(url: URL, path: string): string {
  return `${url.origin}${path.replace(/(?<!\/)\/+$/, "")}`;
}

function parse(address: string | null): URL | null {
  const url = address !== null && URL.canParse(address) ? new URL(address) : null;
  return url !== null && ["http:", "https:"].includes(url.protocol) ? url : null;
}
