// The words of failures with their weights, 0 to 1, and the phrases that mean a failure without naming one. They are plain
// English and the names of common error codes; technologies have no words of their own here.

import { ERRNO_NAMES } from "./codes.ts";

const WORDS_BY_WEIGHT: readonly (readonly [weight: number, words: string])[] = [
  [
    0.8,
    "fatal panic panicked emerg emergency segfault sigsegv segmentation corrupt corrupted corruption deadlock deadlocked",
  ],
  [0.8, "oomkilled oom untolerated unschedulable crashed"],
  [
    0.7,
    "denied refused refuses refusing undefined insufficient expired exceeded exceeds exhausted exhaustion unauthorized unauthorised",
  ],
  [
    0.7,
    "forbidden mismatch mismatched mismatches violates violation unbound unresolvable nxdomain servfail unreachable",
  ],
  [0.7, "untrusted revoked malformed incompatible unsupported invalid illegal misconfigured nonexistent inaccessible"],
  [
    0.65,
    "evicted error errors err failed fail fails failure failures exception exceptions missing throttled throttling killed",
  ],
  [0.65, "timeout timeouts unavailable conflict conflicts conflicting rejected partitioned readonly unrecognized"],
  [0.6, "failing throttle timedout unexpected unable cannot aborted abort aborting crash crashes crashing conflicted"],
  [
    0.6,
    "unhandled uncaught fault faults faulty severe critical crit disconnected degraded unhealthy overflow overloaded starved starvation",
  ],
  [
    0.6,
    "nodedown split diverged divergence incorrect misspelled unknownhost mistyped typo outage overlapping poisoned stacktrace",
  ],
  [
    0.55,
    "lost broken stuck stalled saturated dead offline backlog evict evicting hung contention unset unmounted stale",
  ],
  [
    0.55,
    "leak leaked leaking evictions unverified overcommitted overcommit underreplicated oversized unmatched desync",
  ],
  [
    0.5,
    "alarm alarms wrong duplicate duplicated blocked quota cordoned taint taints tainted nonzero bad partition lagging",
  ],
  [
    0.5,
    "partitions sigkill notready outofsync crashloopbackoff zombie tripped delayed undeliverable dropping breached",
  ],
  [
    0.45,
    "warning warn caused unknown lag down locked dropped disconnect congestion rollback unsynced rst spike anomaly",
  ],
  [
    0.4,
    "retry retrying retries exit exited slow full drift backoff truncated outdated disabled delay sigterm behind skew",
  ],
  [
    0.3,
    "terminated terminating pending waiting restarting restarted reset closed closing empty skipping ignored ignoring",
  ],
];

/** Words that mean a failure in some phrases only: they make a line worth reading. */
const GATES =
  "not no too longer low high limit out could couldn wasn isn doesn didn never does nothing before without until over above below only resolve reason message false true space route reached under still than wait requires required must expected again leader status code available close idle ms rt urt time behind answered already expected got completed took takes duration elapsed latency answered seconds responded finished connections saturated since need needs had have try trying allowed denied alert inconsistent inconsistencies";

/** Numbers that mean a failure beside a word such as "status" or "code". */
export const FAILURE_NUMBERS: readonly string[] =
  "401 403 404 408 409 413 429 499 500 502 503 504 507 137 139 134 143 127 126".split(" ");

/** Weight by lower-case word. */
export const FAILURE_WORDS: ReadonlyMap<string, number> = new Map(
  WORDS_BY_WEIGHT.flatMap(([weight, words]) => words.split(" ").map((word) => [word, weight] as const)),
);

export const GATE_WORDS: ReadonlySet<string> = new Set(GATES.split(" "));

/** Error codes: ERR_CONN_RESET, ECONNREFUSED, ORA-00060, SQLSTATE 40P01. */
export const ERROR_CODE = new RegExp(
  String.raw`\bERR_[A-Z]{2}|\b(?:${ERRNO_NAMES.join("|")}|ERESOLVE|EINTEGRITY|ELIFECYCLE)\b|\b[A-Z]{3,5}-\d{4,5}\b|\bSQLSTATE\b`,
);

interface Phrase {
  readonly pattern: RegExp;
  readonly weight: number;
}

