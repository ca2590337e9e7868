// Patterns that show a name by its structure. Each repetition has a bound, so the time is linear in the text. A pattern
// begins with its rarest part where it can, and reads what stands before that with a lookbehind: this is much faster.

import type { NameKind } from "./placeholder.ts";

/** How surely the place of a value shows that it is a name. */
export type Certainty =
  /** A key, a flag or a path names it: one word is enough. */
  | "named"
  /** Words beside it: it must look like an identifier, or stand in quotes. */
  | "beside"
  /** Its own form shows it. */
  | "shaped";

export interface NameRule {
  /** Its groups `name`, `name2` … are the names. */
  readonly pattern: RegExp;
  readonly kinds: readonly NameKind[];
  readonly certainty: Certainty;
}

const VALUE = String.raw`[\p{L}\p{N}_](?:[\p{L}\p{N}_.-]{0,251}[\p{L}\p{N}])?`;
const LOWER = "[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?";
const QUOTE = "[\"'`“‘]";
const START = String.raw`(?<![\p{L}\p{N}_.-])`;

function rule(certainty: Certainty, kinds: NameKind | readonly NameKind[], pattern: string, flags = "giu"): NameRule {
  return { certainty, kinds: typeof kinds === "string" ? [kinds] : kinds, pattern: new RegExp(pattern, flags) };
}

const OBJECTS: Readonly<Partial<Record<NameKind, string>>> = {
  pod: "pods?|po",
  node: "nodes?|no",
  namespace: "namespaces?|ns",
  service:
    "deployments?(?:\\.apps)?|deploy|statefulsets?(?:\\.apps)?|sts|daemonsets?(?:\\.apps)?|ds|replicasets?(?:\\.apps)?|rs|services?|svc|jobs?(?:\\.batch)?|cronjobs?(?:\\.batch)?|horizontalpodautoscalers?|hpa|endpoints|ep|rollouts?",
  resource:
    "configmaps?|cm|secrets?|ingress(?:es)?|persistentvolumeclaims?|pvc|persistentvolumes?|pv|storageclass(?:es)?|certificates?",
  user: "serviceaccounts?|sa|rolebindings?",
};

/** Words in front of a name in a sentence. */
const BESIDE: Readonly<Partial<Record<NameKind, string>>> = {
  pod: "pods?",
  node: "nodes?",
  namespace: "namespaces?",
  host: "hosts?|hostnames?|servers?|instances?|machines?|vms?|brokers?|replicas?|members?|upstreams?|backends?|droplets?|workstations?",
  service:
    "services?|deployments?|statefulsets?|daemonsets?|replicasets?|containers?|jobs?|cronjobs?|releases?|apps?|applications?|workloads?|targets?",
  cluster: "clusters?",
  database: "databases?|db|keyspaces?|schemas?",
  resource: "buckets?|queues?|topics?|pvcs?|persistentvolumeclaims?|configmaps?|secrets?|vhosts?",
  team: "teams?",
  user: "users?|roles?|logins?|serviceaccounts?|principals?",
};

/** Of the alphabet that Kubernetes draws suffixes from, and of the hexadecimal digits of older versions. */
const HASH = String.raw`(?=[a-z]{0,10}\d)[a-z0-9]{7,10}`;
const SUFFIX = "[bcdfghjklmnpqrstvwxz2456789]{5}";

