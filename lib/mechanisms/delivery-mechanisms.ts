// Failure mechanisms of artifacts, configuration, starts, code, interfaces and proxies.

import type { Mechanism } from "./mechanism.ts";

export const DELIVERY_MECHANISMS: readonly Mechanism[] = [
  {
    name: "artifact-not-found",
    label: "an image or package cannot be found",
    broader: [],
    phrases: {
      sure: `image pull back off, err image pull, pulling|download image|artifact|chart & {failed}|cannot|back-off|unable
        manifest * unknown|not-found|invalid
        image|tag|artifact|package|chart|repository|distribution|release & {missing}|unknown
        no such|matching image|package|tag|distribution
        {cannot} find|locate|resolve|download|pull * artifact|package|image|version|chart`,
      likely: "pull access denied, tags list, source image",
    },
  },
  {
    name: "registry-access-denied",
    label: "a registry denies access",
    broader: ["access-denied", "artifact-not-found"],
    phrases: {
      sure: `registry|repository|pull|feed|package|image & {denied}|unauthorized|authentication|401|403|credentials|login|auth
        no basic auth credentials, pull secret|token, failed authorize, fetch oauth|anonymous, auth token, deploy token
        requested access`,
    },
  },
  {
    name: "wrong-architecture",
    label: "a program was built for another architecture",
    broader: [],
    phrases: {
      sure: `exec format error, {invalid}|different|incompatible|mismatch & architecture|platform|arch|cpu-type
        arm64|amd64|aarch64|x86-64 & wrong|mismatch|not|only|error, no matching manifest`,
    },
  },
  {
    name: "command-not-found",
    label: "a program to run is missing",
    broader: [],
    phrases: {
      sure: `command|executable|program|binary|interpreter * not-found|missing, {exit} 127|126, exec * no such file
        bad interpreter, entrypoint & {missing}|invalid|wrong|{failed}, failed exec|execute, RunContainerError, 203 exec`,
    },
  },
  {
    name: "library-missing",
    label: "a library or module is missing or of another version",
    broader: [],
    phrases: {
      sure: `{library}|symbol|method|dependency * {missing}, no module named, {cannot} find|load|import|resolve * {library}|shared
        NoClassDefFound, undefined symbol, NoSuchMethod, symbol lookup, glibc`,
    },
  },
  {
    name: "config-missing",
    label: "a configuration value is missing",
    broader: ["config-invalid"],
    phrases: {
      sure: `{setting}|configmap * {missing}|empty, property {missing}
        {missing}|required|unresolved|unbound|unknown * {setting}|dependency, must set|provided|specified|configured|defined
        {cannot} resolve placeholder, KeyError, not configured|provided, no value|config|configuration
        CreateContainerConfigError, no data path, not rendered, environ, missing block|data`,
      likely: "optional false, environment variables",
    },
  },
  {
    name: "config-invalid",
    label: "a configuration is invalid",
    broader: [],
    phrases: {
      sure: `{invalid} * {setting}|value|directive|flag|property
        configuration|config|conf|settings * {failed}|rejected|syntax|broken|{invalid}|test-failed, misconfigured
        misconfiguration, emerg unknown|invalid|unexpected
        {cannot} parse|load|read|validate|reload * config|configuration|settings, typo, mapping values
        wrong|old|incorrect url|hostname|endpoint|setting|region|environment|env|path, invalid url|prefix|scheme`,
      likely: "validation {failed}, type mismatch, syntax",
    },
  },
  {
    name: "secret-missing",
    label: "a secret is missing",
    broader: ["config-missing"],
    phrases: {
      sure: `secret|credential|keystore|private-key|api-key & {missing}|empty|deleted|no
        {cannot} find|load|get|fetch|read|locate * secret|credentials|key, find key * secret|configmap, default credentials`,
    },
  },
  {
    name: "dependency-not-ready",
    label: "something a service needs is not ready",
    broader: [],
    symptom: true,
    phrases: {
      sure: `waiting {backend}|database|dependency|cache|available|ready|start
        {backend}|database|dependency|downstream * not-ready|not-available|unhealthy|not-yet
        not * accepting connections|ready|yet, system starting|shutting|starting-up, {sqlstate} 57p03
        still starting|initializing|loading|booting, before * ready|available|started, loading dataset, not initialized`,
      hint: "not ready, not available, starting up, recovery mode",
    },
  },
  {
    name: "probe-failing",
    label: "a health check fails",
    broader: [],
    symptom: true,
    phrases: {
      sure: `liveness|readiness|probe|healthcheck|health-check|startup-probe & {bad}|unhealthy|critical|hangs
        target|instance|container|backend|host & unhealthy|out-of-service, marked unhealthy|down`,
      likely: "unhealthy",
      hint: "health check, liveness",
    },
  },
  {
    name: "slow-start",
    label: "a start takes longer than it may",
    broader: ["probe-failing"],
    phrases: {
      sure: `start|startup|init {timeout}|slow|too-long|exceeded, slow start|startup, start * {timeout}, killed during start
        start operation, timeout start, killed|stopped * liveness|startup, failed liveness
        never ready|active|startup|healthy|past|stable, before * startup|started, initial delay, grace period|seconds
        liveness|health-check * killed|restart|stopped`,
      likely: "auto restart, activating start",
      hint: "liveness probe, loading|replaying|building & index|journal|data|model|reference|done",
    },
  },
  {
    name: "crash-loop",
    label: "a service crashes and restarts again and again",
    broader: ["process-ended"],
    symptom: true,
    phrases: {
      sure: `crash|restart|boot loop|loopback, crashloop, crashloopbackoff, back off restarting, restarting failed container
        start request repeated, start limit hit, keeps|kept restarting|crashing|dying|exiting|replacing
        repeatedly restarted|crashed, restarting|crashes repeatedly|continuously|constantly|every, restart limit
        scheduled restart job, restart counter`,
      hint: "restart",
    },
  },
  {
    name: "unhandled-exception",
    label: "code fails with an unhandled exception",
    broader: ["server-error"],
    phrases: {
      sure: `unhandled|uncaught exception|rejection|error|promise|throwable, nil pointer|map, null pointer|reference
        cannot|not read|invoke property|null, properties undefined|null, undefined method, TypeError, AttributeError, NoneType
        object reference not set, index out range, IndexError, class cast, invalid memory address, stack overflow
        assertion failed, division zero, illegal state, ReferenceError, InvalidOperationException`,
      likely: "panic",
    },
  },
  {
    name: "server-error",
    label: "a server answers with an error",
    broader: [],
    symptom: true,
    phrases: {
      likely: "internal server error, internal error, 5xx, error rate",
      hint: "exception, traceback, stacktrace, stack trace",
    },
  },
  {
    name: "unavailable",
    label: "a service is unavailable",
    broader: [],
    symptom: true,
    phrases: {
      likely: `{status} 503, service unavailable, temporarily unavailable, code unavailable, status unavailable, try again later
        no server available`,
      hint: "unavailable, outage, disruption",
    },
  },
  {
    name: "parse-failed",
    label: "input cannot be parsed",
    broader: [],
    phrases: {
      sure: `unexpected token|end|character|eof|indent, parse|parser|syntax|jsondecode {failed}|exception
        invalid json|xml|date|character|format|timestamp, malformed, {cannot} parse, NumberFormatException
        unterminated string, expecting value, unknown time zone`,
    },
  },
  {
    name: "request-rejected",
    label: "a server rejects a request as wrong",
    broader: [],
    symptom: true,
    phrases: {
      likely: "bad request, {status} 400|422|405|415, unprocessable, method not allowed, unsupported media type",
      hint: "rejected",
    },
  },
  {
    name: "endpoint-missing",
    label: "an address answers that nothing is there",
    broader: [],
    symptom: true,
    phrases: {
      likely: "{status} 404, page|route|endpoint|handler|url * not-found|not-exist, no route matched",
      hint: "not found",
    },
  },
  {
    name: "version-incompatible",
    label: "versions or APIs do not fit together",
    broader: [],
    phrases: {
      sure: `unsupported|incompatible|deprecated|removed|retired|discontinued & api|version|endpoint, no matches kind, {status} 410
        version skew|mismatch|conflict, no longer supported|served|exists, end life, eol, files incompatible`,
    },
  },
  {
    name: "bad-gateway",
    label: "a proxy gets no valid answer from its backend",
    broader: [],
    symptom: true,
    phrases: {
      sure: `bad gateway, upstream|backend * prematurely|reset|disconnect|closed|refused|protocol-error, upstream connect error
        reset before headers, error reading * upstream|remote-server, upstream sent|error, proxy error`,
    },
  },
  {
    name: "upstream-timed-out",
    label: "a proxy waits too long for its backend",
    broader: ["timed-out", "bad-gateway"],
    symptom: true,
    phrases: {
      sure: "gateway {timeout}, {status} 504|524|522, upstream|backend|origin & {timeout}, first byte timeout",
    },
  },
  {
    name: "no-healthy-backends",
    label: "a service has no healthy backend",
    broader: [],
    phrases: {
      sure: `no * endpoints|backends|upstreams|targets available|found|healthy|ready|active, no server available
        endpoints none|empty|missing, selector|label & match|mismatch|wrong|not-match|changed|renamed
        wrong|different|mismatched|changed * port|selector, port mismatch, target port|targetport
        no|0 live|healthy|active|available|ready {backend}, not * active|ready|available endpoint`,
      likely: "selector, refused * upstream, proxy pass",
      hint: "endpoints",
    },
  },
];
