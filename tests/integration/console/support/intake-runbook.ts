// A runbook with checks, and steps that read and that change the system.

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