const SHAPED: readonly NameRule[] = [
  // checkout-7c9f8d6b5-x2x4z; its workload is a name too.
  rule(
    "shaped",
    ["pod", "service"],
    `${START}(?<name>(?<name2>[a-z0-9][a-z0-9.-]{0,200}?)-${HASH}-[a-z0-9]{5})(?![\\w-])`,
    "gu",
  ),
  rule(
    "shaped",
    ["pod", "service"],
    `${START}(?<name>(?<name2>[a-z][a-z0-9.-]{0,200}?)-(?=[a-z]{0,4}\\d)(?=\\d{0,4}[a-z])${SUFFIX})(?![\\w-])`,
    "gu",
  ),
  rule(
    "shaped",
    ["service", "service"],
    `${START}(?<name>(?<name2>[a-z][a-z0-9.-]{0,200}?)-(?=[a-z]{0,9}\\d)(?=\\d{0,9}[a-z])[bcdfghjklmnpqrstvwxz2456789]{8,10})(?![\\w-])`,
    "gu",
  ),
  rule("shaped", "host", String.raw`${START}(?<name>ip(?:-\d{1,3}){4}(?:\.[a-z0-9-]{1,63}){0,6})(?![\w-])`),
  // Identifiers of AWS resources.
  rule(
    "shaped",
    "resource",
    `${START}(?<name>(?:i|vpc|subnet|sg|vol|eni|rtb|igw|nat|lb|snap|eipalloc|tgw|pcx|fs)-[0-9a-f]{8,17})(?![\\w-])`,
    "gu",
  ),
  rule(
    "shaped",
    ["account", "resource"],
    String.raw`\barn:aws[a-z-]{0,10}:[a-z0-9-]{1,40}:[a-z0-9-]{0,30}:(?<name>\d{12})?:(?<name2>[^\s"'<>,;)\]]{1,500})`,
  ),
  rule("shaped", "account", String.raw`(?<![\w.])(?<name>\d{12})\.dkr\.ecr\.`),
  // web-03, db01: with leading zeros, as hosts are numbered.
  rule(
    "shaped",
    "host",
    `${START}(?<name>[a-z][a-z0-9]{0,30}(?:-[a-z0-9]{1,30}){0,6}-?(?<=[a-z]-?)0\\d{1,2})(?![\\w-]|\\.\\d)`,
    "gu",
  ),
];

/** `checkout-api`, `orders-worker-2`, `payments-prod`: a compound that ends like a workload, or names an environment. */
const WORKLOAD =
  "api|app|backend|bff|bot|broker|cache|client|consumer|controller|cron|cronjob|daemon|database|db|frontend|function|gateway|gw|handler|importer|indexer|ingest|job|listener|manager|mq|portal|primary|processor|producer|proxy|publisher|queue|redis|replica|runner|scheduler|server|service|site|sidecar|store|streamer|subscriber|svc|sync|syncer|ui|web|webapp|webhook|worker|workers|postgres|mysql|kafka|mongo|nginx|cluster|eks|gke|aks";
const ENVIRONMENT = "prod|production|staging|stage|stg|dev|qa|uat|preprod|sandbox";
const COMPOUNDS: readonly NameRule[] = [
  rule(
    "shaped",
    "service",
    `${START}(?<name>[a-z][a-z0-9]{0,40}(?:[-_][a-z0-9]{1,40}){0,5}(?:-(?:${WORKLOAD}|${ENVIRONMENT})|_(?:${ENVIRONMENT}))(?:[-_]?\\d{1,4})?)(?![\\w-]|\\.[a-z])`,
    "gu",
  ),
  rule("shaped", "service", `${START}(?<name>(?:${ENVIRONMENT})(?:[-_][a-z0-9]{1,40}){1,6})(?![\\w-]|\\.[a-z])`, "gu"),
];

/** @see https://www.rfc-editor.org/rfc/rfc3986 §3.2 */
const ADDRESSES: readonly NameRule[] = [
  // The user and the host of a URL; the database of a DSN.
  rule(
    "named",
    ["user", "host"],
    String.raw`\b[a-z][a-z0-9+.-]{1,20}:\/\/(?:(?<name>[^\s:@/"'<>]{1,100})(?::[^\s@/"'<>]{0,200})?@)?(?<name2>${VALUE})`,
  ),
  rule(
    "named",
    "database",
    String.raw`\b(?:postgres(?:ql)?|mysql|mariadb|mongodb(?:\+srv)?|sqlserver|jdbc:[a-z]{1,20}):\/\/[^\s/"'<>]{1,300}\/(?<name>${VALUE})`,
  ),
  rule("named", "resource", String.raw`\b(?:s3a?|gs):\/\/(?<name>${VALUE})`),
  rule(
    "named",
    ["service", "namespace"],
    String.raw`(?<=${START}(?<name>[a-z0-9-]{1,63})\.(?<name2>[a-z0-9-]{1,63}))\.(?:svc|pod)(?![\w-])`,
  ),
  // Places where programs write a host: a lookup, a connection, an ssh.
  rule(
    "beside",
    "host",
    String.raw`\b(?:lookup|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|UnknownHostException:|unknown host:?|resolve(?: host(?:name)?)?:?|reach|ssh|ping|telnet|dig|nslookup|rsync|connect(?:ing|ed|ion)? to|listening on|leader is|running on|scheduled on|assigned \S{1,200} to|from|via|on|at) ${QUOTE}?(?<name>${VALUE})`,
  ),
  rule(
    "named",
    "host",
    String.raw`\b(?:ENOTFOUND|EAI_AGAIN|UnknownHostException:|unknown host:?|could not translate host name|could not resolve(?: host)?:|no route to host:?|lookup) ${QUOTE}?(?<name>${VALUE})`,
  ),
  // orders-db:5432
  rule("beside", "host", String.raw`${START}(?<name>${LOWER}):\d{2,5}(?![\w.:-])`, "gu"),
  // Syslog: the host follows the time.
  rule(
    "named",
    "host",
    String.raw`^(?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\S{0,16}) (?<name>${VALUE}) [\w./()-]{1,48}(?:\[\d{1,10}\])?: `,
    "gmu",
  ),
];

