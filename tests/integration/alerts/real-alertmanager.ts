// Starts the Alertmanager that is installed on this machine, on a free port and with a folder of its own.

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import getPort from "get-port";
import { stringify } from "yaml";

const BINARIES = ["prometheus-alertmanager", "alertmanager"];
const PATIENCE_MS = 20_000;

/** The name of the installed program; undefined where there is none. */
export const ALERTMANAGER = BINARIES.find((name) => spawnSync(name, ["--version"]).status === 0);

export interface Alertmanager extends AsyncDisposable {
  /** Tells it of alerts, as Prometheus does. */
  push(alerts: readonly PushedAlert[]): Promise<void>;
}

export interface PushedAlert {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly startsAt: string;
  readonly endsAt?: string;
}

/** @param webhook the receiver, and the token that it wants */
export async function startAlertmanager(
  program: string,
  webhook: { readonly url: string; readonly token: string },
): Promise<Alertmanager> {
  const folder = await mkdtemp(join(tmpdir(), "dejavu-alertmanager-"));
  const config = {
    route: {
      receiver: "dejavu",
      group_by: ["alertname"],
      group_wait: "0s",
      group_interval: "1s",
      repeat_interval: "1h",
    },
    receivers: [
      {
        name: "dejavu",
        webhook_configs: [
          {
            url: webhook.url,
            send_resolved: true,
            max_alerts: 500,
            http_config: { authorization: { credentials: webhook.token } },
          },
        ],
      },
    ],
  };
  await writeFile(join(folder, "alertmanager.yml"), stringify(config));
  const address = `127.0.0.1:${await getPort({ host: "127.0.0.1" })}`;
  const child = spawn(
    program,
    [
      `--config.file=${join(folder, "alertmanager.yml")}`,
      `--storage.path=${join(folder, "data")}`,
      `--web.listen-address=${address}`,
      // No cluster: it would listen on a port of its own.
      "--cluster.listen-address=",
    ],
    { stdio: "ignore" },
  );
  const dispose = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill("SIGKILL");
      await once(child, "exit");
    }
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await untilReady(`http://${address}/-/ready`);
  } catch (error) {
    await dispose();
    throw error;
  }
  return {
    async push(alerts) {
      const response = await fetch(`http://${address}/api/v2/alerts`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(alerts),
      });
      if (!response.ok) throw new Error(`Alertmanager refused the alerts: ${await response.text()}`);
    },
    [Symbol.asyncDispose]: dispose,
  };
}

async function untilReady(url: string): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const response = await fetch(url).catch(() => null);
    if (response?.ok) return;
    if (performance.now() > deadline) throw new Error("Alertmanager did not become ready.");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
