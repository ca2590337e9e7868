// Calls of command lines, wrangler's above all: bounded in time, with failures as values.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { REPO_DIR } from "../stack/paths.ts";
import { nameForWrangler } from "./environment.ts";

const WRANGLER = join(REPO_DIR, "node_modules/wrangler/bin/wrangler.js");

export interface WranglerOptions {
  readonly configPath: string;
  readonly environment: string;
  readonly timeoutMs: number;
  /** In place of those of this process, such as the account. */
  readonly variables?: Readonly<Record<string, string>>;
}

export type WranglerFailure = "timeout" | "network" | "login" | "no_worker" | "other";

export type WranglerResult =
  | { readonly ok: true; readonly out: string }
  | { readonly ok: false; readonly failure: WranglerFailure; readonly detail: string };

const running = new Set<ChildProcess>();

/** Ends all calls and then this process when it is stopped: the terminal's Ctrl-C does not reach their groups. */
export function stopOnSignal(): void {
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      for (const { pid } of running) killGroup(pid);
      process.exit(130);
    });
  }
}

const QUIET = {
  WRANGLER_SEND_METRICS: "false",
  WRANGLER_HIDE_BANNER: "true",
  WRANGLER_WRITE_LOGS: "false",
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
  NO_COLOR: "1",
  CI: "1",
};

/** Runs one command and waits for its end, or kills it and its children at the timeout. */
export async function runWrangler(words: readonly string[], options: WranglerOptions): Promise<WranglerResult> {
  const { configPath, environment, timeoutMs, variables } = options;
  const args = [WRANGLER, ...words, "--config", configPath, "--env", nameForWrangler(environment)];
  const result = await runProgram(args, { ...process.env, ...QUIET, ...variables }, timeoutMs);
  return result.ok || result.failure === "timeout" ? result : describeFailure(result.detail);
}

/** Logs in at a browser, on the terminal of this process. @returns whether it succeeded */
export async function logIn(): Promise<boolean> {
  const child = spawn(process.execPath, [WRANGLER, "login"], { cwd: REPO_DIR, stdio: "inherit" });
  const [code] = await once(child, "close");
  return code === 0;
}

/** Runs a program of Node. `detail` of a failure has all that it printed. */
export async function runProgram(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  timeoutMs: number,
): Promise<WranglerResult> {
  const child = spawn(process.execPath, args, {
    cwd: REPO_DIR,
    env,
    stdio: ["ignore", "pipe", "pipe"],
    // A group of its own: wrangler starts a second process.
    detached: true,
  });
  let out = "";
  let problems = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    out += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    problems += text;
  });
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    killGroup(child.pid);
  }, timeoutMs);
  running.add(child);
  try {
    const [code] = await once(child, "close");
    if (code === 0) return { ok: true, out: stripVTControlCharacters(out) };
  } finally {
    clearTimeout(timer);
    running.delete(child);
  }
  if (isLate) return { ok: false, failure: "timeout", detail: `no answer within ${timeoutMs / 1_000} s` };
  return { ok: false, failure: "other", detail: stripVTControlCharacters(`${problems}\n${out}`) };
}

const FAILURES: readonly { readonly failure: WranglerFailure; readonly pattern: RegExp }[] = [
  { failure: "no_worker", pattern: /Worker "[^"]*"[^\n]*not found|code: 10007|has no deployments/ },
  {
    failure: "login",
    pattern:
      /not logged in|not authenticated|"loggedIn": ?false|CLOUDFLARE_API_TOKEN|Authentication error|code: (?:10000|9109|9106|1000|10001|6003)\b/i,
  },
  { failure: "network", pattern: /fetch failed|ENOTFOUND|ECONNREFUSED|ECONNRESET|EAI_AGAIN|ETIMEDOUT|socket|network/i },
];

/** @param text what wrangler printed */
export function describeFailure(text: string): WranglerResult {
  const failure = FAILURES.find(({ pattern }) => pattern.test(text))?.failure ?? "other";
  const lines = text.split("\n").map((line) => line.trim());
  const detail = lines.find((line) => line.includes("[ERROR]")) ?? lines.find((line) => line !== "") ?? "no output";
  if (detail.startsWith("{")) return { ok: false, failure, detail: "nobody is logged in" };
  return { ok: false, failure, detail: detail.replace(/^.*\[ERROR\]\s*/, "").slice(0, 300) };
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    // It has just ended by itself.
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}