const USERS: readonly NameRule[] = [
  rule(
    "named",
    "user",
    String.raw`(?:\/home|\/Users|\\Users|\\\\Users|\/var\/spool\/cron(?:\/crontabs)?)[\\/]{1,2}(?<name>${VALUE})`,
  ),
  rule(
    "named",
    "user",
    String.raw`\b(?:for|by|as|of|to|from)(?: the)?(?: invalid| illegal| unknown)? (?:user|role|login|account|principal) ${QUOTE}?(?<name>${VALUE})`,
  ),
  rule(
    "named",
    "user",
    String.raw`\b(?:password|publickey|keyboard-interactive\/pam|gssapi-with-mic|none) for (?:invalid user )?(?<name>${VALUE}) from `,
  ),
  rule("named", "user", String.raw`\b(?:sudo|su)(?:\[\d{1,10}\])?: {1,8}(?<name>${VALUE}) :`),
  rule("named", "user", String.raw`\b[ug]id=\d{1,10}\((?<name>${VALUE})\)`),
  rule("named", "user", String.raw`(?<![\w-])user:? (?<name>${VALUE})(?=[,;)]|\.?$|\. )`, "gimu"),
  rule("named", "user", String.raw`(?<=["'\x60](?<name>${VALUE}))["'\x60]@["'\x60]`),
  // 'alice'@'10.0.0.1' of MySQL, alice@web-03 of ssh.
  rule("named", ["user", "host"], String.raw`["'\x60](?<name>${VALUE})["'\x60]@["'\x60](?<name2>${VALUE})["'\x60]`),
  rule(
    "named",
    ["user", "host"],
    String.raw`(?<=${START}(?!git@)(?<name>${VALUE}))@(?<name2>${VALUE})(?![\p{L}\p{N}@])`,
  ),
  rule("named", "user", String.raw`${START}[A-Z][A-Z0-9-]{1,14}\\{1,2}(?<name>[A-Za-z][\w.-]{1,30})(?![\w\\])`, "gu"),
  rule("named", ["namespace", "user"], String.raw`\bsystem:serviceaccount:(?<name>${LOWER}):(?<name2>${LOWER})`),
  rule("named", "node", String.raw`\bsystem:node:(?<name>${LOWER})`),
];

