// Generates incident families from failure modes: members share a cause but differ in service, wording, numbers, timestamps
// and log noise; look-alikes share the service but not the cause. The same seed gives the same incidents.

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { SEVERITIES, type Severity } from "../../functions/schemas/incident.ts";
import { readJsonLines } from "../support/json-lines.ts";
import { randomNumbers } from "../support/random-numbers.ts";

export interface FamilyIncident {
  /** The body of POST /v1/triage. */
  readonly report: {
    readonly title: string;
    readonly target: string;
    readonly severity: Severity;
    readonly labels: Readonly<Record<string, string>>;
    readonly logs?: string;
  };
  readonly fix: string;
}

export interface IncidentFamily {
  readonly domain: string;
  /** Unique in its domain. */
  readonly name: string;
  /** Incidents with the same cause. */
  readonly members: readonly FamilyIncident[];
  /** Incidents with other causes; each has the service of the member with the same index. */
  readonly lookAlikes: readonly FamilyIncident[];
}

const template = z.string();
const lookAlikeSchema = z.strictObject({ report: template, log: template, fix: template });
/**
 * A hand-written template of a family. `{service}`, `{host}`, `{n}` and other slots get one value for a whole incident;
 * `[this|that]` is replaced by one of its alternatives.
 */
const failureModeSchema = z.strictObject({
  /** Unique in its domain. */
  name: z.string(),
  /** The seed runbook for this failure. */
  runbook: z.string(),
  /** One report for each member: alerts, chat messages, and vague reports whose log shows the cause. */
  reports: z.array(template).length(5),
  /** Log excerpts; lines are separated by `\n`. */
  logs: z.array(template).min(2),
  /** The fix in the words of different people. */
  fixes: z.array(template).min(2),
  /** Incidents with similar words and another cause. */
  lookAlikes: z.array(lookAlikeSchema).min(2),
});
type FailureMode = z.infer<typeof failureModeSchema>;

const FOLDER = fileURLToPath(new URL("families/", import.meta.url));
const DOMAINS = ["docker", "podman", "kubernetes", "postgres"];

/** The failure modes of each domain. */
export const FAILURES: ReadonlyMap<string, readonly FailureMode[]> = new Map(
  DOMAINS.map((domain) => [domain, readJsonLines(join(FOLDER, `${domain}.jsonl`), failureModeSchema)]),
);

/** @param seed any integer */
export function incidentFamilies(seed: number): IncidentFamily[] {
  const random = createRandom(seed);
  return [...FAILURES].flatMap(([domain, failures]) => failures.map((failure) => familyOf(domain, failure, random)));
}

const SERVICES = (
  "checkout-api billing-worker image-resizer search-indexer session-store mail-gateway ledger catalog auth-proxy " +
  "report-builder recommender notifier cart-service payments fraud-scorer media-encoder tax-engine user-profile " +
  "inventory-sync webhooks price-feed geo-lookup export-runner chat-relay"
).split(" ");
const HOSTS = "node-a17 prod-eu-3 worker-12 ip-10-0-4-91 bm-208 edge-us-5 stage-2 db-main-01".split(" ");
const NAMESPACES = "shop core team-blue payments-prod analytics platform".split(" ");
const SINCES = [
  "since the deploy",
  "since 03:10",
  "since last night",
  "for 20 minutes now",
  "since this morning",
  "again",
  "since the maintenance window",
];
/** Title prefixes of alerting systems and people; most titles have none. */
const PREFIXES = ["", "", "", "[FIRING:1] ", "fyi: ", "P2 - ", "[prod] "];

/** Log lines without information about the failure. */
const NOISE = [
  "INFO GET /api/v2/orders/{big} 200 {n}ms",
  "INFO POST /internal/events 202 {n}ms request_id={id}",
  "DEBUG gc pause {n}ms",
  "INFO connected to redis at 10.3.{n}.11:6379",
  "INFO flushed {big} metrics to statsd",
  "INFO scheduler tick {big}",
  "DEBUG feature flags refreshed ({n} flags)",
  "INFO worker {n} picked job {id}",
  "WARN deprecated header x-legacy-id from client {n}",
  "INFO config reloaded, checksum {id}",
];

/** Timestamp formats; one log uses one of them. @param second seconds since the first line of the log */
const TIMESTAMPS: readonly ((second: number) => string)[] = [
  (second) => `${new Date(Date.UTC(2026, 1, 11, 3, 12, second)).toISOString()} `,
  (second) => `2026-02-19 14:07:${String(second % 60).padStart(2, "0")},${100 + second} `,
  (second) => `Mar  2 22:41:${String(second % 60).padStart(2, "0")} `,
  () => "",
];

