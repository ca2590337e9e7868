// A server with the query API of Loki, for logs in memory. It reads selectors, line filters and counts over a range; a real
// server has more.

import { parser } from "@grafana/lezer-logql";
import type { SyntaxNode } from "@lezer/common";
import { z } from "zod";
import { type LyingServer, lyingServer } from "./lying-server.ts";

export interface LogStream {
  readonly labels: Readonly<Record<string, string>>;
  readonly lines: readonly { readonly at: Date; readonly text: string }[];
}

export interface LogServerOptions {
  /** Refuses requests without this value of the header X-Scope-OrgID. */
  readonly tenant?: string;
  /** Refuses requests without this value of the header Authorization. */
  readonly authorization?: string;
}

const parametersSchema = z.object({
  query: z.string(),
  start: z.string().optional(),
  end: z.string().optional(),
  time: z.string().optional(),
  limit: z.coerce.number().default(100),
  direction: z.string().default("backward"),
});
type Parameters = z.infer<typeof parametersSchema>;

export async function logServer(
  streams: readonly LogStream[],
  { tenant, authorization }: LogServerOptions = {},
): Promise<LyingServer> {
  return lyingServer({
    answer: (body, _call, headers, path) => {
      if (authorization !== undefined && headers.authorization !== authorization) return { status: 401, body: "no" };
      if (tenant !== undefined && headers["x-scope-orgid"] !== tenant) return { status: 401, body: "no org id" };
      const url = new URL(path, "http://localhost");
      const parameters = Object.fromEntries([...url.searchParams, ...new URLSearchParams(body)]);
      if (url.pathname === "/loki/api/v1/status/buildinfo") return json({ version: "3.4.2" });
      if (url.pathname === "/loki/api/v1/labels")
        return success([...new Set(streams.flatMap((s) => Object.keys(s.labels)))]);
      const parsed = parametersSchema.safeParse(parameters);
      if (!parsed.success) return { status: 400, body: "missing parameter" };
      const root = parser.parse(parsed.data.query).topNode;
      if (hasError(root)) return { status: 400, body: `parse error in ${parsed.data.query}` };
      const isLogQuery = root.getChild("Expr")?.getChild("LogExpr") != null;
      if (url.pathname === "/loki/api/v1/query_range" && isLogQuery)
        return success(linesOf(streams, root, parsed.data));
      if (url.pathname === "/loki/api/v1/query" && !isLogQuery) return success(countsOf(streams, root, parsed.data));
      return { status: url.pathname.startsWith("/loki/api/v1/query") ? 400 : 404, body: "not supported" };
    },
  });
}

const json = (value: unknown) => ({ body: JSON.stringify(value) });
const success = (data: unknown) => json({ status: "success", data });
const nanoseconds = (at: Date) => `${at.getTime()}000000`;

function linesOf(streams: readonly LogStream[], root: SyntaxNode, parameters: Parameters) {
  const { query, start = "0", end = "0", limit, direction } = parameters;
  const sign = direction === "backward" ? -1 : 1;
  const entries = select(streams, root, query)
    .flatMap(({ labels, lines }) => lines.map((line) => ({ labels, line })))
    .filter(({ line }) => BigInt(nanoseconds(line.at)) >= BigInt(start) && BigInt(nanoseconds(line.at)) < BigInt(end))
    .sort((a, b) => sign * (a.line.at.getTime() - b.line.at.getTime()))
    .slice(0, limit);
  const byStream = Map.groupBy(entries, ({ labels }) => labels);
  const result = [...byStream].map(([stream, each]) => ({
    stream,
    values: each.map(({ line }) => [nanoseconds(line.at), line.text]),
  }));
  return { resultType: "streams", result, stats: {} };
}

/** `count_over_time` of one selector, grouped by the labels of `by`. */
function countsOf(streams: readonly LogStream[], root: SyntaxNode, { query, time = "0" }: Parameters) {
  const minutes = Number(/\[(\d{1,4})m\]/.exec(query)?.[1] ?? 1);
  const end = Number(BigInt(time) / 1_000_000n);
  const grouping = allNodes(root, "Grouping")[0];
  const names = grouping === undefined ? null : allNodes(grouping, "Identifier").map((node) => text(node, query));
  const counts = new Map<string, number>();
  for (const { labels, lines } of select(streams, root, query)) {
    const kept = Object.entries(labels).filter(([name]) => names === null || names.includes(name));
    const count = lines.filter(({ at }) => at.getTime() <= end && at.getTime() > end - minutes * 60_000).length;
    const key = JSON.stringify(Object.fromEntries(kept));
    if (count > 0) counts.set(key, (counts.get(key) ?? 0) + count);
  }
  const result = [...counts].map(([key, count]) => ({ metric: JSON.parse(key), value: [end / 1_000, `${count}`] }));
  return { resultType: "vector", result };
}

function select(streams: readonly LogStream[], root: SyntaxNode, query: string): LogStream[] {
  const matchers = allNodes(root, "Selector").flatMap((selector) => allNodes(selector, "Matcher"));
  const filters = allNodes(root, "LineFilter");
  return streams
    .filter(({ labels }) =>
      matchers.every((matcher) => {
        const [name, operator, value] = children(matcher).map((node) => text(node, query));
        return compare(labels[name ?? ""] ?? "", operator ?? "", unquoted(value), true);
      }),
    )
    .map(({ labels, lines }) => ({
      labels,
      lines: lines.filter((line) =>
        filters.every((filter) => {
          const [operator, value] = children(filter).map((node) => text(node, query));
          return compare(line.text, operator ?? "", unquoted(value), false);
        }),
      ),
    }));
}

function compare(actual: string, operator: string, value: string, isWhole: boolean): boolean {
  const isPattern = operator.endsWith("~");
  const matches = isPattern
    ? new RegExp(isWhole ? `^(?:${value})$` : value, "u").test(actual)
    : isWhole
      ? actual === value
      : actual.includes(value);
  return matches !== operator.startsWith("!");
}

function unquoted(literal = '""'): string {
  if (literal.startsWith("`")) return literal.slice(1, -1);
  const json = literal.replace(/\\(?:U([0-9a-f]{8})|.)/g, (sequence, code?: string) =>
    code === undefined ? sequence : String.fromCodePoint(Number.parseInt(code, 16)),
  );
  return String(JSON.parse(json));
}

const text = (node: SyntaxNode, query: string) => query.slice(node.from, node.to);

function children(node: SyntaxNode): SyntaxNode[] {
  const nodes: SyntaxNode[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling) nodes.push(child);
  return nodes;
}

function allNodes(node: SyntaxNode, name: string): SyntaxNode[] {
  return children(node).flatMap((child) => [...(child.name === name ? [child] : []), ...allNodes(child, name)]);
}

function hasError(node: SyntaxNode): boolean {
  return node.type.isError || children(node).some(hasError);
}
