// The demo of `npm start`: a failure is reported, its fix is recorded, and the same failure in other words brings the
// fix back. The application runs in this process, on a stack of its own with empty stores, which is deleted afterwards:
// the real memory is never touched. After a kill, the stack's cleanup process deletes it.

import { join } from "node:path";
import { loadRunbooks, readRunbookFolder } from "../../cli/seed-runbooks.ts";
import { type TriageResult, triageResultSchema } from "../../functions/schemas/triage-result.ts";
import type { Stack } from "../stack/stack.ts";
import { startStack } from "../stack/start-stack.ts";
import { createPoster } from "./application.ts";

export interface DemoReport {
  readonly title: string;
  readonly target: string;
  readonly logs: string;
}

export interface DemoResult {
  readonly first: TriageResult;
  /** The fix that was recorded for the first report. */
  readonly fix: string;
  readonly second: TriageResult;
}

export interface DemoOptions {
  /** Data folder of the real stack; the demo's own is a folder in it. */
  readonly dir: string;
  /** The real Worker's variables: the demo uses its embedder, which stores nothing. */
  readonly workerEnv: Readonly<Record<string, string>>;
  readonly onProgress?: (text: string) => void;
  /** Aborts the start of the demo's stack. */
  readonly signal?: AbortSignal;
}

/** The domain whose runbooks answer the reports. */
const DOMAIN = "application";

const FIRST_REPORT: DemoReport = {
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
const SECOND_REPORT: DemoReport = {
  title: "every second invoice hangs",
  target: "invoices",
  logs: [
    "2026-03-04 09:40:03 WARN  ProxyLeakTask : Connection leak detection triggered for org.postgresql.jdbc.PgConnection@77aa01 on thread exec-12, stack trace follows",
    "java.lang.Exception: Apparent connection leak detected",
    "        at com.shop.coupons.CouponClient.lookup(CouponClient.java:88)",
    "2026-03-04 09:40:21 ERROR SqlExceptionHelper : HikariPool-1 - Connection is not available, request timed out after 30001ms (total=20, active=20, idle=0, waiting=17)",
  ].join("\n"),
};

/** @throws Error when the demo cannot run; its data is deleted also then */
export async function runDemo({ dir, workerEnv, onProgress, signal }: DemoOptions): Promise<DemoResult> {
  const stack = await startStack({
    dir: join(dir, "demo"),
    ephemeral: true,
    services: ["gateway", "chroma"],
    extraWorkerVars: { EMBEDDINGS_URL: workerEnv.EMBEDDINGS_URL ?? "" },
    ...(signal === undefined ? {} : { signal }),
  });
  try {
    return await triageTwice(stack, onProgress ?? (() => {}));
  } finally {
    await stack.stop();
  }
}

async function triageTwice({ workerEnv, info }: Stack, showProgress: (text: string) => void): Promise<DemoResult> {
  const { origin, domains } = await readRunbookFolder();
  await loadRunbooks({ origin, domains: domains.filter(({ name }) => name === DOMAIN) }, { env: workerEnv });
  const post = createPoster(workerEnv, info.token);
  const triage = async (report: DemoReport) => triageResultSchema.parse(await post("/v1/triage", report));
  showProgress("a report");
  const first = await triage(FIRST_REPORT);
  showProgress("its fix");
  await post(`/v1/incidents/${first.incident_id}/resolve`, { resolution: FIX, worked: true });
  showProgress("the same failure in other words");
  return { first, fix: FIX, second: await triage(SECOND_REPORT) };
}
