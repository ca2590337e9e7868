// The expression of an alert, from the link to its graph that alerting systems send. Nothing calls the link's host.

import { MAX_QUERY_CHARS } from "../scope/syntax-tree.ts";

/** A link holds the expression, encoded, and some parameters. */
const MAX_LINK_CHARS = 4 * MAX_QUERY_CHARS;
/** Of Prometheus, Thanos and Mimir; of VictoriaMetrics. */
const EXPRESSION_PARAMETERS = ["g0.expr", "expr"];
/** Of Explore in Grafana: older and newer versions. */
const STATE_PARAMETERS = ["left", "panes"];
const MAX_DEPTH = 8;

/** The expression in a link; null for a link without one, and for one of another language. */
export function generatorExpression(link: string | null | undefined): string | null {
  if (!link || link.length > MAX_LINK_CHARS || !URL.canParse(link, "http://localhost")) return null;
  const url = new URL(link, "http://localhost");
  // Pages that keep their state behind the hash have the parameters there.
  const inHash = url.hash.includes("?") ? url.hash.slice(url.hash.indexOf("?")) : "";
  for (const parameters of [url.searchParams, new URLSearchParams(inHash)]) {
    for (const name of EXPRESSION_PARAMETERS) {
      const expression = parameters.get(name)?.trim();
      if (expression) return expression.length <= MAX_QUERY_CHARS ? expression : null;
    }
    for (const name of STATE_PARAMETERS) {
      const expression = expressionIn(parse(parameters.get(name)), 0);
      if (expression !== null) return expression.length <= MAX_QUERY_CHARS ? expression : null;
    }
  }
  return null;
}

function expressionIn(state: unknown, depth: number): string | null {
  if (typeof state !== "object" || state === null || depth > MAX_DEPTH) return null;
  if ("expr" in state && typeof state.expr === "string" && state.expr.trim() !== "")
    return isOfLogs(state) ? null : state.expr.trim();
  for (const value of Object.values(state)) {
    // The ruler of Loki writes a query as a text with JSON.
    const inner = typeof value === "string" && value.startsWith("{") ? parse(value) : value;
    const expression = expressionIn(inner, depth + 1);
    if (expression !== null) return expression;
  }
  return null;
}

function isOfLogs(query: object): boolean {
  const source: unknown = "datasource" in query ? query.datasource : undefined;
  const type = typeof source === "object" && source !== null && "type" in source ? source.type : source;
  return typeof type === "string" && /\bloki\b/i.test(type);
}

function parse(json: string | null): unknown {
  try {
    return json === null ? null : JSON.parse(json);
  } catch {
    return null;
  }
}
