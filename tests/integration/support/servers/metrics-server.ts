// A stand-in for a server of metrics. It speaks the part of Prometheus' HTTP API that sources of evidence use, and fails on demand.

import { type Answer, type LyingServer, lyingServer } from "./lying-server.ts";

export interface MetricsServer extends LyingServer {
  /** Headers of each request. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>[];
  /** The series that every query returns: labels and value. */
  series: readonly { readonly metric: Readonly<Record<string, string>>; readonly value: string }[];
  /** An answer in place of its own. */
  misbehaviour: Answer | undefined;
}

const SECONDS = 1_772_334_000;

/** @param authorization header that it requires; null for none */
export async function metricsServer(authorization: string | null = null): Promise<MetricsServer> {
  const headers: MetricsServer["headers"] = [];
  const server = await lyingServer({
    answer: (_body, _call, sent, path) => {
      headers.push(sent);
      if (state.misbehaviour !== undefined) return state.misbehaviour;
      if (authorization !== null && sent.authorization !== authorization) return { status: 401, body: "no" };
      const data = path.startsWith("/api/v1/status/buildinfo")
        ? { version: "2.42.0" }
        : {
            resultType: "vector",
            result: state.series.map(({ metric, value }) => ({ metric, value: [SECONDS, value] })),
          };
      return { body: JSON.stringify({ status: "success", data }) };
    },
  });
  const state: MetricsServer = { ...server, headers, series: [], misbehaviour: undefined };
  return state;
}
