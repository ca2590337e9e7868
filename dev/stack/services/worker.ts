/**
 * The Worker under `wrangler dev`. Everything wrangler writes (state, temporary bundles, its registry of other dev
 * sessions) goes to the data folder, where it also runs and finds a copy of its configuration: so stacks of one
 * checkout neither share nor sweep each other's files, and the checkout may be read-only.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { baseEnvironment } from "../environment.ts";
import type { StackPaths } from "../paths.ts";
import { writeFileAtomic } from "../system/atomic-file.ts";
import { respondsWith200 } from "./http-health.ts";
import type { PartSpec } from "./service.ts";

export interface WorkerOptions {
  port: number;
  paths: StackPaths;
  projectDir: string;
  workerEnv: Record<string, string>;
  /** In place of every rate limit of the configuration. */
  requestsPerMinute: number | undefined;
}

export function workerSpec({ port, paths, projectDir, workerEnv, requestsPerMinute }: WorkerOptions): PartSpec {
  const home = paths.wrangler;
  const temporary = join(home, "tmp");
  const configuration = join(home, "wrangler.toml");
  return {
    name: "worker",
    port,
    command: process.execPath,
    args: [
      ...["--no-warnings", findWrangler(), "dev", join(projectDir, "functions/index.ts")],
      ...["--config", configuration, "--env-file", paths.workerEnv, "--persist-to", join(home, "state")],
      ...["--ip", "127.0.0.1", "--port", String(port), "--inspector-ip", "127.0.0.1", "--inspector-port", "0"],
      // "log" is the level of the Worker's own console.log.
      ...["--show-interactive-dev-session=false", "--log-level", "log"],
    ],
    // Where wrangler makes its temporary bundles.
    cwd: home,
    env: {
      ...baseEnvironment(),
      HOME: home,
      TMPDIR: temporary,
      CLOUDFLARE_CF_FETCH_ENABLED: "false",
      WRANGLER_SEND_METRICS: "false",
      WRANGLER_SEND_ERROR_REPORTS: "false",
      WRANGLER_HIDE_BANNER: "true",
      WRANGLER_WRITE_LOGS: "false",
      WRANGLER_CACHE_DIR: join(home, "cache"),
      WRANGLER_REGISTRY_PATH: join(home, "registry"),
      WRANGLER_CI_DISABLE_CONFIG_WATCHING: "true",
    },
    stopSignal: "SIGTERM",
    graceMs: 5_000,
    startTimeoutMs: 60_000,
    prepare() {
      // Bundles and sockets of a run that was killed.
      rmSync(temporary, { recursive: true, force: true });
      rmSync(join(home, ".wrangler"), { recursive: true, force: true });
      mkdirSync(temporary, { recursive: true });
      const source = withAbsoluteAssets(readFileSync(join(projectDir, "wrangler.toml"), "utf8"), projectDir);
      writeFileSync(configuration, requestsPerMinute === undefined ? source : withLimits(source, requestsPerMinute));
      writeFileAtomic(paths.workerEnv, formatEnvFile(workerEnv));
    },
    // wrangler then waits for the files to change; nothing but this text tells.
    failureInLog: { pattern: /Build failed with \d+ error/, meaning: "The Worker does not build." },
    isHealthy: () => respondsWith200(`http://127.0.0.1:${port}/health`),
  };
}

/** The configuration with this number in every rate limit. */
function withLimits(configuration: string, limit: number): string {
  return configuration.replace(/(?<=\{ limit = )\d+/g, String(limit));
}

/** The configuration with its folder of static files found from anywhere: wrangler looks for it beside the file. */
function withAbsoluteAssets(configuration: string, projectDir: string): string {
  return configuration.replace(
    /^(\[assets\]\ndirectory = )"(.+)"$/m,
    (_, setting: string, directory: string) => setting + JSON.stringify(resolve(projectDir, directory)),
  );
}

/** wrangler's own program, not its launcher, which would be one more process between us and workerd. */
function findWrangler(): string {
  const require = createRequire(import.meta.url);
  return join(dirname(require.resolve("wrangler/package.json")), "wrangler-dist/cli.js");
}

/** One variable a line, quoted as dotenv reads it back. */
function formatEnvFile(variables: Record<string, string>): string {
  return Object.entries(variables)
    .map(([name, value]) => `${name}=${quote(value)}\n`)
    .join("");
}

/** dotenv knows no escapes but `\n` in double quotes, so the quote is chosen that the value does not hold. */
function quote(value: string): string {
  const mark = ["'", '"', "`"].find((candidate) => !value.includes(candidate));
  if (mark === undefined || (value.includes("\n") && mark === '"')) {
    throw new Error("A Worker variable holds every kind of quote: it cannot be written to an env file.");
  }
  return `${mark}${value}${mark}`;
}
