// The demo of `npm start`: a failure is reported, its fix is recorded, and the same failure in other words brings the
// fix back. The application runs in this process, on a stack of its own with empty stores, which is deleted afterwards:
// the real memory is never touched. After a kill, the stack's cleanup process deletes it.

import { join } from "node:path";
import { loadRunbooks, readRunbookFolder } from "../../cli/seed-runbooks.ts";
import { type TriageResult, triageResultSchema } from "../../functions/schemas/triage-result.ts";
import type { Stack } from "../stack/stack.ts";
import { startStack } from "../stack/start-stack.ts";
import { createPoster } from "./application.ts";
import { FIRST_REPORT, FIX, type SampleReport, SECOND_REPORT } from "./sample-reports.ts";

export interface DemoResult {
  readonly first: TriageResult;
  /** The fix that was recorded for the first report. */
  readonly fix: string;
  readonly second: TriageResult;
}

export interface DemoOptions {
  /** Data folder of the real stack; the demo's own is a folder in it. */
  readonly dir: string;
  readonly onProgress?: (text: string) => void;
  /** Aborts the start of the demo's stack. */
  readonly signal?: AbortSignal;
}

/** The domain whose runbooks answer the reports. */
const DOMAIN = "application";

/** @throws Error when the demo cannot run; its data is deleted also then */
export async function runDemo({ dir, onProgress, signal }: DemoOptions): Promise<DemoResult> {
  const stack = await startStack({
    dir: join(dir, "demo"),
    ephemeral: true,
    services: ["gateway", "chroma"],
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
  const triage = async (report: SampleReport) => triageResultSchema.parse(await post("/v1/triage", report));
  showProgress("a report");
  const first = await triage(FIRST_REPORT);
  showProgress("its fix");
  await post(`/v1/incidents/${first.incident_id}/resolve`, { resolution: FIX, worked: true });
  showProgress("the same failure in other words");
  return { first, fix: FIX, second: await triage(SECOND_REPORT) };
}
