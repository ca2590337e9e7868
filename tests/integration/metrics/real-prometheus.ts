// Runs Debian's Prometheus on a free port with its own folder, and promtool, which checks metrics and rules.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { stringify } from "yaml";
import { z } from "zod";
import { startServer } from "../support/servers/server-process.ts";

/** Enough for a busy machine. */
const TIMEOUT_MS = 60_000;

export interface Verdict {
  readonly code: number | null;
  readonly output: string;
}

/** @param program its path @param input its standard input */
export async function promtool(program: string, args: readonly string[], input = ""): Promise<Verdict> {
  const child = spawn(program, [...args], { timeout: TIMEOUT_MS });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  child.stdin.end(input);
  await once(child, "close");
  return { code: child.exitCode, output };
}

export interface Prometheus extends AsyncDisposable {
  /** The result of an instant query: labels and value of each series. */
  query(expression: string): Promise<readonly { readonly labels: Record<string, string>; readonly value: number }[]>;
  /** Names of the alerts in the loaded rules. */
  alertNames(): Promise<string[]>;
}

const answerSchema = z.object({
  data: z.object({
    result: z.array(z.object({ metric: z.record(z.string(), z.string()), value: z.tuple([z.number(), z.string()]) })),
  }),
});
const rulesSchema = z.object({
  data: z.object({ groups: z.array(z.object({ rules: z.array(z.object({ name: z.string() })) })) }),
});

/** @param program its path @param scrape the scrape configurations @param rules paths of rule files */
export async function startPrometheus(
  program: string,
  { scrape, rules }: { readonly scrape: readonly object[]; readonly rules: readonly string[] },
): Promise<Prometheus> {
  const config = { global: { scrape_interval: "1s" }, rule_files: rules, scrape_configs: scrape };
  const server = await startServer(program, {
    name: "prometheus",
    files: { "prometheus.yml": stringify(config) },
    args: (folder, address) => [
      `--config.file=${join(folder, "prometheus.yml")}`,
      `--storage.tsdb.path=${join(folder, "data")}`,
      `--web.listen-address=${address}`,
    ],
  });
  const get = async (path: string): Promise<unknown> => (await fetch(`${server.url}${path}`)).json();
  return {
    async query(expression) {
      const { data } = answerSchema.parse(await get(`/api/v1/query?${new URLSearchParams({ query: expression })}`));
      return data.result.map(({ metric, value }) => ({ labels: metric, value: Number(value[1]) }));
    },
    async alertNames() {
      const { data } = rulesSchema.parse(await get("/api/v1/rules?type=alert"));
      return data.groups.flatMap((group) => group.rules.map(({ name }) => name));
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
