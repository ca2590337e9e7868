// A stand-in for a metrics server, with the series of one case. It answers instant queries of one metric.

import { createServer } from "node:http";
import type { MetricSeries } from "../case-files/case-schema.ts";

export interface MetricsServer extends AsyncDisposable {
  readonly url: string;
}

const MATCHER = /([a-z_]\w{0,60})="([^"]{0,200})"/gi;

export async function startMetricsServer(metrics: MetricSeries): Promise<MetricsServer> {
  const server = createServer((request, response) => {
    const query = new URL(request.url ?? "/", "http://metrics").searchParams.get("query") ?? "";
    const data = { resultType: "vector", result: seriesOf(metrics, query) };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ status: "success", data }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return {
    url: `http://127.0.0.1:${address.port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The series of the metrics that the query names, with the labels that it asks for. */
function seriesOf(metrics: MetricSeries, query: string) {
  const names = new Set(query.match(/\w+/g));
  const matchers = [...query.matchAll(MATCHER)].map(([, label = "", value]) => ({ label, value }));
  return Object.entries(metrics)
    .filter(([name]) => names.has(name))
    .flatMap(([, series]) => series)
    .filter(({ labels }) => matchers.every(({ label, value }) => labels[label] === value))
    .map(({ labels, value }) => ({ metric: labels, value: [Date.now() / 1_000, String(value)] }));
}
