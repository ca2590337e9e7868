// Failure mechanisms of code, configuration, rollouts, scheduling and services of others.

import type { Mechanism } from "./mechanism.ts";

export const DELIVERY_MECHANISMS: readonly Mechanism[] = [
  {
    name: "artifact-not-found",
    label: "an image or package cannot be found",
    broader: [],
    phrases: {
      sure: `image pull back off, imagepullbackoff, err image pull, errimagepull, back off pulling, backoff pulling, manifest * unknown|not-found|invalid, image|tag|artifact|package|chart|repository|version|release * {missing}, failed * pull image|artifact, pulling image failed, {cannot} pull|download * image|artifact|package|chart
        pull access denied, no such image|package|tag, no matching version|distribution|release, {cannot} find|locate|resolve * artifact|package|image|version, unable to locate package, no matching distribution, invalid image name, InvalidImageName, ManifestUnknown, no candidate|version satisfies, err pull`,
    },
  },
  {
    name: "registry-access-denied",
    label: "a registry denies access",
    broader: ["access-denied", "artifact-not-found"],
    phrases: {
      sure: "pull access denied, registry|repository|pull|feed|package & unauthorized|denied|authentication|forbidden|401|403|credentials, no basic auth credentials, image pull secret|secrets, imagepullsecret|imagepullsecrets, pull secret, failed authorize, failed fetch oauth|anonymous, requested access * resource denied, registry login",
    },
  },
  {
    name: "wrong-architecture",
    label: "a program was built for another architecture",
    broader: [],
    phrases: {
      sure: "exec format error, enoexec, wrong|different|unsupported|incompatible architecture|platform|arch|cpu-type, no match|matching * platform|manifest, platform|architecture|arch mismatch|not-match|not-supported|unsupported, bad cpu type, not a valid win32, invalid elf header, wrong elf class, arm64|amd64|aarch64|x86-64 & wrong|mismatch|not|only|error|built",
    },
  },
  {
    name: "command-not-found",
    label: "a program to run is missing",
    broader: [],
    phrases: {
      sure: `command|executable|program|binary|interpreter * not-found|missing, executable file not found, {exit} 127|126, exec * no such file, bad interpreter, entrypoint|entry-point & {missing}|invalid|wrong|failed|no-such-file, failed exec|execute, run container error, RunContainerError, ContainerCannotRun, start container process, cannot run program
        spawn * enoent, not recognized * internal|command, not found in path, exec|203 exec, failed at step exec, no such command, unknown command`,
    },
  },
  {
    name: "library-missing",
    label: "a library or module is missing or of another version",
    broader: [],
    phrases: {
      sure: `module|package|class|library|dependency|assembly|gem|crate|plugin|extension|symbol|method * {missing}, modulenotfounderror, no module named, {cannot} find|load|import|open|resolve * module|package|class|library|shared|assembly|file-or-assembly|plugin|extension, noclassdeffound, noclassdeffounderror, classnotfound, class def found, importerror, import error, undefined symbol, unsatisfiedlink, unsatisfied link
        NoSuchMethod, NoSuchMethodError, no such method, symbol lookup, glibc, eresolve, dependency|peer|version conflict|resolution, conflicting dependencies|versions, error loading shared, dll`,
    },
  },
  {
    name: "config-missing",
    label: "a configuration value is missing",
    broader: ["config-invalid"],
    phrases: {
      sure: `environment|env variable|variables|var|vars * {missing}|required|empty, {missing} * environment|env|config|configuration|setting|settings|parameter|option|placeholder, configuration|config|setting|property|parameter|key|variable|option|configmap|placeholder|argument * {missing}|empty, required * {missing}|not-provided|not-specified, must be set|provided|specified|configured|defined, must set
        {cannot} resolve placeholder, unresolved placeholder|variable, unbound variable, no configuration|config|settings, missing required, configmap & {missing}, KeyError, not configured, create container config error, CreateContainerConfigError, not provided, no value for`,
    },
  },
  {
    name: "config-invalid",
    label: "a configuration is invalid",
    broader: [],
    phrases: {
      sure: `invalid|bad|wrong|incorrect|illegal|unknown|unrecognized|unsupported|malformed|unexpected * config|configuration|option|value|argument|setting|directive|flag|parameter|property, configuration|config|conf|settings * {failed}|rejected|syntax|test-failed|broken|wrong|incorrect|malformed|not-valid, misconfigured, misconfiguration, misconfig, emerg unknown|invalid|unexpected
        {cannot} parse|load|read|validate|reload * config|configuration|settings, einval, ConfigurationException, typo, indentation, mapping values, not find expected key, template|chart|manifest|yaml error|invalid|rendering, config * failed validation, line * syntax error, unknown key|directive|flag|option, illegal argument, IllegalArgument, wrong|old|incorrect url|hostname|endpoint|setting|region|environment|env`,
      likely: "invalid argument, validation {failed}, values * not meet, configuration, error parsing",
    },
  },
  {
    name: "secret-missing",
    label: "a secret is missing",
    broader: ["config-missing"],
    phrases: {
      sure: "secret|secrets|credential|credentials|api-key|access-key|keystore|private-key|key-vault * {missing}|empty|deleted, {missing} secret|secrets|credential|credentials|api-key, couldn find key, find key * secret|configmap, {cannot} locate|find|load|get|fetch|retrieve|read * secret|credentials|credential, no credentials|credential|api-key, SecretNotFound, ResourceNotFoundException secrets, secret * not * found|exist, error fetching secret, default credentials",
    },
  },
  {
    name: "dependency-not-ready",
    label: "something a service needs is not ready",
    broader: [],
    phrases: {
      sure: `waiting * database|db|dependency|dependencies|service|cache|broker|connect|available|ready|start|become|up, dependency|dependencies|database|upstream|broker|backend|downstream|service * not-ready|not-available|unavailable|unhealthy|not-yet, not * ready|available|accepting yet, system starting|shutting|starting-up|shutting-down, {sqlstate} 57p03, still starting|initializing|loading|booting, before * ready|available|started
        loading dataset, startup order, dependency failed, PodInitializing, not initialized|initialised|started-yet, not accepting connections`,
      hint: "not ready, not available, starting up",
    },
  },
  {
    name: "probe-failing",
    label: "a health check fails",
    broader: [],
    phrases: {
      sure: "liveness|readiness|startup|health|healthcheck|probe probe|check|checks|healthcheck|probes * failed|failing|failure|fails|timeout|timed-out|errored|unsuccessful, probe|healthcheck|liveness|readiness * failed|failing|failure|fails|unhealthy|errored, failed * probe|probes|health-check|health-checks|healthcheck|healthchecks|liveness|readiness, unhealthy target|targets|backend|host|upstream|container|instance|instances, target|targets|instance|instances|container|backend * unhealthy|out-of-service, marked * unhealthy|down, health check * unhealthy|critical|down, failed elb, check * critical",
      likely: "unhealthy",
      hint: "health checks, readiness, liveness",
    },
  },
  {
    name: "crash-loop",
    label: "a service crashes and restarts again and again",
    broader: ["process-ended"],
    phrases: {
      sure: "crash|restart loop|looping|loops|loopback, crashloop, crashloopbackoff, crashlooping, restarting failed container, back off restarting, backoff restarting, start request repeated, start limit hit, keeps|kept|keep restarting|crashing|dying|exiting|failing, repeatedly restarted|restarts|restarting|crashed|crashes|crashing, restarting|restarted|restarts|crashes|crashed repeatedly|continuously|constantly|every, too quickly exited|respawning, exited * quickly, respawning too fast, fatal state too many start retries, exited too quickly, restart limit, essential container, endless restarts, boot loop, bootloop, rapid fail protection, unable to start consistently",
      likely: "restart count, restarted * times",
    },
  },
  {
    name: "unhandled-exception",
    label: "code fails with an unhandled exception",
    broader: ["process-ended"],
    phrases: {
      sure: `unhandled|uncaught exception|rejection|error|promise|throwable, UnhandledPromiseRejection, panic, panicked, panics, nil pointer, nil map, null pointer|reference, NullPointerException, NullReferenceException, npe, cannot|not read property|properties, properties of undefined|null, undefined not, undefined method, TypeError, AttributeError, NoneType, null object, object reference not set, object null
        index out of range|bounds, IndexError, ArrayIndexOutOfBounds, IndexOutOfBounds, class cast, ClassCastException, invalid memory address, stack overflow, StackOverflowError, assertion failed|error, AssertionError, division by zero, divide zero, ZeroDivision, fatal exception, illegal state, IllegalStateException, unwrap, call member function null, NameError, ReferenceError, not a function, InvalidOperationException`,
      likely: "traceback, {status} 500, internal server error, stack trace, exception",
    },
  },
  {
    name: "parse-failed",
    label: "input cannot be parsed",
    broader: [],
    phrases: {
      sure: `unexpected token|end|character|eof, parse|parsing|parser|syntax|jsondecode {failed}|exception, ParseException, JSONDecodeError, SyntaxError, syntaxerr, invalid json|xml|csv|date|character|number-format|input-syntax|literal|format|timestamp, malformed, {cannot} parse, NumberFormatException, number format exception, unterminated string, not well formed, unparseable, expecting value, invalid input syntax, bad format, UnmarshalTypeError, trailing data`,
    },
  },
  {
    name: "request-rejected",
    label: "a server rejects a request as wrong",
    broader: [],
    phrases: {
      likely:
        "bad request, {status} 400|422|405|415, unprocessable, method not allowed, unsupported media type, not acceptable",
      hint: "rejected, rejects",
    },
  },
  {
    name: "endpoint-missing",
    label: "an address answers that nothing is there",
    broader: [],
    phrases: {
      sure: "{status} 404, resource|page|route|endpoint|handler|path|url * not-found|missing|not-exist, no route matched|found|matches, 404 not-found, default backend 404, unknown path, no handler found",
      likely: "not found, NoSuchKey",
    },
  },
  {
    name: "version-incompatible",
    label: "versions or APIs do not fit together",
    broader: [],
    phrases: {
      sure: "unsupported|unknown|incompatible|deprecated|removed|old|wrong * api|apis|version|api-version|protocol|client, no matches for kind, {status} 410, api|endpoint|version * retired|removed|sunset|discontinued|deprecated|decommissioned|gone|not-supported|unsupported, version * skew|mismatch|incompatible|conflict|not-supported, requires * version|newer|older, no longer supported|available|served|exists, not * recognize|support api|version, not supported|compatible version, end of life, eol, database files incompatible, UnsupportedClassVersion, version too|newer|older",
    },
  },
  {
    name: "bad-gateway",
    label: "a proxy gets no valid answer from its backend",
    broader: [],
    phrases: {
      sure: "bad gateway, {status} 502, upstream|backend * prematurely|reset|disconnect|disconnected|closed|refused|failure|protocol-error, invalid response|header * upstream|backend, upstream connect error, reset before headers, no live upstreams, error reading * upstream|remote-server, upstream sent, proxy error, error proxying, upstream error, backend fetch failed, BadGateway",
    },
  },
  {
    name: "upstream-timed-out",
    label: "a proxy waits too long for its backend",
    broader: ["timed-out", "bad-gateway"],
    phrases: {
      sure: "gateway {timeout}, {status} 504|524|522, upstream|backend|origin * {timeout}, upstream request timeout, GatewayTimeout, first byte timeout, {timeout} * upstream|backend|origin, {status} 408, response|proxy timeout",
    },
  },
  {
    name: "no-healthy-backends",
    label: "a service has no healthy backend",
    broader: [],
    phrases: {
      sure: "no * endpoints|backends|upstream|upstreams|targets available|found|healthy|ready|active, no healthy|live|available|active|ready upstream|upstreams|backend|backends|host|hosts|target|targets|endpoints|servers|instances|endpoint, no server|backend|servers|targets available, endpoints none|empty|missing, selector|label|labels & match|mismatch|wrong|not-match|typo, wrong|different|mismatched * port|target-port, port mismatch, target port|targetport & wrong|mismatch|not, 0 healthy|available|backends|targets, listens|listening * different|wrong|another|127 port, all backends|targets|upstreams down|unhealthy|failed, empty reply, no instances available",
    },
  },
  {
    name: "unschedulable",
    label: "work cannot be scheduled",
    broader: ["resource-exhausted"],
    phrases: {
      sure: "unschedulable, FailedScheduling, failed scheduling, nodes available insufficient, insufficient cpu|gpu|pods|ephemeral|vcpu, no nodes|node|hosts|host|runners|agents|workers available|match|suitable|matching, not be scheduled|placed|allocated, {cannot} schedule|place|provision * task|pod|job|instance|allocation|container, pods|tasks|jobs|allocations * stuck|remain pending|queued, stuck * pending, insufficient instance capacity, no valid host, not enough nodes, no capacity, placement failed|failures, InsufficientInstanceCapacity, unable to place, exhausted on nodes, zonal resource",
      likely: "pending * pods|tasks|nodes, pod pending, nodes available",
    },
  },
  {
    name: "placement-constraint",
    label: "no machine satisfies a placement rule",
    broader: ["unschedulable"],
    phrases: {
      sure: "untolerated taint, taint|taints & tolerate|tolerated|toleration|untolerated, affinity, anti affinity, node selector, nodeselector, topology spread, constraint|constraints & filtered|matching|satisfy|satisfied|met|unsatisfied, missing attribute|label, cordoned, node unschedulable, free host port",
    },
  },
  {
    name: "node-down",
    label: "a machine or its agent is down",
    broader: [],
    phrases: {
      sure: `node|host|server|machine|instance|agent|worker|broker|runner|vm|member|peer * down|unreachable|not-ready|offline|lost|crashed|rebooted|died|disconnected|unavailable|not-responding|failed-over, notready, NodeNotReady, NodeLost, node status unknown, stopped posting, heartbeat|heartbeats * missed|timeout|lost|failed|expired|late, missed|lost heartbeat|heartbeats
        ehostdown, host is down, instance terminated|retired|failed, status check failed, hardware|power|host|server|psu|motherboard failure|loss|outage|failed|fault, unexpected reboot, last heartbeat, not received heartbeat, declared dead, marked dead, left cluster|group, removed * cluster`,
      likely: "node not ready",
      hint: "reboot",
    },
  },
  {
    name: "evicted",
    label: "work was evicted from its machine",
    broader: [],
    phrases: {
      sure: "evicted pod|pods|node|container, pod|pods|container|task|node|job * evicted|preempted, evicted low|because, eviction manager|threshold, low on resource, ephemeral storage & exceeded|exceeds|limit, preempted, preemption, spot * interruption|reclaimed|terminated|interrupted, preempting, reclaimed",
      likely: "evicted, eviction",
    },
  },
  {
    name: "autoscaling-stuck",
    label: "automatic scaling does not work",
    broader: [],
    phrases: {
      sure: "{cannot} * get|fetch|read|retrieve|compute|collect * metric|metrics, metrics|metric * unavailable|not-available, missing request for, invalid metrics, autoscaler|autoscaling|scaler|hpa|scaling & failed|not|unable|stuck|max|maximum|limited|disabled|slow|blocked|error, not scale|scaling|scaled, max|maximum replicas|instances|capacity|nodes reached|hit, max size reached, scale up|out failed|blocked|not|slow, ScalingLimited, FailedGetResourceMetric, failed scale",
    },
  },
  {
    name: "no-instances",
    label: "a service runs no instance",
    broader: [],
    phrases: {
      sure: "scaled|scale|scaling * 0|zero replicas|instances, scaled 0|zero, 0|zero replicas|instances|pods|tasks|workers|dynos running|ready|up, replicas|instances|capacity|desired-count|min-instances 0|zero, zero replicas|instances|pods|workers, no instances|replicas|pods|dynos|containers running|left|up|started, no web processes, not running, stopped manually, suspended",
      likely: "cold start|starts, desired 0",
    },
  },
  {
    name: "policy-rejected",
    label: "a policy rejects a change or request",
    broader: ["access-denied"],
    phrases: {
      sure: "admission * denied|rejected|webhook|refused|controller, denied request, policy|policies & violation|violated|violates|denied|rejected|blocked|disallowed|blocks, violates * policy|PodSecurity|security|standard, waf, organization|org|compliance|security|service-control policy, blocked by * rule|policy|waf, branch protection|protected, protected branch, failed calling webhook, disallowed policy, pod security, validating webhook",
    },
  },
  {
    name: "rollout-stuck",
    label: "a rollout does not finish",
    broader: [],
    phrases: {
      sure: `progress deadline, rollout|deployment|deploy|release|upgrade|update|stack|sync|apply * stuck|stalled|failed|failing|failure|{timeout}|hangs|aborted|paused|rolled-back|unsuccessful|incomplete, {timeout} waiting for * condition|rollout|deployment|resource, minimum availability, disruption budget, drain|draining & blocked|stuck|failed|hangs|timeout, stuck * terminating|deleting|deletion|updating|creating|progressing, terminating * stuck|forever|hours
        another operation in-progress|progress, update|upgrade in progress, update rollback failed, finalizer, finalizers, not become healthy|ready|stable, failed stabilize, did not stabilize, rolling back deployment, out of sync resource|application|app, OutOfSync, failed * sync`,
      likely: "failed deploy|deployment, rollback failed",
    },
  },
  {
    name: "after-deploy",
    label: "it began with a new version",
    broader: [],
    phrases: {
      likely:
        "after|since|following|caused-by|introduced-in|during * {change}|new-version, bad|broken|faulty|last|latest|recent|new {change}|version|build, regression, regressed, rolled|rolling back|rollback, rollback, reverted, introduced commit|release|version|change, canary",
      hint: "new version, {change}",
    },
  },
  {
    name: "changed-config",
    label: "a changed setting or flag caused it",
    broader: [],
    phrases: {
      sure: "feature flag|toggle, flag & enabled|turned|flipped|disabled|rolled|toggled, config|configuration|setting|settings|policy|rule|flag|parameter & change|changed|push|pushed|drift|drifted|update|updated|modified, changed * config|configuration|setting|settings|default|rule, configuration drift, wrong value deployed, default * changed, manual change|edit|hotfix",
    },
  },
  {
    name: "clock-skew",
    label: "clocks disagree",
    broader: [],
    phrases: {
      sure: "clock|time|ntp|clocks & skew|skewed|drift|drifted|unsynchronized|unsynchronised|not-synchronized|not-synced|out-of-sync|jumped|jump|wrong, token used before, used before issued, request time too, RequestTimeTooSkewed, difference between * time, system|host clock, clock * ahead|behind|fast|slow|offset, timestamp * future|ahead|too-old|outside|skew, timestamp outside, ntp unreachable, recvwindow, issued future",
    },
  },
  {
    name: "schedule-missed",
    label: "a scheduled job is late or overlaps",
    broader: [],
    phrases: {
      sure: "missed|missing|skipped * schedule|start|run|deadline|execution|window|sla, run|job|execution|schedule|cron * missed|skipped|overlap|overlapping|overlaps|late|delayed|overdue|not-run|not-start|not-started|stuck|misfired, previous|last run|job|instance|execution * still|running|not-finished, concurrency policy, forbidconcurrent, too many missed, misfire, maximum number of running instances, cron & not|never|missed|twice|timezone|daylight, ran twice, scheduler & stopped|stuck|late|down|delay|heartbeat, batch|nightly|job|export|import|report * late|delayed|overdue|not-finished|missing, daylight saving",
    },
  },
  {
    name: "job-failed",
    label: "a job failed",
    broader: [],
    phrases: {
      likely:
        "BackoffLimit|BackoffLimitExceeded, backoff limit, job|pipeline|build|task|workflow|step|stage|batch|cron * failed|failing|failure|errored|aborted, failed job|pipeline|build|task|workflow|step",
    },
  },
  {
    name: "provider-outage",
    label: "a provider has an outage",
    broader: [],
    phrases: {
      sure: "provider|vendor|third-party|thirdparty|cloud|region|regional|zone|az|availability-zone|external|isp|carrier|upstream-api|datacenter|cdn & outage|down|incident|degraded|disruption|failure|unavailable|impaired, status page, service disruption, power outage datacenter, provider status, acknowledged by provider",
      likely: "outage, disruption",
    },
  },
  {
    name: "mail-rejected",
    label: "mail is rejected",
    broader: [],
    phrases: {
      sure: "relay access denied|not-permitted, relaying denied, mail|email|emails|mails|smtp|recipient|sender|mta & rejected|bounced|bouncing|bounce|deferred|blocked|undelivered|not-delivered|refused|failed|failing|spam, spf, dkim, dmarc, smtp|said|code|reply 550|554|421|451|452|553|535, 550 5, 554 5, 451 4, 421 4, mailbox full|unavailable|not-found|quota, blocklisted, rbl|dnsbl, greylisted, greylisting, sender reputation, sender address rejected, user unknown, recipient address rejected",
    },
  },
  {
    name: "object-storage-denied",
    label: "object storage denies access or has no such object",
    broader: ["access-denied"],
    phrases: {
      sure: "bucket|blob|container-registry|object|objects|object-storage|storage-account & denied|forbidden|policy|not-authorized|403|unauthorized|not-exist|not-found|permission|acl, no such bucket|key, NoSuchBucket, NoSuchKey, PutObject|GetObject|ListObjects|HeadObject|ListBucket, put|get|list|head|copy|delete object|objectv2|bucket operation|access|denied|failed, presigned|signed url * expired|invalid|denied|403, BlobNotFound, ContainerNotFound, storage denied, multipart upload failed",
    },
  },
  {
    name: "webhook-rejected",
    label: "a webhook or callback is rejected",
    broader: [],
    phrases: {
      sure: "webhook|webhooks|callback|notification|hook & rejected|failed|failing|failure|disabled|timeout|timed-out|invalid|401|403|404|400|500|410|undelivered|missing|not-delivered|signature|error, webhook delivery, redirect uri mismatch, redirecturi",
    },
  },
  {
    name: "redirect-loop",
    label: "redirects form a loop",
    broader: [],
    phrases: {
      sure: "redirect & loop|loops|circular|infinite|endless, too many redirects, redirected too many, redirect count, maximum redirects",
    },
  },
  {
    name: "license-invalid",
    label: "a license has expired or is used up",
    broader: [],
    phrases: {
      sure: "license|licence|subscription|licenses & expired|invalid|exceeded|violation|missing|limit|not-valid|no|seats|lapsed|suspended",
    },
  },
  {
    name: "deleted-by-mistake",
    label: "something was deleted by mistake",
    broader: [],
    phrases: {
      sure: "accidentally|mistakenly|accidental|inadvertently deleted|dropped|removed|truncated|wiped|terminated|overwritten|deletion|delete|removal, deleted|dropped|removed|truncated|wiped|overwrote * mistake|accident|accidentally|wrong, wrong database|bucket|cluster|account",
    },
  },
  {
    name: "monitoring-gap",
    label: "monitoring sees nothing",
    broader: [],
    phrases: {
      sure: "scrape & failed|failing|error|timeout|down, no data alert|points|received|metric, nodata, metrics|logs|traces|telemetry|spans|events & missing|dropped|lost|gap|stopped|delayed|not-arriving|absent, alerts|alert|notifications not fired|firing|delivered|sent, blind spot, cardinality, too many series|fields, series limit, exporter & down|timeout|failed, out of order sample|samples, mapping explosion",
    },
  },
  {
    name: "ungraceful-shutdown",
    label: "running requests are cut at shutdown",
    broader: [],
    phrases: {
      sure: "graceful|gracefully & shutdown|stop|exit|terminated|not, grace period, connection draining, not drained, in flight requests, inflight requests, shutdown * {timeout}|hook|forced, forced shutdown, force killed|killing, stop sigterm timed, prestop, keepalive|keep-alive mismatch|timeout|race",
    },
  },
];
