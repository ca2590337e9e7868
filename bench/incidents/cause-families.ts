// Families of incidents with one cause in several systems, with evidence as tools print it. The texts are templates in
// `causes/`; each draw has other names, numbers, order and noise. Pure functions but for the reading of the files.

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { readCorpus } from "../support/json-lines.ts";
import { randomNumbers } from "../support/random-numbers.ts";
import { NOISE, VAGUE_TITLES } from "./vague-reports.ts";

export interface CauseReport {
  readonly title: string;
  readonly target: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly logs: string;
}

const systemSchema = z.strictObject({
  name: z.string(),
  labels: z.record(z.string(), z.string()),
  alertname: z.string().nullable(),
  titles: z.array(z.string()),
  /** Evidence of different tools about the cause: lines of templates. */
  views: z.array(z.array(z.string())),
  fixes: z.array(z.string()),
});
export type CauseSystem = z.infer<typeof systemSchema>;

const familySchema = z.strictObject({
  /** Unique. */
  name: z.string(),
  cause: z.string(),
  systems: z.array(systemSchema),
  /** Incidents with similar symptoms and another cause. */
  look_alikes: z.array(
    z.strictObject({
      title: z.string(),
      labels: z.record(z.string(), z.string()),
      alertname: z.string().nullable(),
      evidence: z.array(z.string()),
      fix: z.string(),
    }),
  ),
});
export type CauseFamily = z.infer<typeof familySchema>;

const healthySchema = z.strictObject({
  title: z.string(),
  labels: z.record(z.string(), z.string()),
  alertname: z.string().nullable(),
  evidence: z.array(z.string()),
  state: z.enum(["healthy", "recovered", "test"]),
});
export type HealthyReport = z.infer<typeof healthySchema>;

/** `train`: the model is trained on them. `held_out`: nobody looks at them while changing the code. */
export const SPLITS = ["train", "held_out"] as const;
export type Split = (typeof SPLITS)[number];

const FOLDER = fileURLToPath(new URL("causes/", import.meta.url));

export function readCauses(split: Split): {
  readonly families: readonly CauseFamily[];
  readonly healthy: readonly HealthyReport[];
} {
  const records = readCorpus(join(FOLDER, split), z.union([familySchema, healthySchema]));
  return {
    families: records.filter((record) => "systems" in record),
    healthy: records.filter((record) => "state" in record),
  };
}

export interface Draw {
  readonly seed: number;
  readonly service: string;
  /** Index of the view; lines of one view only. */
  readonly view: number;
  /** `vague`: as monitors and people report it when they know nothing. */
  readonly title: "vague" | "specific";
}

export function drawReport(system: CauseSystem, { seed, service, view, title }: Draw): CauseReport {
  const drawn = createDraw(seed, service);
  const lines = system.views[view % system.views.length] ?? [];
  return reportOf(
    {
      title: drawn.pick(title === "vague" ? VAGUE_TITLES : system.titles),
      lines,
      // Who reports vaguely often has no alert.
      alertname: title === "vague" && drawn.chance(0.6) ? null : system.alertname,
      labels: system.labels,
    },
    drawn,
  );
}

export function drawLookAlike(
  { title, labels, alertname, evidence }: CauseFamily["look_alikes"][number] | HealthyReport,
  { seed, service }: Pick<Draw, "seed" | "service">,
): CauseReport {
  return reportOf({ title, lines: evidence, alertname, labels }, createDraw(seed, service));
}

export function drawFix(fixes: readonly string[], { seed, service }: Pick<Draw, "seed" | "service">): string {
  const drawn = createDraw(seed + 1, service);
  return drawn.fill(drawn.pick(fixes));
}

/** Services of the reports: few, so that each has several failures. */
export const SERVICES =
  "checkout ledger catalog auth-proxy recommender cart payments user-profile inventory search-api notifier media-encoder".split(
    " ",
  );

interface ReportTexts {
  readonly title: string;
  readonly lines: readonly string[];
  readonly alertname: string | null;
  readonly labels: Readonly<Record<string, string>>;
}

function reportOf({ title, lines, alertname, labels }: ReportTexts, drawn: Drawn): CauseReport {
  const filled = Object.entries(labels).map(([key, value]) => [key, drawn.fill(value)] as const);
  return {
    title: drawn.fill(title),
    target: drawn.service,
    labels: { ...Object.fromEntries(filled), ...(alertname === null ? {} : { alertname }) },
    logs: noisy(
      lines.flatMap((line) => linesOf(line, drawn)),
      drawn,
    ).join("\n"),
  };
}

