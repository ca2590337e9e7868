// The webhooks of a burst, as Alertmanager sends them: one group for each team, alert name and namespace.

import type { Team } from "./teams.ts";

export interface Webhook {
  /** The same in each plan of a burst, whatever its times. */
  readonly id: string;
  readonly team: Team;
  /** Alerts in it. */
  readonly alerts: number;
  /** Virtual milliseconds when it is first sent. */
  readonly sentAt: number;
  /** Sent a second time, by the other Alertmanager of a pair. */
  readonly isRepeat: boolean;
  readonly body: unknown;
}

export interface BurstOptions {
  readonly teams: readonly Team[];
  /** Distinct alerts. */
  readonly alerts: number;
  /** Alert names of each team. */
  readonly rules: number;
  /** Each alert name of a team has a webhook for each; 2 by default. */
  readonly namespaces?: number;
  /** Share of the webhooks that are sent twice, 0 to 1. */
  readonly repeats: number;
  /** Seconds in which the webhooks are first sent. */
  readonly seconds: number;
  readonly startedAt: Date;
  readonly random: () => number;
}

/** Symptoms that differ in their words, so that not all incidents are one failure. */
const RULES = [
  { name: "KubePodCrashLooping", text: "Back-off restarting failed container in pod", reason: "CrashLoopBackOff" },
  {
    name: "KubePodNotReady",
    text: "Readiness probe failed: HTTP probe failed with statuscode: 503 in pod",
    reason: "Unhealthy",
  },
  {
    name: "HighErrorRate",
    text: "upstream connect error or disconnect/reset before headers for pod",
    reason: "Http5xx",
  },
  { name: "ContainerOomKilled", text: "Container was OOMKilled, exit code 137, in pod", reason: "OOMKilled" },
  {
    name: "DatabaseConnectionsExhausted",
    text: "remaining connection slots are reserved, seen by pod",
    reason: "TooManyConnections",
  },
  { name: "DiskAlmostFull", text: "No space left on device reported by pod", reason: "DiskPressure" },
] as const;
const NAMESPACES = ["shop", "payments"] as const;
/** The other Alertmanager of a pair sends after its wait for the first. */
const REPEAT_AFTER_MS = 15_000;

export function createWebhooks(options: BurstOptions): Webhook[] {
  const { teams, alerts, rules, namespaces = NAMESPACES.length, repeats, seconds, random } = options;
  const first = teams.flatMap((team, teamPlace) => {
    const groups = groupsOf(alertsOf(alerts, teams.length, teamPlace), rules, namespaces);
    return groups.map((group): Webhook => {
      const sentAt = Math.floor(random() * seconds * 1_000);
      const id = `${team.name}/${group.rule}/${group.namespace}`;
      return { id, team, alerts: group.count, sentAt, isRepeat: false, body: bodyOf(options, team, group) };
    });
  });
  const again = first
    .filter(() => random() < repeats)
    .map((webhook) => ({
      ...webhook,
      id: `${webhook.id}/repeat`,
      sentAt: webhook.sentAt + REPEAT_AFTER_MS,
      isRepeat: true,
    }));
  return [...first, ...again].sort((a, b) => a.sentAt - b.sentAt);
}

/** The alerts are shared out evenly. */
function alertsOf(total: number, teams: number, place: number): number {
  return Math.floor(total / teams) + (place < total % teams ? 1 : 0);
}

interface Group {
  readonly rule: number;
  readonly namespace: number;
  readonly count: number;
}

function groupsOf(alerts: number, rules: number, namespaces: number): Group[] {
  const size = rules * namespaces;
  return Array.from({ length: size }, (_, i) => ({
    rule: i % rules,
    namespace: Math.floor(i / rules),
    count: alertsOf(alerts, size, i),
  })).filter(({ count }) => count > 0);
}

function bodyOf({ startedAt }: BurstOptions, team: Team, { rule, namespace, count }: Group) {
  const { name, text, reason } = RULES[rule % RULES.length] ?? RULES[0];
  const alertname = rule < RULES.length ? name : `${name}${Math.floor(rule / RULES.length)}`;
  const labels = { alertname, namespace: NAMESPACES[namespace] ?? "shop", team: team.name, severity: "warning" };
  const alerts = Array.from({ length: count }, (_, i) => {
    const pod = `${team.name}-${rule}-${i}`;
    return {
      status: "firing",
      labels: { ...labels, pod, container: "app", job: "kube-state-metrics", reason },
      annotations: { summary: `${alertname} on ${pod}`, description: `${text} ${labels.namespace}/${pod}` },
      startsAt: startedAt.toISOString(),
      fingerprint: `${team.name}-${rule}-${namespace}-${i}`,
    };
  });
  return {
    version: "4",
    groupKey: `{}:{alertname="${alertname}", namespace="${labels.namespace}", team="${team.name}"}`,
    receiver: "dejavu",
    status: "firing",
    groupLabels: { alertname, namespace: labels.namespace, team: team.name },
    commonLabels: labels,
    alerts,
  };
}