/** Each pattern is tried on at most MAX_READ_LENGTH characters, and none nests a repetition in a repetition. */
export const FAILURE_PHRASES: readonly Phrase[] = [
  { pattern: /\bout of memory\b/i, weight: 0.84 },
  // PostgreSQL says there what to change.
  { pattern: /\b(?:HINT|Hint):\s/, weight: 0.5 },
  { pattern: /\b(?:terminated|killed|exited|died) (?:by|with|on) signal\b|\bsignal (?:6|9|11)\b/i, weight: 0.78 },
  {
    pattern: /\balready (?:in use|exists|attached|running|bound|taken|locked|allocated|claimed|registered)\b/i,
    weight: 0.72,
  },
  { pattern: /\bexpected\b.{1,80}\b(?:got|but|received|actual|found|was)\b/i, weight: 0.6 },
  { pattern: /\bnot (?:be )?found\b|\bNotFound\b|\bno such\b|\bdoes(?: not|n.t) exist|\bnonexistent\b/i, weight: 0.78 },
  {
    pattern: /\b(?:did(?: not|n.t)|do(?:es)?(?: not|n.t)|not) (?:match|have (?:the|enough|sufficient|permission))/i,
    weight: 0.78,
  },
  { pattern: /\b(?:could not|couldn.t|cannot|can.t|can not|unable to|failed to|fails to) [a-z]/i, weight: 0.72 },
  {
    pattern:
      /\bno (?:space|route|servers?|endpoints?|healthy|live|available|valid|matching|persistent|leader|response|nodes?|primary|master|free|more|quorum|default|credentials|permission|upstream|suitable|match|file|memory|pg_hba|brokers?|members?|connection|addresses)\b/i,
    weight: 0.74,
  },
  {
    pattern:
      /\bnot (?:allowed|permitted|authori[sz]ed|accessible|reachable|supported|valid|defined|set|trusted|enough|writable|mounted|connected|responding|running|recogni[sz]ed|bound|sufficient|available|in sync|resolv|present|installed|configured|implemented|a (?:valid|directory)|open|signed|owned|synchroni[sz]ed|registered|listening|specified|provided|mapped)/i,
    weight: 0.68,
  },
  { pattern: /\b(?:is|are|was|were|still|has|have|been)(?: not|n.t) (?:yet )?[a-z]+/i, weight: 0.42 },
  {
    pattern:
      /\btak(?:ing|es|en|e) (?:longer|too|more than)|\blonger than\b|\bslower than\b|\btoo (?:many|long|large|slow|old|big|few|small|high|low|short|late|much|quickly|fast|soon|early)\b/i,
    weight: 0.66,
  },
  {
    pattern:
      /\btim(?:ed|ing) ?out\b|\bdeadline exceeded\b|\breset by (?:peer|the)\b|\bbroken pipe\b|\bunexpected (?:eof|end)\b|\bconnection (?:closed|lost|reset)\b/i,
    weight: 0.66,
  },
  {
    pattern:
      /\bout of (?:memory|disk|space|range|sync|bounds|quota|file|inodes|shared|date|order)\b|\brunning low\b|\b(?:is|was|running|critically|too) low\b|\blow on\b|\b(?:is|are|disk|queue|pool|volume|storage|almost|filesystem|table|buffer|backlog|slots?) full\b|\bread-?only (?:file|mode|replica|transaction|user|state)\b|\bremount\w* .{0,30}read-?only/i,
    weight: 0.72,
  },
  {
    pattern:
      /\b(?:exceed(?:s|ed|ing)?|above|over|below|under|reached|hit|beyond|past) (?:the |its |a |maximum |max |memory |hard |soft )*(?:limit|threshold|quota|capacity|maximum|minimum|timeout|deadline|budget|allowed|retention|target(?! \S{1,80}\.target)|request)\b/i,
    weight: 0.66,
  },
  {
    pattern:
      /\b(?:must|requires?|required|expected|should) (?:be|to|a|an|at least|have|not|is)\b|\bexpected [^ ]+ (?:but|got|to)\b|\bis required\b/i,
    weight: 0.46,
  },
  {
    pattern: /\b(?:disk|filesystem|memory|cpu|inode|heap|pool|swap|volume)\b[^.]{0,40}\b(?:9[0-9]|100)(?:\.\d+)? ?%/i,
    weight: 0.55,
  },
  {
    pattern:
      /\b(?:status|code|statuscode|http\/\d(?:\.\d)?"?|returned|response|responded|with|got)["']?[ :=]{1,3}["']?(?:408|413|429|499|50[0-47])\b|" (?:408|413|429|499|50[0-47]) \d|^\d{2,9} (?:408|413|429|499|50[0-47])$/i,
    weight: 0.6,
  },
  {
    pattern: /\b(?:status|code|statuscode|returned|response|responded|with|got)["']?[ :=]{1,3}["']?(?:40[1349])\b/i,
    weight: 0.42,
  },
  { pattern: /" (?:40[1349]) \d/, weight: 0.24 },
  {
    pattern:
      /\b(?:limit|max\w*(?: \w+)?|quota|capacity|threshold) (?:is |was |has been |already )?(?:reached|exceeded|hit)\b/i,
    weight: 0.66,
  },
  { pattern: /\bnot (?:yet )?[a-z]{2,20}ing\b|\bidle in transaction\b|\bclose[-_]wait\b/i, weight: 0.45 },
  {
    pattern:
      /\((?:9\d|[1-9]\d\d)(?:\.\d+)?%\)|(?<!\b(?:left|free|available|remaining|idle|uptime|hit ratio|success rate|availability)[ :=]{1,3})\b(?:9[5-9]|100)(?:\.\d+)? ?%(?! (?:left|free|available|remaining|idle|complete|done|success|healthy|uptime|hits?)\b)/,
    weight: 0.36,
  },
  {
    pattern:
      /\bexit(?:ed|ing)?(?:[ _-]with)?[ _-]?(?:code|status|value)?["']?[ :=]{1,10}["']?(?:12[67]|13[0-9]|14[0-9]|255)\b/i,
    weight: 0.6,
  },
  {
    pattern:
      /\bpeer (?:is )?down\b|\b(?:link|interface|host|node|server|service|broker|connection|neighbor|state|status|replica|master|primary) (?:is |went |was |has gone |marked )?(?:down|dead|offline|lost)\b/i,
    weight: 0.62,
  },
  {
    pattern: /\bsyntax error\b|\bduplicate key\b|\bsyntaxerror\b|\bparse error\b|\bfirst .{0,30}untagged\b/i,
    weight: 0.75,
  },
];

/** Consequences that every failure of their kind has. The weight is the most that such a line gets. */
export const SYMPTOMS: readonly Phrase[] = [
  { pattern: /\b(?:favicon\.ico|robots\.txt|apple-touch-icon[\w-]{0,20}\.png)\b/, weight: 0.22 },
  { pattern: /back-?off (?:restarting|\d)|CrashLoopBackOff|restarting failed container/i, weight: 0.3 },
  { pattern: /specified backoff limit|BackoffLimitExceeded|JobFailed|Job has failed|Job failed:? exit/i, weight: 0.32 },
  {
    pattern:
      /\b(?:exit(?:ed)?(?:[ _]with)?|return(?:ed)?|terminated with|failed with)[ _-]?(?:error )?(?:exit )?(?:code|status|value)["']?[ :=]{1,10}["']?(?:[1-9]\d?|1[01]\d|12[0-5])\b/i,
    weight: 0.33,
  },
  {
    pattern:
      /^Error [12]$|: \*\*\* .{0,80}Error \d|ELIFECYCLE|complete log of this run|stack frames|command terminated|could not compile|^for more (?:information|details)\b/i,
    weight: 0.3,
  },
  {
    pattern:
      /\b(?:pod|container|replica)s? .{0,80}(?:is|are) not ready\b|containers with (?:unready|incomplete) status|ContainersNotReady/i,
    weight: 0.34,
  },
  {
    pattern: /minimum availability|MinimumReplicasUnavailable|ProgressDeadlineExceeded|has timed out progressing/i,
    weight: 0.42,
  },
  { pattern: /(?:liveness|readiness|startup) probe failed|failed (?:liveness|readiness|startup) probe/i, weight: 0.56 },
  {
    pattern: /^Traceback \(most recent|^goroutine \d+ \[|^During handling of|^The above exception was|^\*\*\*+$/,
    weight: 0,
  },
  {
    pattern:
      /\b(?:retry|retries|retried|attempt)\b.{0,40}\bsucce(?:ss|ed)|\bsucceeded (?:on|after|at) |[,;] (?:recovered|resuming|resumed|reconnected)\.?$/i,
    weight: 0.28,
  },
  {
    pattern:
      /^(?:##\[(?:warning|command|section|debug)\]|::(?:warning|debug|notice)\b|##vso\[task\.(?!logissue type=error))/,
    weight: 0.3,
  },
  { pattern: /\bwarn(?:ing)?\b.{0,20}\b(?:unused|deprecat\w{2,8})\b/i, weight: 0.25 },
  { pattern: /\bsignal 15\b|\bSIGTERM\b/, weight: 0.39 },
  { pattern: /\bresponse failed\b|\bInternal Server Error\b/, weight: 0.64 },
  { pattern: /ExperimentalWarning|DeprecationWarning|is deprecated\b|\bdeprecated (?:in|and|since)\b/i, weight: 0.25 },
];
