// The Worker under `wrangler dev`, and its cron jobs. wrangler runs in the data folder with a copy of its configuration
// and writes all its files there (state, temporary bundles, its registry of other dev sessions). So stacks of one
// checkout neither share nor delete each other's files, and the checkout may be read-only.

import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { JOB_NAMES, SCHEDULE } from "../../../functions/jobs/schedule.ts";
import { buildAssets } from "../assets/build-assets.ts";
import { writeFileAtomic } from "../system/atomic-file.ts";
import { baseEnvironment } from "../system/child-process.ts";
import { respondsWith200, type ServiceSpec } from "./service.ts";

const MINUTE_MS = 60_000;
const CRON_TIMEOUT_MS = 60_000;
const MAX_LOGGED_CHARS = 500;

export interface WorkerOptions {
  port: number;
  /** Working folder, home and temporary files of wrangler. */
  folder: string;
  /** File for the Worker's variables. */
  envFile: string;
  /** Folder of `wrangler.toml`, which names the script. */
  projectDir: string;
  workerEnv: Record<string, string>;
  /** Replaces every rate limit of the configuration. Undefined: they stay. */
  requestsPerMinute: number | undefined;
}

export function workerService(options: WorkerOptions): ServiceSpec {
  const { port, folder, envFile, projectDir } = options;
  const configuration = configurationIn(folder);
  return {
    name: "worker",
    port,
    command: process.execPath,
    args: [
      ...["--no-warnings", findWrangler(), "dev"],
      ...["--config", configuration, "--env-file", envFile, "--persist-to", join(folder, "state")],
      ...["--ip", "127.0.0.1", "--port", String(port), "--inspector-ip", "127.0.0.1", "--inspector-port", "0"],
      // "log" includes the Worker's own console.log.
      ...["--show-interactive-dev-session=false", "--log-level", "log"],
    ],
    // wrangler writes temporary bundles to its working folder.
    cwd: folder,
    env: {
      ...baseEnvironment(),
      HOME: folder,
      TMPDIR: temporaryIn(folder),
      CLOUDFLARE_CF_FETCH_ENABLED: "false",
      WRANGLER_SEND_METRICS: "false",
      WRANGLER_SEND_ERROR_REPORTS: "false",
      WRANGLER_HIDE_BANNER: "true",
      // Its store of traces and its page of stored data would keep requests, also those of deleted incidents.
      X_LOCAL_OBSERVABILITY: "false",
      X_LOCAL_EXPLORER: "false",
      WRANGLER_WRITE_LOGS: "false",
      WRANGLER_CACHE_DIR: join(folder, "cache"),
      WRANGLER_REGISTRY_PATH: join(folder, "registry"),
      WRANGLER_CI_DISABLE_CONFIG_WATCHING: "true",
    },
    stopSignal: "SIGTERM",
    graceMs: 5_000,
    prepare: async () => {
      await buildAssets(projectDir);
      writeFiles(options);
    },
    // wrangler waits for files to change: after a failed build, and while the Worker refuses its settings.
    failureInLog: [
      { pattern: /Build failed with \d+ error/, message: () => "The Worker does not build." },
      { pattern: INVALID_SETTINGS, message: ([, reason = ""]) => unquoted(reason) },
    ],
    isHealthy: (signal) => respondsWith200(`http://127.0.0.1:${port}/health`, signal),
  };
}

/** Calls the Worker's cron handler once. @throws Error when the Worker cannot be reached or the handler fails */
export async function callCron(workerUrl: string, cron: string): Promise<void> {
  const url = `${workerUrl}/cdn-cgi/handler/scheduled?${new URLSearchParams({ cron })}`;
  const response = await fetch(url, { signal: AbortSignal.timeout(CRON_TIMEOUT_MS) });
  const body = await response.text();
  if (!response.ok)
    throw new Error(`The Worker's cron handler answered ${response.status}: ${body.slice(0, MAX_LOGGED_CHARS)}`);
}