const COMMANDS: readonly NameRule[] = [
  rule(
    "named",
    "service",
    String.raw`\b(?:docker|podman) (?:container )?(?:logs|restart|stop|start|inspect|kill|rm|update|top|stats|port|diff|wait|pause|unpause|rename)(?: --?[a-z-]{1,20}(?:[= ]\d{1,10}[a-z]?)?){0,4} (?<name>${VALUE})`,
  ),
  rule("named", "namespace", String.raw`(?<=\s)(?:-n|--namespace)[ =]{1,2}${QUOTE}?(?<name>${LOWER})(?![\w=])`),
  rule(
    "named",
    "cluster",
    String.raw`(?<=\s)--(?:(?:kube-)?context[ =]|cluster-name[ =]|cluster=)${QUOTE}?(?<name>${VALUE})`,
  ),
  rule("named", "host", String.raw`(?<=\s)--host(?:name)?[ =]${QUOTE}?(?<name>${VALUE})`),
  rule(
    "named",
    "host",
    String.raw`\b(?:psql|pg_[a-z]{2,12}|mysql[a-z]{0,8}|mariadb[a-z-]{0,8}|redis-cli|valkey-cli)[^\n|;]{0,80}? -h ?${QUOTE}?(?<name>${VALUE})`,
    "gu",
  ),
  rule("named", "database", String.raw`\b(?:psql|pg_[a-z]{2,12})[^\n|;]{0,80}? -d ?${QUOTE}?(?<name>${VALUE})`, "gu"),
  rule("named", "user", String.raw`(?<=\s)(?:--user=|--username[ =]|-U )${QUOTE}?(?<name>${VALUE})`, "gu"),
  rule("named", "database", String.raw`(?<=\s)(?:--dbname|--database)[ =]${QUOTE}?(?<name>${VALUE})`),
  rule("named", "namespace", String.raw`\bin (?:the )?namespace ${QUOTE}?(?<name>${LOWER})`),
  rule(
    "named",
    ["account", "resource"],
    String.raw`\bprojects\/(?<name>[a-z][a-z0-9-]{4,61})(?:\/[a-z]{1,20}\/(?<name2>${VALUE}))?`,
  ),
  rule(
    "named",
    ["account", "resource"],
    String.raw`\/subscriptions\/(?<name>[0-9a-f-]{36})(?:\/resourceGroups\/(?<name2>${VALUE}))?`,
  ),
];

const KINDS_BESIDE = Object.entries(BESIDE) as [NameKind, string][];
const KINDS_OF_OBJECTS = Object.entries(OBJECTS) as [NameKind, string][];

/** The most certain first: the first rule that finds a name decides its kind. */
export const NAME_RULES: readonly NameRule[] = [
  ...KINDS_OF_OBJECTS.map(([kind, words]) =>
    rule("named", kind, String.raw`(?<![\w./-])(?:${words})\/(?<name>${LOWER})(?!\/)`, "gu"),
  ),
  // A namespace in front of its object, as in "pod shop/checkout-0", and behind it, as kubelet writes a pod.
  rule(
    "named",
    ["namespace", "service"],
    String.raw`(?<![\w-])(?:pods?|containers?|deployments?|statefulsets?|daemonsets?|services?|jobs?|endpoints|ingress|lock) ${QUOTE}?(?<name>[a-z0-9-]{1,63})\/(?<name2>${LOWER})(?!\/)`,
    "gu",
  ),
  rule(
    "named",
    ["pod", "namespace"],
    String.raw`(?<=${START}(?<name>[a-z0-9.-]{1,253})_(?<name2>[a-z0-9-]{1,63}))\([0-9a-f-]{4,36}\)`,
    "gu",
  ),
  ...SHAPED,
  ...ADDRESSES,
  ...USERS,
  ...COMMANDS,
  ...KINDS_BESIDE.map(([kind, words]) =>
    rule(
      "beside",
      kind,
      String.raw`(?<![\p{L}\p{N}_-])(?:${words}):? (?:(?:named|called|name) )?(?<name>${QUOTE}?${VALUE})`,
    ),
  ),
  // user "alice", service `ledger`
  ...KINDS_BESIDE.map(([kind, words]) =>
    rule(
      "named",
      kind,
      String.raw`(?<![\p{L}\p{N}_-])(?:${words}):? (?:(?:named|called|name) )?["'\x60“](?<name>${VALUE})["'\x60”]`,
    ),
  ),
  // the checkout-api pods
  ...KINDS_BESIDE.map(([kind, words]) =>
    rule(
      "beside",
      kind,
      String.raw`(?<=${START}(?<name>${QUOTE}?${LOWER}["'\x60]?) )(?:${words})(?![\p{L}\p{N}_-])`,
      "gu",
    ),
  ),
  ...COMPOUNDS,
];

/** A key with its value: of a label, JSON, YAML, logfmt or an environment. The value may be the key of the next pair. */
export const PAIR =
  /(?<![\p{L}\p{N}_./-])(?<key>[A-Za-z][A-Za-z0-9_./-]{0,80})["']?(?<separator>[ \t]{0,2}(?:[:=]|=~|=>)[ \t]{0,2})(?=(?<quote>\\?["'\x60])?(?<value>[\p{L}\p{N}_](?:[\p{L}\p{N}_.:@/\\-]{0,251}[\p{L}\p{N}])?)(?<after>[^\n]?))/gu;
