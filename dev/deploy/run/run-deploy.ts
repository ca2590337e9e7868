// One deployment: obtains and checks every value, then changes what is not yet as it should be. Each step looks at what is
// there, so the command may be repeated, and continues after a failure.

import { randomBytes } from "node:crypto";
import { z } from "zod";
import { describeLoaded, loadBuiltInRunbooks } from "../../../cli/built-in-runbooks.ts";
import packageJson from "../../../package.json" with { type: "json" };
import { consoleLink } from "../../start/console-link.ts";
import { ask } from "../ask.ts";
import { queueCreation } from "../check-account.ts";
import { readMigrations } from "../check-database.ts";
import { checkDeployment, otherEnvironments, renderFindings } from "../check-environment.ts";
import { checkSettings } from "../check-settings.ts";
import { nameForWrangler, PRODUCTION, queueNames, readEnvironment, type WorkerEnvironment } from "../environment.ts";
import { renderFinding } from "../finding.ts";
import {
  CONNECTION_SETTINGS,
  REQUIRED_SETTINGS,
  readSettingValues,
  type SettingValues,
  settingsFile,
  storeSettingValues,
  workerSettings,
} from "../settings-file.ts";
import type { WranglerOptions } from "../wrangler.ts";
import { createQueue, missingQueues, obtainAccount, secretNames } from "./account.ts";
import { buildTag } from "./bundle.ts";
import { applySchema, obtainDatabase } from "./database.ts";
import { type Conversation, DeployError, type Person } from "./person.ts";
import { createDatabase, obtainVectorStore } from "./vector-store.ts";
import { deployedVersion, deployTriggers, deployVersion, deployWords, rollBack } from "./versions.ts";

export interface DeployRequest {
  readonly name: string;
  readonly configPath: string;
  /** Undefined: that of the environment. */
  readonly secretsFile: string | undefined;
  /** Values of options, before those of the file and the shell. */
  readonly values: SettingValues;
  /** The address of the Worker, if it is not the first that wrangler names. */
  readonly url: string | undefined;
  readonly timeoutMs: number;
  /** Only queues and Worker, which keeps its settings. */
  readonly isWorkerOnly: boolean;
  readonly isDryRun: boolean;
  readonly needsNoConfirmation: boolean;
}

export interface DeployTools extends Conversation {
  readonly shell: Readonly<Record<string, string | undefined>>;
  readonly sleep: (ms: number) => Promise<void>;
  /** One line that the next one replaces; nothing without a terminal. */
  readonly showProgress: (text: string) => void;
}

interface Step {
  readonly title: string;
  readonly commands: readonly string[];
  /** What was done, as a sentence. */
  readonly run: () => Promise<string>;
}

const START_ATTEMPTS = 40;
const START_PAUSE_MS = 3_000;
const TOKEN_BYTES = 32;

/** @returns whether all is well. @throws DeployError */
export async function runDeploy(request: DeployRequest, tools: DeployTools): Promise<boolean> {
  const { name, timeoutMs, isWorkerOnly, isDryRun } = request;
  const { print, person } = tools;
  const { environment, presets } = readInputs(request, tools);
  print(`Dejavu ${packageJson.version} to ${name}: the Worker ${environment.name}.\n`);
  if (isDryRun && lacksValues(presets, isWorkerOnly)) return printFirstDeployment(environment, request, presets, tools);
  const options = await obtainAccount(environment, wranglerOptions(request, presets), tools);
  const present = await secretNames(environment, options);
  const plan = isWorkerOnly
    ? { settings: {}, migrations: [], needsVectorDatabase: false, hasNewToken: false }
    : await obtainSettings({ environment, presets, present, timeoutMs }, tools);
  const settings = withAccount(plan.settings, options);
  checkBeforeChange(request, environment, settings, present, print);
  print("… builds the Worker");
  const tag = await buildTag(options, workerSettings(settings));
  const queues = await missingQueues(environment, options);
  const deployed = await deployedVersion(options);
  const url = request.url ?? presets.DEJAVU_URL;
  const isCurrent = !isWorkerOnly && deployed?.tag === tag && deployed.percentage === 100 && url !== undefined;
  const state: { url: string | undefined } = { url };
  const steps: Step[] = [
    ...schemaSteps(plan.migrations, settings),
    ...(plan.needsVectorDatabase ? [vectorDatabaseStep(settings, timeoutMs)] : []),
    ...queues.map((queue) => queueStep(queue, options)),
    isCurrent
      ? triggersStep(tag, options)
      : workerStep({ tag, settings, url }, options, (address) => {
          state.url = address;
        }),
  ];
  announce(steps, { isDryRun, print });
  if (isDryRun) {
    if (isWorkerOnly) print("\nNothing was changed.");
    else printAfterSteps(url, print);
    return true;
  }
  if (person !== null && !request.needsNoConfirmation) await person.confirm("Deploy?");
  const file = request.secretsFile ?? settingsFile(name);
  // Before the first change: a run that fails is continued with the same token.
  if (person !== null && !isWorkerOnly) storeSettingValues(file, storedValues(settings));
  if (plan.hasNewToken) print(`✓ Made a DEJAVU_TOKEN. It is in ${file}, which only you can read.`);
  for (const step of steps) print(`✓ ${await step.run()}`);
  const address = state.url;
  if (address === undefined) throw new DeployError("Wrangler named no address of the Worker. Give it with --url.");
  if (person !== null && !isWorkerOnly) storeSettingValues(file, { DEJAVU_URL: address });
  await waitForWorker(address, tools);
  print(`✓ The Worker answers at ${address}.`);
  return isWorkerOnly ? true : finish(request, { ...settings, DEJAVU_URL: address }, tools);
}

