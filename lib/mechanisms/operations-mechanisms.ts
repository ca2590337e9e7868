// Failure mechanisms of scheduling, rollouts, clocks and services of others.

import type { Mechanism } from "./mechanism.ts";

export const OPERATIONS_MECHANISMS: readonly Mechanism[] = [
  {
    name: "unschedulable",
    label: "work cannot be scheduled",
    broader: ["resource-exhausted"],
    phrases: {
      sure: `unschedulable, FailedScheduling, nodes available, insufficient|not-enough cpu|gpu|pods|ephemeral|vcpu|nodes|instance
        no * nodes|hosts|runners|agents available|match|suitable|meets|found|satisfying, not scheduled|placed|allocated
        {cannot} schedule|place * task|pod|job|instance|allocation|container, stuck|remain|still pending, no capacity
        placement {failed}, no valid host, failed place, {cannot} * acquire|fulfill|get * resources|slots, no fit
        no resource available, predicate`,
      likely: `pending * pods|tasks|nodes|jobs, pod pending, placement, status pending, free slots, slots available|total|0`,
    },
  },
  {
    name: "placement-constraint",
    label: "no machine satisfies a placement rule",
    broader: ["unschedulable"],
    phrases: {
      sure: `toleration & tolerate|untolerated|none|not, taint, affinity, node selector, topology spread
        constraint & filtered|matching|satisfy|meets|met|not|missing|class|attr|node, cordoned, node labels, excluded filter
        nodes excluded`,
    },
  },
  {
    name: "node-down",
    label: "a machine or its agent is down",
    broader: [],
    phrases: {
      sure: `{machine}|agent {down}|rebooted|failed-over, notready, node status unknown, stopped posting
        heartbeat & missed|lost|{failed}|expired|late|no, ehostdown, instance terminated|retired|failed
        hardware|psu failure|loss|outage|fault, unexpected reboot, declared|marked dead`,
      hint: "reboot",
    },
  },
  {
    name: "evicted",
    label: "work was evicted from its machine",
    broader: [],
    phrases: {
      sure: `evicted|eviction & pod|node|container|task|job|low|because|threshold|manager, low resource
        ephemeral storage & exceeded|limit, preemption, spot * interruption|terminated|interrupted|reclaimed
        instance|node|vm reclaimed`,
      hint: "evicted",
    },
  },
  {
    name: "autoscaling-stuck",
    label: "automatic scaling does not work",
    broader: [],
    phrases: {
      sure: `autoscaler|autoscaling|scaler|hpa|scaling & {bad}|limited|unable, {cannot} * get|fetch|read|compute * metric
        missing request, max|maximum replicas|instances|nodes|size reached|hit`,
    },
  },
  {
    name: "no-instances",
    label: "a service runs no instance",
    broader: [],
    phrases: {
      sure: `scaled 0|zero, 0|zero|no {unit} running|ready|up|left, replicas|instances|desired-count|min-instances 0|zero
        zero replicas|instances|pods|workers, no web processes, not running`,
    },
  },
  {
    name: "policy-rejected",
    label: "a policy rejects a change or request",
    broader: ["access-denied"],
    phrases: {
      sure: `admission & {denied}|webhook|controller, denied request, policy & violation|violated|{denied}, waf, protected branch
        branch protection, failed calling webhook, pod security`,
    },
  },
  {
    name: "rollout-stuck",
    label: "a rollout does not finish",
    broader: [],
    symptom: true,
    phrases: {
      sure: `progress deadline, rollout|deployment|deploy|release|upgrade|stack|apply & {bad}|stalled|hangs|paused
        disruption budget, drain & {bad}|hangs, terminating|deleting & stuck|forever|hours, another operation progress
        finalizer, not become ready|stable, waiting * condition`,
    },
  },
  {
    name: "after-deploy",
    label: "it began with a new version",
    broader: [],
    symptom: true,
    phrases: {
      likely: `after|since|following|caused-by|introduced-in * {change}
        bad|broken|faulty|last|latest|recent|new {change}|version|build, regression, rolled back, rollback, reverted`,
    },
  },
  {
    name: "changed-config",
    label: "a changed setting or flag caused it",
    broader: [],
    phrases: {
      sure: `feature flag|toggle, flag & enabled|turned|flipped|disabled|toggled|targeting
        config|configuration|policy|rule|flag|parameter & change|push|drift|updated|modified, default * changed
        changed default, since|after tuning|change, new settings`,
      likely: "flag evaluation|key|history|audit, config refresh|server|repo|history, variant",
      hint: "flag, diff, git log, reconfiguring, refresh keys, config reload",
    },
  },
  {
    name: "clock-skew",
    label: "clocks disagree",
    broader: [],
    phrases: {
      sure: `clock|ntp|time & skew|drift|unsynchronized|not-synchronized|jumped|wrong
        clock * ahead|behind|fast|slow|offset|adjusted|stepped, used before, request time too, difference between * time
        system clock, ntp|chrony|timesync & unreachable|stopped|no|unsynchronized|offset, leap status
        iat|nbf|not before & future|used, not yet valid, stratum 16|0`,
      likely: "ntp, time sync, clock, iat|nbf, time difference|source, synchronise",
      hint: "time service",
    },
  },
  {
    name: "schedule-missed",
    label: "a scheduled job is late or overlaps",
    broader: [],
    phrases: {
      sure: `missed schedule|run|deadline|execution|window|sla|start
        job|execution|schedule|cron|report|run skipped|overlap|late|overdue|not-run|not-started|twice|delayed|missed
        previous|last run|job|instance|execution * still|running|not-finished, concurrency policy, too many missed, misfire
        time zone|timezone|daylight|utc-offset|summer-time & job|cron|schedule|wrong|change|shift|missing|hour|saving
        ran twice, hour late|early, wrong hour|day, time|clock change`,
      likely: "timezone, time zone, daylight saving",
      hint: "cron, nightly, local time",
    },
  },
  {
    name: "job-failed",
    label: "a job failed",
    broader: [],
    symptom: true,
    phrases: {
      likely: `backoff limit, job|pipeline|build|task|workflow|step|batch|cron {failed}|aborted
        failed job|pipeline|build|task|workflow|step`,
    },
  },
  {
    name: "provider-outage",
    label: "a provider has an outage",
    broader: [],
    phrases: {
      sure: `provider|vendor|third-party|cloud|region|regional|zone|datacenter|cdn & outage|incident|degraded|disruption|{down}
        status page`,
    },
  },
  {
    name: "mail-rejected",
    label: "mail is rejected",
    broader: [],
    phrases: {
      sure: `mail|email|smtp|recipient|sender|relay & {denied}|bounced|deferred|spam|stay|not-delivered, spf|dkim|dmarc
        smtp|said|code|reply 550|554|421|451|452|553|535, 550 5, 554 5, status deferred`,
    },
  },
  {
    name: "object-storage-denied",
    label: "object storage denies access or has no such object",
    broader: ["access-denied"],
    phrases: {
      sure: `bucket|blob|object-storage|storage-account & {denied}|policy|403|unauthorized|not-exist|permission|acl, NoSuchBucket
        NoSuchKey, PutObject|ListObjects|HeadObject|ListBucket, presigned|signed url * expired|invalid|denied|403`,
    },
  },
  {
    name: "webhook-rejected",
    label: "a webhook or callback is rejected",
    broader: [],
    phrases: {
      sure: "webhook|hook & {bad}|401|403|404|400|500|410|signature|delivery",
      hint: "webhook",
    },
  },
  {
    name: "redirect-loop",
    label: "redirects form a loop",
    broader: [],
    phrases: {
      sure: "redirect & loop|circular|infinite|endless, too many redirects, redirected too many",
    },
  },
  {
    name: "license-invalid",
    label: "a license has expired or is used up",
    broader: [],
    phrases: {
      sure: "license|licence|subscription & {bad}|no|limit",
    },
  },
  {
    name: "deleted-by-mistake",
    label: "something was deleted by mistake",
    broader: [],
    phrases: {
      sure: `accidentally|mistakenly|accidental|mistake|accident & deleted|dropped|removed|wiped|deletion
        wrong database|bucket|cluster|account`,
    },
  },
  {
    name: "monitoring-gap",
    label: "monitoring sees nothing",
    broader: [],
    phrases: {
      sure: `scrape|exporter & {bad}, metrics|logs|traces|telemetry|spans missing|dropped|lost|gap|stopped|delayed, cardinality`,
    },
  },
  {
    name: "ungraceful-shutdown",
    label: "running requests are cut at shutdown",
    broader: [],
    phrases: {
      sure: `graceful|gracefully & shutdown|terminated|not|timeout, connection draining, not drained, flight|inflight requests
        shutdown {timeout}|hook|forced, prestop`,
    },
  },
];
