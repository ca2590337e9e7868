// Titles that name no cause, and log lines without information about a failure.

/** As monitors and people report a failure that they know nothing about. */
export const VAGUE_TITLES: readonly string[] = [
  "Service availability disruption",
  "{service} is down",
  "[Something is|Things are] wrong with {service} {since}",
  "Degraded performance on {service}",
  "High error rate",
  "Users report errors",
  "Customer facing outage {since}",
  "{service} [not working|broken] {since}",
  "Elevated latency in {ns}",
  "Synthetic check failed for {service}",
  "SLO burn rate too high",
  "Incident: {service} unhealthy",
  "[P1|P2|SEV2] {service} degraded",
  "{service} alert",
  "Multiple 5xx responses from {service}",
  "Application unavailable",
];

export const NOISE: readonly string[] = [
  "INFO GET /api/v2/orders/{big} 200 {n}ms",
  "INFO POST /internal/events 202 {n}ms request_id={id}",
  "DEBUG gc pause {n}ms",
  "INFO connected to cache at {ip}:6379",
  "INFO flushed {big} metrics",
  "INFO scheduler tick {big}",
  "DEBUG feature flags refreshed ({n} flags)",
  "INFO worker {n} picked job {id}",
  "WARN deprecated header x-legacy-id from client {n}",
  "INFO config reloaded, checksum {id}",
];