/** @throws DeployError for a file that cannot be read or is not valid */
function readInputs(request: DeployRequest, { shell }: DeployTools) {
  try {
    const { DEJAVU_URL, ...others } = {
      ...readSettingValues(request.name, request.secretsFile, shell),
      ...request.values,
    };
    const address = DEJAVU_URL === undefined ? {} : { DEJAVU_URL: workerAddress(DEJAVU_URL, "DEJAVU_URL") };
    return { environment: readEnvironment(request.configPath, request.name), presets: { ...others, ...address } };
  } catch (cause) {
    throw new DeployError(cause instanceof Error ? cause.message.trim() : String(cause), { cause });
  }
}

/** The address without a slash at its end. @throws DeployError */
export function workerAddress(text: string, name: string): string {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text))
    throw new DeployError(`${name} must be an address that begins with https:// or http://, not "${text}".`);
  return text.replace(/\/+$/, "");
}

/** Without the API token, which stays where it is. */
function storedValues({ CLOUDFLARE_API_TOKEN: _, ...settings }: SettingValues): SettingValues {
  return settings;
}

/** With the account that the person chose. */
function withAccount(settings: SettingValues, { variables }: WranglerOptions): SettingValues {
  const account = variables?.CLOUDFLARE_ACCOUNT_ID;
  return { ...settings, ...(account === undefined ? {} : { CLOUDFLARE_ACCOUNT_ID: account }) };
}

const NEEDED = [...REQUIRED_SETTINGS, "DATABASE_URL"].filter((name) => name !== "DEJAVU_TOKEN");

function lacksValues(presets: SettingValues, isWorkerOnly: boolean): boolean {
  return !isWorkerOnly && NEEDED.some((name) => !(name in presets));
}

/** Every command of a deployment of which nothing is there. Calls nobody, so it needs no account. */
function printFirstDeployment(
  environment: WorkerEnvironment,
  request: DeployRequest,
  presets: SettingValues,
  { print }: DeployTools,
): true {
  const missing = NEEDED.filter((name) => !(name in presets));
  print(`? Nothing was checked: ${missing.join(", ")} are not here. These are the commands of a first deployment.`);
  const options = wranglerOptions(request, presets);
  const settings = Object.fromEntries(
    [...CONNECTION_SETTINGS, "DATABASE_URL"].map((name) => [name, presets[name] ?? `<${name}>`]),
  );
  const steps = [
    ...schemaSteps(readMigrations(), settings),
    vectorDatabaseStep(settings, request.timeoutMs),
    ...queueNames(environment).map((queue) => queueStep(queue, options)),
    workerStep({ tag: "<tag>", settings, url: undefined }, options, () => {}),
  ];
  announce(steps, { isDryRun: true, print });
  printAfterSteps(request.url, print);
  return true;
}

function printAfterSteps(url: string | undefined, print: (line: string) => void): void {
  print("  load the built-in runbooks through the Worker");
  print(`    POST ${url ?? "https://<your-worker>"}/v1/admin/built-in-runbooks`);
  print("\nNothing was changed.");
}

function wranglerOptions({ configPath, name, timeoutMs }: DeployRequest, presets: SettingValues): WranglerOptions {
  const variables = Object.fromEntries(Object.entries(presets).filter(([each]) => each.startsWith("CLOUDFLARE_")));
  return { configPath, environment: name, timeoutMs, variables };
}

interface Plan {
  readonly settings: SettingValues;
  /** Migrations to apply. */
  readonly migrations: readonly string[];
  readonly needsVectorDatabase: boolean;
  readonly hasNewToken: boolean;
}

interface SettingsInput {
  readonly environment: WorkerEnvironment;
  readonly presets: SettingValues;
  /** Names of the Worker's secrets. */
  readonly present: readonly string[];
  readonly timeoutMs: number;
}

