// `npm run demo`: a real problem of a PostgreSQL server, and an answer with confirmed and ruled-out causes. It runs on a stack of its
// own, which is deleted afterwards; a running `npm start` is not touched.

import { rmSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import type { ExecutionContext } from "hono";
import pc from "picocolors";
import { renderTriage } from "../cli/render-triage.ts";
import { loadRunbooks, readRunbookFolder } from "../cli/seed-runbooks.ts";
import { terminal } from "../cli/service/terminal.ts";
import { createApp } from "../functions/app.ts";
import type { Environment } from "../functions/config.ts";
import { type TriageResult, triageResultSchema } from "../functions/schemas/triage-result.ts";
import { createServices } from "../functions/services.ts";
import { createLockQueue, type LockQueue } from "./evidence-demo/lock-queue.ts";
import { findPrometheus, startPrometheus } from "./evidence-demo/prometheus.ts";
import { REPO_DIR } from "./stack/paths.ts";
import type { Stack } from "./stack/stack.ts";
import { startStack } from "./stack/start-stack.ts";
import { isStoppedBySignal } from "./stack/stop-on-signal.ts";
import { describeFailure } from "./start/messages.ts";

const DIR = join(REPO_DIR, ".dejavu", "evidence-demo");
/** Those of the team that runs the database, with checks of metrics. */
const TEAM_RUNBOOKS = join(import.meta.dirname, "evidence-demo/runbooks");
const WIDTH = 110;
const DOMAIN = "postgres";
const INSTANCE = "orders-db:9187";

const ALERT = {
  title: "Queries on orders-db hang",
  target: "orders",
  severity: "critical",
  labels: { alertname: "OrdersQueriesHang", service: "orders", instance: INSTANCE, domain: DOMAIN },
  logs: "ERROR:  canceling statement due to lock timeout\nSTATEMENT:  ALTER TABLE demo_orders ADD COLUMN gift_note text",
};

/** The servers are on this machine: a late answer means that it is busy. */
const PATIENT = { DEPENDENCY_TIMEOUT_MS: "20000", TRIAGE_BUDGET_MS: "120000" };

const CHANGE_AGE_MS = 12 * 60_000;

const { prometheus: isPrometheusWanted } = new Command("npm run demo --")
  .description("Makes a real problem of a database, and triages it with checks of the running servers.")
  .option("--no-prometheus", "ask the database only")
  .allowExcessArguments(false)
  .parse()
  .opts<{ readonly prometheus: boolean }>();

// Also after a signal, whose handler ends this process.
process.once("exit", () => rmSync(DIR, { recursive: true, force: true }));

try {
  console.log(pc.bold("An alert about a database, and the checks that its runbooks declare.\n"));
  const prometheus = isPrometheusWanted ? findPrometheus() : null;
  if (prometheus === null && isPrometheusWanted)
    say("Prometheus is not installed, so checks of metrics are not run. On Debian: apt-get install prometheus");
  const result = await triageLockQueue(prometheus);
  console.log(`\n${renderTriage(result, { ...terminal(WIDTH, process) })}\n`);
  console.log(pc.dim("Everything above came from the running servers. They are stopped, and their data is deleted."));
  console.log(pc.dim("Your own sources: docs/guides/evidence.md. Checks in runbooks: docs/reference/checks.md"));
} catch (error) {
  // Errors after a signal are consequences of the stop.
  if (!isStoppedBySignal()) {
    console.error(`\n${describeFailure(error, { isLogKept: false })}`);
    process.exitCode = 1;
  }
}

function say(text: string): void {
  console.log(`  ${text}`);
}

async function triageLockQueue(prometheus: string | null): Promise<TriageResult> {
  say("starting a database, a vector store and an embedder ...");
  const stack = await startStack({
    dir: join(DIR, "stack"),
    ephemeral: true,
    services: ["gateway", "chroma"],
  });
  try {
    say("making a problem: a session forgets its transaction, a schema change waits, queries queue up ...");
    await using queue = await createLockQueue(stack.info.urls.postgres);
    await using metrics = prometheus === null ? null : await startMetrics(prometheus, queue);
    return await triage(stack, {
      POSTGRES_CHECKS_URL: queue.url,
      POSTGRES_CHECKS_CREDENTIAL: queue.credential,
      ...(metrics === null ? {} : { PROMETHEUS_URL: metrics.url }),
    });
  } finally {
    await stack.stop();
  }
}

async function startMetrics(program: string, queue: LockQueue) {
  say("starting Prometheus with the metrics of the database ...");
  let { used, waiting, max } = await queue.sessions();
  return startPrometheus(program, {
    dir: join(DIR, "prometheus"),
    probe: "pg_stat_activity_count",
    metrics: () => {
      void queue.sessions().then(
        (now) => ({ used, waiting, max } = now),
        () => {},
      );
      const labels = `{instance="${INSTANCE}"}`;
      return [
        `pg_stat_activity_count${labels} ${used}`,
        `orders_db_waiting_sessions${labels} ${waiting}`,
        `pg_settings_max_connections${labels} ${max}`,
        `pg_up${labels} 1`,
        "",
      ].join("\n");
    },
  });
}

async function triage({ workerEnv, info }: Stack, sources: Readonly<Record<string, string>>): Promise<TriageResult> {
  const { origin, domains } = await readRunbookFolder();
  await loadRunbooks({ origin, domains: domains.filter(({ name }) => name === DOMAIN) }, { env: workerEnv });
  await loadRunbooks(await readRunbookFolder(TEAM_RUNBOOKS), { env: workerEnv });
  const post = createPoster({ ...workerEnv, ...sources }, info.token);
  await post("/v1/changes", {
    service: "orders",
    kind: "deployment",
    title: "orders 4.12.0",
    version: "4.12.0",
    by: "dana",
    at: new Date(Date.now() - CHANGE_AGE_MS).toISOString(),
  });
  say("the alert arrives ...");
  return triageResultSchema.parse(await post("/v1/triage", ALERT));
}

/**
 * Sends requests to the application in this process, and waits for the background tasks of each, which fill the memory.
 * A failure shows in the response: the log would stand between the lines of the start.
 */
function createPoster(env: Environment, token: string): (path: string, body: object) => Promise<unknown> {
  const app = createApp(createServices({ ...env, ...PATIENT }, { log: () => {} }));
  return async (path, body) => {
    const tasks: Promise<unknown>[] = [];
    const context: ExecutionContext = {
      waitUntil: (task) => void tasks.push(task),
      passThroughOnException: () => {},
      props: {},
    };
    const request = new Request(`http://127.0.0.1${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const response = await app.fetch(request, {}, context);
    const answer: unknown = await response.json();
    // A task may add another.
    while (tasks.length > 0) await tasks.shift();
    if (!response.ok) throw new Error(`${path} ended with status ${response.status}: ${JSON.stringify(answer)}`);
    return answer;
  };
}
