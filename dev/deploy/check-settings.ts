// The settings of an environment: values, contradictions, bindings, names that two environments share.

import { findContradictions } from "../../functions/config/contradictions.ts";
import { INTERNALS } from "../../functions/config/internals.ts";
import { settingsSchema } from "../../functions/config/settings.ts";
import { JOB_NAMES, SCHEDULE } from "../../functions/jobs/schedule.ts";
import { queueNames, SECRET_SETTINGS, type WorkerEnvironment } from "./environment.ts";
import { type Finding, findingsOf } from "./finding.ts";
import type { SettingValues } from "./settings-file.ts";

const { ok, problem } = findingsOf("settings");

const BINDINGS = {
  queues: ["OUTBOX_QUEUE", "TRIAGE_QUEUE", "WRITE_QUEUE"],
  rateLimits: ["RATE_LIMIT", "TRIAGE_RATE_LIMIT", "FAILED_AUTH_RATE_LIMIT"],
} as const;

/** Valid for most secrets, so that settings can be checked without their values. */
const standIn = (name: string) =>
  name.endsWith("_URL") ? "https://not-here.invalid" : "0123456789abcdef0123456789abcdef";

export interface SettingsInput {
  readonly environment: WorkerEnvironment;
  /** The other environments of the file, by name, and those of their settings that are here. */
  readonly others: ReadonlyMap<string, { readonly environment: WorkerEnvironment; readonly values: SettingValues }>;
  /** Names of secrets that the Worker has or gets. */
  readonly secretNames: readonly string[];
  readonly secretValues: SettingValues;
}

export function checkSettings(input: SettingsInput): Finding[] {
  const problems = [
    ...findMisplacedSecrets(input),
    ...findInvalidSettings(input),
    ...findMissingBindings(input),
    ...findWrongCrons(input),
    ...findSharedNames(input),
  ].map(([text, mend]) => problem(text, mend));
  if (problems.length > 0) return problems;
  const count = new Set([...Object.keys(input.environment.vars), ...input.secretNames]).size;
  const queues = queueNames(input.environment).length;
  const crons = JOB_NAMES.length;
  return [ok(`${count} settings, ${queues} queues and ${crons} cron expressions are consistent.`)];
}

type Problem = readonly [text: string, mend: string];

function findMisplacedSecrets({ environment, secretNames }: SettingsInput): Problem[] {
  return Object.keys(environment.vars).flatMap((name): Problem[] => {
    const mend = `Remove it there, and run: npx wrangler secret put ${name}`;
    if (SECRET_SETTINGS.includes(name))
      return [[`${name} is a secret, and stands in clear text in wrangler.toml.`, mend]];
    return secretNames.includes(name)
      ? [
          [
            `${name} stands in wrangler.toml, and is a secret of the Worker or a line of its settings, too.`,
            "Remove one of them.",
          ],
        ]
      : [];
  });
}

function findInvalidSettings({ environment, secretNames, secretValues }: SettingsInput): Problem[] {
  const standIns = Object.fromEntries(secretNames.map((name) => [name, standIn(name)]));
  const values: Record<string, unknown> = { ...environment.vars, ...standIns, ...secretValues };
  const isUnknownValue = (name: string) => name in standIns && !(name in secretValues);
  const first = settingsSchema.safeParse(values);
  // The value of a secret that is not here cannot be wrong: only its name is known.
  for (const { path } of first.error?.issues ?? []) {
    const [name] = path;
    if (typeof name === "string" && isUnknownValue(name)) delete values[name];
  }
  const parsed = settingsSchema.safeParse(values);
  if (parsed.success) {
    const contradictions = findContradictions({ ...parsed.data, ...INTERNALS });
    return contradictions.map((text) => [text, "See docs/reference/settings.md."]);
  }
  return parsed.error.issues.flatMap(({ path: [name], message }): Problem[] => {
    const setting = String(name);
    if (setting in values) return [[`${setting}: ${message}.`, "See docs/reference/settings.md."]];
    return isUnknownValue(setting)
      ? []
      : [[`${setting} is required, and is not set.`, `npx wrangler secret put ${setting}`]];
  });
}