async function obtainSettings(
  { environment, presets, present, timeoutMs }: SettingsInput,
  tools: DeployTools,
): Promise<Plan> {
  const { print } = tools;
  const database = await obtainDatabase(presets, tools, timeoutMs);
  print(
    database.pending.length === 0
      ? "✓ The database answers, and has the schema of this version."
      : `✓ The database answers. It lacks ${count(database.pending.length, "migration")}.`,
  );
  const store = await obtainVectorStore(presets, environment.name, tools, timeoutMs);
  print(`✓ Chroma answers. ${store.isMissing ? "The database does not exist yet." : "It has the database."}`);
  const ownToken = await askToken(presets, present, tools.person);
  const DEJAVU_TOKEN = ownToken ?? randomBytes(TOKEN_BYTES).toString("hex");
  return {
    settings: { ...presets, ...database.settings, ...store.settings, DEJAVU_TOKEN },
    hasNewToken: ownToken === undefined,
    migrations: database.pending,
    needsVectorDatabase: store.isMissing,
  };
}

/** @returns undefined if a new one has to be made. @throws DeployError if nobody can be asked */
async function askToken(
  presets: SettingValues,
  present: readonly string[],
  person: Person | null,
): Promise<string | undefined> {
  if (presets.DEJAVU_TOKEN !== undefined) return presets.DEJAVU_TOKEN;
  if (person === null) throw new DeployError("DEJAVU_TOKEN is missing. Make one: openssl rand -hex 32");
  if (!present.includes("DEJAVU_TOKEN")) return undefined;
  const text = "The Worker has a DEJAVU_TOKEN that is not here. Enter it, or nothing to replace it by a new one";
  return (await person.answer({ text, isSecret: true })) || undefined;
}

/** @throws DeployError */
function checkBeforeChange(
  { name, configPath, isWorkerOnly }: DeployRequest,
  environment: WorkerEnvironment,
  settings: SettingValues,
  present: readonly string[],
  print: (line: string) => void,
): void {
  const secretValues = workerSettings(settings);
  const findings = checkSettings({
    environment,
    others: otherEnvironments(environment, name, configPath),
    // A Deploy button may set them after the first build.
    secretNames: [...new Set([...present, ...Object.keys(secretValues), ...(isWorkerOnly ? REQUIRED_SETTINGS : [])])],
    secretValues,
  });
  for (const finding of findings) print(renderFinding(finding));
  if (findings.some(({ status }) => status !== "ok"))
    throw new DeployError("The settings are not right. Nothing was changed.");
  const left = present.filter((each) => !(each in secretValues) && each !== "DEJAVU_TOKEN");
  if (left.length > 0 && Object.keys(secretValues).length > 0)
    print(`  The Worker keeps its secrets that are not here: ${left.join(", ")}.`);
}

function schemaSteps(migrations: readonly string[], { DATABASE_URL = "" }: SettingValues): Step[] {
  if (migrations.length === 0) return [];
  return [
    {
      title: `apply ${count(migrations.length, "migration")} to the database`,
      commands: ['npx supabase db push --yes --skip-vault --remote="$DATABASE_URL"'],
      run: async () => {
        await applySchema(DATABASE_URL);
        return `Applied ${count(migrations.length, "migration")}.`;
      },
    },
  ];
}

function vectorDatabaseStep(settings: SettingValues, timeoutMs: number): Step {
  const { CHROMA_URL, CHROMA_TENANT, CHROMA_DATABASE } = settings;
  return {
    title: `make the database ${CHROMA_DATABASE} in Chroma`,
    commands: [`POST ${CHROMA_URL}/api/v2/tenants/${CHROMA_TENANT}/databases {"name":"${CHROMA_DATABASE}"}`],
    run: async () => {
      await createDatabase(settings, timeoutMs);
      return `Made the database ${CHROMA_DATABASE} in Chroma.`;
    },
  };
}

function queueStep(queue: string, options: WranglerOptions): Step {
  return {
    title: `make the queue ${queue}`,
    commands: [wranglerCommand(queueCreation(queue), options)],
    run: async () => {
      await createQueue(queue, options);
      return `Made the queue ${queue}.`;
    },
  };
}

function workerStep(
  { tag, settings, url }: { readonly tag: string; readonly settings: SettingValues; readonly url: string | undefined },
  options: WranglerOptions,
  onAddress: (address: string | undefined) => void,
): Step {
  const names = Object.keys(workerSettings(settings));
  const subject = names.length === 0 ? "the Worker" : `the Worker with ${count(names.length, "setting")} as secrets`;
  return {
    title: `deploy ${subject}${names.length === 0 ? "" : `: ${names.join(", ")}`}`,
    commands: [wranglerCommand(deployWords(tag, names.length === 0 ? undefined : "<settings as JSON>"), options)],
    run: async () => {
      const addresses = await deployVersion({ tag, settings }, options);
      onAddress(url ?? addresses[0]);
      const isElsewhere = url !== undefined && addresses.length > 0 && !addresses.includes(url);
      const others = isElsewhere ? ` Wrangler names ${addresses.join(", ")}; ${url} was given.` : "";
      return `Deployed ${subject}, version ${tag}.${others}`;
    },
  };
}

