// Starts an Alertmanager on a free port with its own folder.

import { join } from "node:path";
import { stringify } from "yaml";
import { startServer } from "../support/servers/server-process.ts";

export interface Alertmanager extends AsyncDisposable {
  /** Sends alerts to it, as Prometheus does. */
  push(alerts: readonly PushedAlert[]): Promise<void>;
}

export interface PushedAlert {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly startsAt: string;
  readonly endsAt?: string;
}

/** @param program its path @param webhook the receiver and its token */
export async function startAlertmanager(
  program: string,
  webhook: { readonly url: string; readonly token: string },
): Promise<Alertmanager> {
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
  const server = await startServer(program, {
    name: "alertmanager",
    files: { "alertmanager.yml": stringify(config) },
    args: (folder, address) => [
      `--config.file=${join(folder, "alertmanager.yml")}`,
      `--storage.path=${join(folder, "data")}`,
      `--web.listen-address=${address}`,
      // No cluster: it would listen on another port.
      "--cluster.listen-address=",
    ],
  });
  return {
    async push(alerts) {
      const response = await fetch(`${server.url}/api/v2/alerts`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(alerts),
      });
      if (!response.ok) throw new Error(`Alertmanager refused the alerts: ${await response.text()}`);
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
