// Runs Debian's Prometheus on a free port with its own folder, and promtool, which checks metrics and rules.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";
import { z } from "zod";
import { findProgram } from "../../support/debian.ts";
import { startServer } from "../support/servers/server-process.ts";

export interface Verdict {
  readonly code: number | null;
  readonly output: string;
}

/** @param program its path @param input its standard input */
export async function promtool(program: string, args: readonly string[], input = ""): Promise<Verdict> {
  const child = spawn(program, [...args]);
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
  readonly url: string;
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

export interface PrometheusOptions {
  /** The scrape configurations. */
  readonly scrape?: readonly object[];
  /** Paths of rule files. */
  readonly rules?: readonly string[];
  /** Stored samples from before the start, made with `sample()`. */
  readonly history?: readonly string[];
}

/** A line of OpenMetrics: a sample at a time. */
export function sample(
  name: string,
  labels: Readonly<Record<string, string>>,
  value: number | string,
  at: Date,
): string {
  const escaped = Object.entries(labels).map(
    ([label, text]) => `${label}="${text.replace(/[\\"]/g, "\\$&").replaceAll("\n", "\\n")}"`,
  );
  return `${name}{${escaped.join(",")}} ${value} ${at.getTime() / 1_000}`;
}

/** @param program its path */
export async function startPrometheus(
  program: string,
  { scrape = [], rules = [], history = [] }: PrometheusOptions,
): Promise<Prometheus> {
  const config = { global: { scrape_interval: "1s" }, rule_files: rules, scrape_configs: scrape };
  const storage = await mkdtemp(join(tmpdir(), "dejavu-prometheus-data-"));
  if (history.length > 0) await backfill(history, storage);
  const server = await startServer(program, {
    name: "prometheus",
    files: { "prometheus.yml": stringify(config) },
    args: (folder, address) => [
      `--config.file=${join(folder, "prometheus.yml")}`,
      `--storage.tsdb.path=${storage}`,
      "--storage.tsdb.retention.time=100y",
      `--web.listen-address=${address}`,
    ],
  });
  const get = async (path: string): Promise<unknown> => (await fetch(`${server.url}${path}`)).json();
  return {
    url: server.url,
    async query(expression) {
      const { data } = answerSchema.parse(await get(`/api/v1/query?${new URLSearchParams({ query: expression })}`));
      return data.result.map(({ metric, value }) => ({ labels: metric, value: Number(value[1]) }));
    },
    async alertNames() {
      const { data } = rulesSchema.parse(await get("/api/v1/rules?type=alert"));
      return data.groups.flatMap((group) => group.rules.map(({ name }) => name));
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await rm(storage, { recursive: true, force: true });
    },
  };
}

/** Writes blocks of samples. @throws Error with the output of promtool */
async function backfill(history: readonly string[], storage: string): Promise<void> {
  const file = join(storage, "history.om");
  await writeFile(file, `${history.join("\n")}\n# EOF\n`);
  const program = await findProgram("promtool");
  const { code, output } = await promtool(program ?? "promtool", [
    ...["tsdb", "create-blocks-from", "openmetrics", file, storage],
  ]);
  if (code !== 0) throw new Error(`promtool wrote no blocks: ${output}`);
}