/** Index of the member without a log, like most reports in a chat. */
const WITHOUT_LOG = 2;

function familyOf(domain: string, failure: FailureMode, random: Random): IncidentFamily {
  const services = shuffled(SERVICES, random);
  const incidentOn = (service: string, texts: Texts) => incidentOf(domain, texts, valuesFor(service, random), random);
  return {
    domain,
    name: failure.name,
    members: failure.reports.map((report, i) =>
      incidentOn(services[i] ?? "", {
        report,
        log: i === WITHOUT_LOG ? null : (failure.logs[i % failure.logs.length] ?? null),
        fix: random.pick(failure.fixes),
      }),
    ),
    lookAlikes: failure.lookAlikes.map((lookAlike, i) => incidentOn(services[i] ?? "", lookAlike)),
  };
}

interface Texts {
  readonly report: string;
  readonly log: string | null;
  readonly fix: string;
}

function incidentOf(domain: string, { report, log, fix }: Texts, values: Values, random: Random): FamilyIncident {
  const title = fill(random.pick(PREFIXES) + report, values, random);
  return {
    report: {
      title: title.charAt(0).toUpperCase() + title.slice(1),
      target: values.service ?? "",
      severity: random.pick(SEVERITIES.slice(0, 3)),
      labels: labelsFor(domain, values),
      ...(log === null ? {} : { logs: noisyLog(fill(log, values, random).split("\n"), values, random) }),
    },
    fix: fill(fix, values, random),
  };
}

type Values = Readonly<Record<string, string>>;

function valuesFor(service: string, random: Random): Values {
  return {
    service,
    host: random.pick(HOSTS),
    ns: random.pick(NAMESPACES),
    since: random.pick(SINCES),
    version: `v${random.between(1, 9)}.${random.between(0, 40)}.${random.between(0, 9)}`,
    n: String(random.between(3, 40)),
    big: String(random.between(1_000_000, 99_000_000)),
    pct: String(random.between(86, 100)),
    mb: String(random.pick([256, 384, 512, 768, 1536, 2048])),
    id: random.between(0x10000000, 0x7fffffff).toString(16),
    pid: String(random.between(900, 65_000)),
    port: String(random.pick([80, 443, 3000, 5432, 8080, 8443, 9090])),
  };
}

function labelsFor(domain: string, values: Values): Record<string, string> {
  const { host = "", ns = "" } = values;
  if (domain === "postgres") return { source_type: "database", instance: host };
  return { container_runtime: domain, ...(domain === "kubernetes" ? { namespace: ns } : { host }) };
}

const CHOICE = /\[([^[\]|]*(?:\|[^[\]|]*)+)\]/g;
const SLOT = /\{([a-z]+)\}/g;

function fill(template: string, values: Values, random: Random): string {
  return template
    .replace(CHOICE, (_, choices: string) => random.pick(choices.split("|")))
    .replace(SLOT, (_, name: string) => values[name] ?? name)
    .trim();
}

/** The relevant lines in order, with noise before, between and after them. */
function noisyLog(relevantLines: readonly string[], values: Values, random: Random): string {
  const stamp = random.pick(TIMESTAMPS);
  const noise = (max: number) =>
    Array.from({ length: random.between(0, max) }, () =>
      fill(random.pick(NOISE), { ...values, ...valuesFor("", random) }, random),
    );
  const lines = [...noise(5), ...relevantLines.flatMap((line) => [line, ...noise(1)]), ...noise(2)];
  return lines.map((line, i) => stamp(i) + line).join("\n");
}

interface Random {
  /** A whole number from `min` to `max`, both included. */
  between(min: number, max: number): number;
  pick<T>(items: readonly T[]): T;
}

function createRandom(seed: number): Random {
  const next = randomNumbers(seed);
  const between = (min: number, max: number) => min + Math.floor(next() * (max - min + 1));
  return {
    between,
    pick<T>(items: readonly T[]): T {
      const [item] = items.slice(between(0, items.length - 1));
      if (item === undefined) throw new RangeError("The list is empty.");
      return item;
    },
  };
}

function shuffled<T>(items: readonly T[], random: Random): T[] {
  const remaining = [...items];
  return items.flatMap(() => remaining.splice(random.between(0, remaining.length - 1), 1));
}
