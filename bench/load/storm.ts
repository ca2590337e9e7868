// An alert storm: webhooks of 100 alerts of ten rules, as Alertmanager sends them. A 503 is sent again, as it does.

import { setTimeout as delay } from "node:timers/promises";
import type { Stack } from "../../dev/stack/stack.ts";
import { withDatabase } from "./index-check.ts";
import { add, inParallel, post } from "./triages.ts";

const ALERTS_PER_WEBHOOK = 100;
const RULES = 10;
const RESEND_MS = 1_000;

export async function sendStorm(
  stack: Stack,
  { webhooks, concurrency }: { readonly webhooks: number; readonly concurrency: number },
): Promise<string> {
  const statuses = new Map<string, number>();
  const started = performance.now();
  await inParallel(webhooks, concurrency, async (i) => {
    for (;;) {
      const status = await post(stack.info, "/v1/alerts/alertmanager", webhookOf(i)).then(
        async (response) => {
          await response.body?.cancel();
          return String(response.status);
        },
        () => "no answer",
      );
      add(statuses, status);
      if (status === "202") return;
      await delay(RESEND_MS);
    }
  });
  const seconds = (performance.now() - started) / 1_000;
  const [row] = await withDatabase(
    stack,
    (sql) => sql`select count(*)::int as alerts, count(distinct fingerprint)::int as fingerprints,
      count(distinct incident_id)::int as incidents from public.alerts where fingerprint like 'load-%'`,
  );
  const answers = [...statuses].map(([status, n]) => `${n} × ${status}`).join(", ");
  return `  ${answers} in ${seconds.toFixed(1)} s; stored ${row?.alerts} alerts, ${row?.fingerprints} fingerprints, ${row?.incidents} incidents`;
}

function webhookOf(n: number) {
  const alerts = Array.from({ length: ALERTS_PER_WEBHOOK }, (_, i) => ({
    status: "firing",
    labels: { alertname: `LoadRule${i % RULES}`, severity: "warning", namespace: "shop", pod: `checkout-${n}-${i}` },
    annotations: {
      summary: `checkout-${n}-${i} is crash looping`,
      description: "Back-off restarting failed container",
    },
    startsAt: "2026-03-01T02:55:12Z",
    fingerprint: `load-${n}-${i}`,
  }));
  return { version: "4", groupKey: `{}:${n}`, receiver: "dejavu", status: "firing", alerts };
}
