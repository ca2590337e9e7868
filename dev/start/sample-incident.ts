// The sample of a new stack: a failure is reported, its fix is recorded, and the same failure in other words brings the fix
// back. The console has something to show before the first alert.

import { createDejavuClient } from "../../client/client.js";
import { type TriageResult, triageResultSchema } from "../../functions/schemas/triage-result.ts";
import type { StackInfo } from "../stack/stack-info.ts";

interface SampleReport {
  readonly title: string;
  readonly target: string;
  readonly logs: string;
}

const FIRST_REPORT: SampleReport = {
  title: "checkout answers with 500 at peak",
  target: "checkout",
  logs: [
    "18:02:11.480 ERROR [http-7] HikariPool-1 - Connection is not available, request timed out after 30000ms (total=10, active=10, idle=0, waiting=42)",
    "18:02:12.016 WARN  [housekeeper] ProxyLeakTask - Connection leak detection triggered for org.postgresql.jdbc.PgConnection@1f2e3d on thread http-3, stack trace follows",
    "java.lang.Exception: Apparent connection leak detected",
    "    at com.shop.coupons.CouponClient.lookup(CouponClient.java:88)",
  ].join("\n"),
};

const FIX = "Updated the coupons library to 2.4.1: it closes its connection after an error.";

/** Another service with other symptoms, and a log of another form. */
const SECOND_REPORT: SampleReport = {
  title: "every second invoice hangs",
  target: "invoices",
  logs: [
    "2026-03-04 09:40:03 WARN  ProxyLeakTask : Connection leak detection triggered for org.postgresql.jdbc.PgConnection@77aa01 on thread exec-12, stack trace follows",
    "java.lang.Exception: Apparent connection leak detected",
    "        at com.shop.coupons.CouponClient.lookup(CouponClient.java:88)",
    "2026-03-04 09:40:21 ERROR SqlExceptionHelper : HikariPool-1 - Connection is not available, request timed out after 30001ms (total=20, active=20, idle=0, waiting=17)",
  ].join("\n"),
};

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
