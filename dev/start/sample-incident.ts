// The sample of a new stack: a failure is reported, its fix is recorded, and the same failure in other words brings the fix
// back. The console has something to show before the first alert.

import { createDejavuClient } from "../../client/client.js";
import { type TriageResult, triageResultSchema } from "../../functions/schemas/triage-result.ts";
import type { StackInfo } from "../stack/stack-info.ts";
import { FIRST_REPORT, FIX, SECOND_REPORT } from "./sample-reports.ts";

const LABELS = { sample: "npm start" };
/** Quality leaves evaluations out: samples say nothing about the answers to real reports. */
const NOT_COUNTED = { "x-dejavu-traffic": "evaluation" };
const CHANGE_MINUTES_BEFORE = 12;

export interface Sample {
  readonly first: TriageResult;
  /** The fix that was recorded for the first report. */
  readonly fix: string;
  readonly second: TriageResult;
}

/**
 * Reports an incident, its fix, a change, and the same failure of another service, which stays open. Does nothing where
 * there is an incident already.
 * @returns null if it reported nothing
 * @throws Error when the service refuses a report
 */
export async function reportSampleIncident(
  { urls, token }: StackInfo,
  now: Date,
  showProgress: (text: string) => void = () => {},
): Promise<Sample | null> {
  const client = createDejavuClient(urls.worker, token);
  const present = await client.GET("/v1/incidents", { params: { query: { limit: 1 } } });
  if (present.data === undefined || present.data.incidents.length > 0) return null;
  showProgress("a report");
  const first = dataOf(
    await client.POST("/v1/triage", { headers: NOT_COUNTED, body: { ...FIRST_REPORT, labels: LABELS } }),
  );
  const path = { id: first.incident_id };
  showProgress("its fix");
  dataOf(
    await client.POST("/v1/incidents/{id}/resolve", { params: { path }, body: { resolution: FIX, worked: true } }),
  );
  const at = new Date(now.getTime() - CHANGE_MINUTES_BEFORE * 60_000).toISOString();
  const change = {
    service: SECOND_REPORT.target,
    kind: "release" as const,
    title: "Release 3.8.0",
    version: "3.8.0",
    at,
  };
  dataOf(await client.POST("/v1/changes", { body: change }));
  showProgress("the same failure in other words");
  const second = dataOf(
    await client.POST("/v1/triage", {
      headers: NOT_COUNTED,
      body: { ...SECOND_REPORT, severity: "high", labels: LABELS },
    }),
  );
  return { first: triageResultSchema.parse(first), fix: FIX, second: triageResultSchema.parse(second) };
}

function dataOf<T>({ data, error }: { readonly data?: T; readonly error?: unknown }): T {
  if (data === undefined) throw new Error(`The sample incident was refused: ${JSON.stringify(error)}`);
  return data;
}