const OPTIONAL = /^\?\s?/;
const REPEATED = /^\+\s?/;

function linesOf(template: string, drawn: Drawn): string[] {
  if (OPTIONAL.test(template)) return drawn.chance(0.5) ? [drawn.fill(template.replace(OPTIONAL, ""))] : [];
  if (!REPEATED.test(template)) return [drawn.fill(template)];
  return Array.from({ length: drawn.between(1, 4) }, () => drawn.fill(template.replace(REPEATED, "")));
}

/** Half of the logs have lines of other work in between. */
function noisy(lines: readonly string[], drawn: Drawn): string[] {
  if (drawn.chance(0.5)) return [...lines];
  return lines.flatMap((line) => (drawn.chance(0.2) ? [drawn.fill(drawn.pick(NOISE)), line] : [line]));
}

interface Drawn {
  readonly service: string;
  fill(template: string): string;
  pick<T>(items: readonly T[]): T;
  between(min: number, max: number): number;
  chance(probability: number): boolean;
}

const CHOICE = /\[([^[\]|]*(?:\|[^[\]|]*)+)\]/g;
const SLOT = /\{([a-z]+)\}/g;
/** Slots with one value for a whole report. */
const FIXED = ["service", "other", "pod", "ns", "node", "version", "user", "db", "topic", "path", "port", "uuid", "mb"];

function createDraw(seed: number, service: string): Drawn {
  const next = randomNumbers(seed * 7919 + 17);
  const between = (min: number, max: number) => min + Math.floor(next() * (max - min + 1));
  const pick = <T>(items: readonly T[]): T => {
    const item = items[between(0, items.length - 1)];
    if (item === undefined) throw new RangeError("The list is empty.");
    return item;
  };
  const hex = (length: number) => Array.from({ length }, () => "0123456789abcdef"[between(0, 15)]).join("");
  let second = between(0, 40_000);
  const values: Record<string, () => string> = {
    service: () => service,
    other: () => pick(SERVICES.filter((each) => each !== service)),
    pod: () =>
      `${service}-${hex(9)}-${Array.from({ length: 5 }, () => "bcdfghjklmnpqrstvwxz2456789"[between(0, 26)]).join("")}`,
    ns: () => pick(["shop", "core", "team-blue", "payments-prod", "analytics", "platform"]),
    node: () => pick(["node-a17", "prod-eu-3", "worker-12", "ip-10-0-4-91", "bm-208", "edge-us-5", "db-main-01"]),
    ip: () => `10.${between(0, 250)}.${between(0, 250)}.${between(2, 250)}`,
    n: () => String(between(2, 40)),
    m: () => String(between(2, 40)),
    big: () => String(between(1_000_000, 99_000_000)),
    ms: () => String(between(20, 9_000)),
    pct: () => String(between(80, 100)),
    mb: () => String(pick([256, 384, 512, 768, 1024, 2048])),
    id: () => hex(16),
    uuid: () => `${hex(8)}-${hex(4)}-${hex(4)}-${hex(4)}-${hex(12)}`,
    port: () => String(pick([80, 443, 3000, 5432, 8080, 8443, 9090])),
    version: () => `v${between(1, 9)}.${between(0, 40)}.${between(0, 9)}`,
    pid: () => String(between(900, 65_000)),
    since: () => pick(["since 03:10", "since the deploy", "for 20 minutes", "since last night", "again"]),
    user: () => pick(["app_rw", "svc-orders", "reporting", "batch", "deployer"]),
    db: () => pick(["orders", "billing", "accounts", "inventory", "events"]),
    topic: () => pick(["order-events", "invoices", "emails.out", "clicks", "shipments"]),
    path: () => pick(["/api/v1/orders", "/checkout", "/v2/users/me", "/export", "/search"]),
    t: () => {
      second += between(0, 4);
      return new Date(Date.UTC(2026, 1, 11, 3, 12, second)).toISOString();
    },
  };
  const fixedValues = Object.fromEntries(FIXED.map((name) => [name, values[name]?.() ?? name]));
  return {
    service,
    between,
    pick,
    chance: (probability) => next() < probability,
    fill: (template) =>
      template
        .replace(CHOICE, (_, choices: string) => pick(choices.split("|")))
        .replace(SLOT, (slot, name: string) => fixedValues[name] ?? values[name]?.() ?? slot)
        .trimEnd(),
  };
}