function findMissingBindings({ environment: { queues, ratelimits, ai, assets, vars } }: SettingsInput): Problem[] {
  const producers = new Set(queues.producers.map(({ binding }) => binding));
  const limits = new Set(ratelimits.map(({ name }) => name));
  const consumed = new Set(queues.consumers.map(({ queue }) => queue));
  const unread = [
    ...queues.producers.map(({ queue }) => queue),
    ...queues.consumers.flatMap(({ dead_letter_queue }) => dead_letter_queue ?? []),
  ].filter((queue) => !consumed.has(queue));
  const usesAi = Object.entries(vars).filter(
    ([name, value]) =>
      ["EMBEDDING_MODEL", "MODEL", "SMALL_MODEL", "RERANKER"].includes(name) && String(value).startsWith("workers-ai:"),
  );
  const missing = (binding: string, kind: string): Problem => [
    `The binding ${binding} is missing.`,
    `Add it to wrangler.toml: ${kind}.`,
  ];
  return [
    ...BINDINGS.queues.filter((name) => !producers.has(name)).map((name) => missing(name, "[[queues.producers]]")),
    ...BINDINGS.rateLimits.filter((name) => !limits.has(name)).map((name) => missing(name, "[[ratelimits]]")),
    ...[...new Set(unread)].map(
      (queue): Problem => [`Nothing consumes the queue ${queue}.`, "Add [[queues.consumers]] for it to wrangler.toml."],
    ),
    ...(ai?.binding === "AI" ? [] : usesAi.slice(0, 1).map(([name]) => missing(`AI (${name} needs it)`, "[ai]"))),
    ...(assets?.binding === "ASSETS" ? [] : [missing("ASSETS", "[assets]")]),
  ];
}

function findWrongCrons({ environment: { triggers } }: SettingsInput): Problem[] {
  const crons = new Set(triggers.crons ?? []);
  const missing = JOB_NAMES.filter((name) => !crons.has(SCHEDULE[name].cron));
  const expressions = new Set<string>(JOB_NAMES.map((name) => SCHEDULE[name].cron));
  const unknown = [...crons].filter((cron) => !expressions.has(cron));
  return [
    ...missing.map(
      (name): Problem => [
        `The job ${name} never runs: its cron expression is missing.`,
        `Add "${SCHEDULE[name].cron}" to crons in wrangler.toml.`,
      ],
    ),
    ...unknown.map(
      (cron): Problem => [`The cron expression "${cron}" belongs to no job.`, "Remove it from crons in wrangler.toml."],
    ),
  ];
}

function findSharedNames({ environment, others, secretValues }: SettingsInput): Problem[] {
  const isolated = (each: WorkerEnvironment, values: SettingValues) => {
    const { SUPABASE_URL, CHROMA_URL, CHROMA_TENANT, CHROMA_DATABASE } = { ...each.vars, ...values };
    return [
      ...queueNames(each).map((name) => `the queue ${name}`),
      ...each.ratelimits.map(({ namespace_id }) => `the rate limit ${namespace_id}`),
      ...(SUPABASE_URL === undefined ? [] : [`the database ${SUPABASE_URL}`]),
      ...(CHROMA_URL === undefined
        ? []
        : [`the Chroma database ${[CHROMA_URL, CHROMA_TENANT, CHROMA_DATABASE].filter(Boolean).join(" ")}`]),
    ];
  };
  return [...others].flatMap(([name, other]) => {
    const theirs = new Set(isolated(other.environment, other.values));
    const shared = isolated(environment, secretValues).filter((resource) => theirs.has(resource));
    return shared.map((resource): Problem => [`${name} uses ${resource}, too.`, "Give each environment its own."]);
  });
}