function triggersStep(tag: string, options: WranglerOptions): Step {
  return {
    title: `set cron jobs and queues again: version ${tag} is deployed already`,
    commands: [wranglerCommand(["triggers", "deploy"], options)],
    run: async () => {
      await deployTriggers(options);
      return `Version ${tag} is deployed already; its cron jobs and queues are set.`;
    },
  };
}

function wranglerCommand(words: readonly string[], { environment }: WranglerOptions): string {
  const quoted = words.map((word) => (/^[\w.:/=-]+$/.test(word) ? word : `"${word}"`));
  return ["npx wrangler", ...quoted, `--env "${nameForWrangler(environment)}"`].join(" ");
}

interface Announcement {
  readonly isDryRun: boolean;
  readonly print: (line: string) => void;
}

function announce(steps: readonly Step[], { isDryRun, print }: Announcement): void {
  print(isDryRun ? "\nThe deployment would:" : "\nThe deployment will:");
  for (const { title, commands } of steps) {
    print(`  ${title}`);
    if (isDryRun) for (const command of commands) print(`    ${command}`);
  }
}

const healthSchema = z.object({ status: z.literal("ok"), version: z.string() });

/** A new address takes up to a minute to be there, and a new version some seconds. @throws DeployError */
async function waitForWorker(url: string, { sleep, showProgress }: DeployTools): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const reply = await ask(`${url}/health`, {}, START_PAUSE_MS);
    const health = reply.ok ? healthSchema.safeParse(reply.body) : undefined;
    if (health?.success && health.data.version === packageJson.version) return showProgress("");
    if (attempt === START_ATTEMPTS) {
      const failure = reply.ok ? `status ${reply.status}` : reply.reason;
      const reason = health?.success ? `version ${health.data.version} answers` : failure;
      throw new DeployError(
        `The Worker is deployed, and does not answer at ${url}: ${reason}. See its log: npx wrangler tail`,
      );
    }
    showProgress(`waits for ${url}`);
    await sleep(START_PAUSE_MS);
  }
}

async function finish(request: DeployRequest, settings: SettingValues, tools: DeployTools): Promise<boolean> {
  const { print, sleep, showProgress } = tools;
  const { DEJAVU_URL: url = "", DEJAVU_TOKEN: token = "" } = settings;
  const service = { url, token, chosenBy: "the deployment", key: url, isLocal: false };
  const loaded = await loadBuiltInRunbooks(service, {
    sleep,
    onProgress: (done, total) => showProgress(done === total ? "" : `loads the built-in runbooks: ${done} of ${total}`),
  }).catch((cause: Error) => {
    throw new DeployError(`The Worker did not load the built-in runbooks. ${cause.message}`, { cause });
  });
  print(`✓ ${describeLoaded(loaded)}`);
  const findings = await checkDeployment({ ...request, url, values: settings, skipped: new Set() });
  print(`\n${renderFindings(findings)}`);
  const isRight = findings.every(({ status }) => status !== "problem");
  if (isRight) print(`\nSign in, once within 10 minutes: ${await consoleLink(url, token)}`);
  return isRight;
}

/** @throws DeployError */
export async function runRollback(request: DeployRequest, tools: DeployTools): Promise<boolean> {
  const { print, person } = tools;
  const { environment, presets } = readInputs(request, tools);
  const options = await obtainAccount(environment, wranglerOptions(request, presets), tools);
  const before = await deployedVersion(options);
  print(
    `The Worker ${environment.name} runs version ${before?.tag ?? before?.id ?? "none"}. The schema of the database stays.`,
  );
  if (request.isDryRun) {
    print(`The rollback would:\n    ${wranglerCommand(["rollback", "--yes"], options)}\nNothing was changed.`);
    return true;
  }
  if (person !== null && !request.needsNoConfirmation) await person.confirm("Deploy the version before?");
  const { to } = await rollBack(options);
  print(`✓ Deployed the version before: ${to.tag ?? to.id}.`);
  return true;
}

/** Preview and production. @throws DeployError if the file is not valid */
export function environmentNames(configPath: string): string[] {
  try {
    return [PRODUCTION, ...(readEnvironment(configPath, PRODUCTION).definedEnvironments ?? [])];
  } catch (cause) {
    throw new DeployError(cause instanceof Error ? cause.message.trim() : String(cause), { cause });
  }
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
