// A Prometheus server for the demo: it scrapes metrics of this process every second. It ends with this process, also after
// a kill: the shell that started it waits for the end of its standard input.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { delimiter, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import getPort from "get-port";

export interface DemoPrometheus extends AsyncDisposable {
  readonly url: string;
}

const SCRIPT = '"$@" & child=$!; read -r _; kill "$child" 2>/dev/null; wait "$child"';
const POLL_MS = 200;

/** The path of the program; null if it is not installed. */
export function findPrometheus(path = process.env.PATH ?? ""): string | null {
  const candidates = path.split(delimiter).filter(Boolean);
  return candidates.map((folder) => join(folder, "prometheus")).find(isExecutable) ?? null;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * @param metrics in the text format of Prometheus; read at each scrape
 * @param probe a query that has a result once the metrics are there
 * @throws Error when the server does not answer the probe in 30 s
 */
export async function startPrometheus(
  program: string,
  { dir, metrics, probe }: { readonly dir: string; readonly metrics: () => string; readonly probe: string },
): Promise<DemoPrometheus> {
  const exporter = createServer((_, response) => {
    response.setHeader("content-type", "text/plain; version=0.0.4").end(metrics());
  });
  exporter.listen(0, "127.0.0.1");
  await once(exporter, "listening");
  const { port: exporterPort } = exporter.address() as AddressInfo;
  const port = await getPort({ host: "127.0.0.1" });
  const url = `http://127.0.0.1:${port}`;
  mkdirSync(dir, { recursive: true });
  const config = {
    global: { scrape_interval: "1s" },
    scrape_configs: [
      { job_name: "demo", honor_labels: true, static_configs: [{ targets: [`127.0.0.1:${exporterPort}`] }] },
    ],
  };
  // JSON is YAML.
  writeFileSync(join(dir, "prometheus.yml"), JSON.stringify(config));
  const args = [
    `--config.file=${join(dir, "prometheus.yml")}`,
    `--storage.tsdb.path=${join(dir, "data")}`,
    `--web.listen-address=127.0.0.1:${port}`,
    "--log.level=error",
  ];
  // Ctrl-C reaches the process group: the shell must outlive it to end the server in order.
  const child = spawn("sh", ["-c", SCRIPT, "sh", program, ...args], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  const stop = async () => {
    child.stdin.end();
    if (child.exitCode === null) await once(child, "exit");
    exporter.closeAllConnections();
    exporter.close();
  };
  try {
    await waitForData(url, { probe, child });
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, [Symbol.asyncDispose]: stop };
}

/** Waits as long as Prometheus runs: on a busy machine its first scrape takes a while. */
async function waitForData(
  url: string,
  { probe, child }: { readonly probe: string; readonly child: ChildProcess },
): Promise<void> {
  const query = new URLSearchParams({ query: probe });
  while (child.exitCode === null) {
    const answer = await fetch(`${url}/api/v1/query?${query}`).then(
      (response) => response.text(),
      () => "",
    );
    if (answer.includes('"value"')) return;
    await pause(POLL_MS);
  }
  throw new Error(`Prometheus ended with code ${child.exitCode}.`);
}
