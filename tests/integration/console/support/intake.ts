// A runbook with checks, and steps that read and that change the system; a report that it answers; the change before it.

export const INTAKE = `# Order intake stalls

Orders pile up in the intake buffer and no order is confirmed.

## Likely causes

- **Consumer is gone.** No process reads the intake buffer.
- **Buffer disk is full.** The intake buffer refuses writes.
- **Pricing does not answer.** Each order waits for the pricing service.

## Confirm

1. Look at the disk of the intake buffer:

   \`\`\`sh
   kubectl exec <pod> -- df -h /var/lib/intake
   \`\`\`

2. List the consumers of the buffer: \`kubectl get pods -l app=consumer\`.

\`\`\`promql {check=disk match=instance cause="Buffer disk is full"}
intake_disk_used_ratio
\`\`\`
- confirms: any > 0.95: the disk of the buffer is full
- refutes: all < 0.8: the disk of the buffer has room
- else: inconclusive

\`\`\`promql {check=consumers match=instance cause="Consumer is gone"}
intake_consumers
\`\`\`
- confirms: all = 0: no consumer is connected
- refutes: all > 0: consumers are connected
- else: inconclusive

\`\`\`promql {check=pricing match=instance cause="Pricing does not answer"}
pricing_latency_seconds
\`\`\`
- confirms: any > 5: pricing is slow
- else: inconclusive

## Mitigate

1. (changes state) Free space on the disk. Segments that are not confirmed stay.

   \`\`\`sh
   kubectl exec <pod> -- intake purge --confirmed
   \`\`\`

   Undo: not needed.

2. Restart the intake with \`kubectl rollout restart deployment/intake\`.
`;

const AT = new Date("2026-03-01T03:00:00Z");

export const minutesBefore = (minutes: number) => new Date(AT.getTime() - minutes * 60_000);

/** The labels of the intake's metrics. */
export const INTAKE_PLACE = { instance: "intake-1:9000" };

const orders = (count: number, minute: string) =>
  Array.from({ length: count }, (_, i) => `2026-03-01T02:${minute}:${10 + i}Z INFO intake accepted order ${1_000 + i}`);

export const STALLED = {
  title: "Order intake stalls: orders pile up in the intake buffer",
  target: "orders",
  severity: "critical",
  labels: { alertname: "OrderIntakeStalls", ...INTAKE_PLACE, service: "orders" },
  generator_url: "http://metrics.example:9090/graph?g0.expr=intake_disk_used_ratio+%3E+0.9&g0.tab=1",
  logs: [
    ...orders(40, "57"),
    "2026-03-01T02:58:01Z ERROR intake: cannot write segment 0042: No space left on device",
    ...orders(30, "58"),
    "2026-03-01T02:59:07Z ERROR intake: cannot write segment 0042: No space left on device",
  ].join("\n"),
};

export const DEPLOYMENT = {
  kind: "deployment",
  service: "orders",
  version: "4.2.0",
  title: "orders 4.2.0",
  by: "dana",
  at: minutesBefore(12).toISOString(),
  url: "https://ci.example/runs/42",
};