/**
 * Calls the cron handler on the schedule of each job, because `wrangler dev` fires no Cron Triggers. Failures are
 * logged. The timers do not keep the process alive. The returned function stops them.
 */
export function startCrons(workerUrl: string, logPath: string): () => void {
  const timers = JOB_NAMES.map((name) => {
    const { cron, everyMinutes } = SCHEDULE[name];
    const timer = setInterval(() => {
      callCron(workerUrl, cron).catch((error: unknown) => {
        appendFileSync(logPath, `${new Date().toISOString()} ${name}: ${error}\n`, { mode: 0o600 });
      });
    }, everyMinutes * MINUTE_MS);
    return timer.unref();
  });
  return () => timers.forEach(clearInterval);
}

/** A log line of the Worker, with its reason as JSON. */
const INVALID_SETTINGS = /"event":"config\.invalid".{0,500}?"error":("(?:[^"\\]|\\.){1,2000}")/;

/** The text of a JSON string. */
function unquoted(json: string): string {
  return String(JSON.parse(json));
}

function configurationIn(folder: string): string {
  return join(folder, "wrangler.toml");
}

function temporaryIn(folder: string): string {
  return join(folder, "tmp");
}

function writeFiles({ folder, envFile, projectDir, workerEnv, requestsPerMinute }: WorkerOptions): void {
  // A killed run leaves bundles and sockets.
  rmSync(temporaryIn(folder), { recursive: true, force: true });
  rmSync(join(folder, ".wrangler"), { recursive: true, force: true });
  rmSync(join(folder, "state", "v3", "observability"), { recursive: true, force: true });
  mkdirSync(temporaryIn(folder), { recursive: true });
  const source = localConfiguration(readFileSync(join(projectDir, "wrangler.toml"), "utf8"), projectDir);
  const configuration = requestsPerMinute === undefined ? source : withLimits(source, requestsPerMinute);
  writeFileSync(configurationIn(folder), configuration);
  writeFileAtomic(envFile, formatEnvFile(workerEnv));
}

/** The configuration with this number in every rate limit. */
function withLimits(configuration: string, limit: number): string {
  return configuration.replace(/(?<=\{ limit = )\d+/g, String(limit));
}

/** What only a hosted Worker has. A stack has its own variables, and builds the static files once for all its Workers. */
const HOSTED_SECTION = /^\[+(?:build|vars|ai|observability|env)\b/;

/**
 * The configuration without its hosted part, and with absolute paths to the script, the static files and the modules of
 * [alias]: wrangler resolves relative ones from the file.
 */
export function localConfiguration(configuration: string, projectDir: string): string {
  return withoutHostedPart(configuration).replace(
    /^(main = |\[assets\]\ndirectory = |"[^"]+" = )"(.+)"$/gm,
    (_, setting: string, path: string) => setting + JSON.stringify(resolve(projectDir, path)),
  );
}

export function withoutHostedPart(configuration: string): string {
  const sections = configuration.split(/^(?=\[)/m);
  return sections.filter((section) => !HOSTED_SECTION.test(section)).join("");
}

/** The program behind wrangler's launcher. The launcher would be one more process above workerd. */
function findWrangler(): string {
  const require = createRequire(import.meta.url);
  return join(dirname(require.resolve("wrangler/package.json")), "wrangler-dist/cli.js");
}

/** One variable a line, quoted for dotenv. */
function formatEnvFile(variables: Record<string, string>): string {
  return Object.entries(variables)
    .map(([name, value]) => `${name}=${quote(value)}\n`)
    .join("");
}

/** Uses a quote that the value does not contain: dotenv has no escapes but `\n` in double quotes. */
function quote(value: string): string {
  const quotationMark = ["'", '"', "`"].find((candidate) => !value.includes(candidate));
  if (quotationMark === undefined || (value.includes("\n") && quotationMark === '"')) {
    throw new Error("A Worker variable contains every kind of quote, so it cannot be written to an env file.");
  }
  return `${quotationMark}${value}${quotationMark}`;
}
