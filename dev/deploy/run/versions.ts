// The versions of the Worker on Cloudflare: the deployed one, a new one, the one before.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import packageJson from "../../../package.json" with { type: "json" };
import { withTemporaryFolder } from "../../stack/system/temporary-folder.ts";
import { type SettingValues, workerSettings } from "../settings-file.ts";
import { runWrangler, type WranglerOptions, type WranglerResult } from "../wrangler.ts";
import { DeployError } from "./person.ts";

const DEPLOY_TIMEOUT_MS = 300_000;

const deploymentSchema = z.object({
  versions: z.array(z.object({ version_id: z.string(), percentage: z.number() })),
});
const versionSchema = z.object({ annotations: z.record(z.string(), z.string()).optional() });
const outputSchema = z.object({ type: z.string(), targets: z.array(z.string()).optional() });

export interface DeployedVersion {
  readonly id: string;
  /** Of the requests, in percent: the largest share. */
  readonly percentage: number;
  /** Of a version that this command deployed. */
  readonly tag: string | undefined;
}

/** Null if the Worker does not exist. @throws DeployError */
export async function deployedVersion(options: WranglerOptions): Promise<DeployedVersion | null> {
  const status = await runWrangler(["deployments", "status", "--json"], options);
  if (!status.ok && status.failure === "no_worker") return null;
  const deployment = parse(status, deploymentSchema, "the deployed version");
  const [first] = deployment.versions.toSorted((a, b) => b.percentage - a.percentage);
  if (first === undefined) return null;
  const { version_id: id, percentage } = first;
  const view = await runWrangler(["versions", "view", id, "--json"], options);
  return { id, percentage, tag: parse(view, versionSchema, "the deployed version").annotations?.["workers/tag"] };
}

/** The words of the command. @param file of the settings; undefined keeps those of the Worker */
export function deployWords(tag: string, file: string | undefined): string[] {
  const secrets = file === undefined ? [] : ["--secrets-file", file];
  return ["deploy", "--tag", tag, "--message", `Dejavu ${packageJson.version}`, ...secrets];
}

/**
 * Uploads the Worker with its settings as one version, which gets all requests, and sets its cron jobs and queues.
 * @returns its addresses
 * @throws DeployError
 */
export async function deployVersion(
  { tag, settings }: { readonly tag: string; readonly settings: SettingValues },
  options: WranglerOptions,
): Promise<readonly string[]> {
  return withTemporaryFolder("dejavu-deploy-", async (folder) => {
    const values = workerSettings(settings);
    const isEmpty = Object.keys(values).length === 0;
    const file = join(folder, "settings.json");
    // JSON: in a file of the other form, wrangler replaces $NAME, and prefers variables of the shell.
    writeFileSync(file, JSON.stringify(values), { mode: 0o600 });
    const output = join(folder, "output.json");
    const result = await runWrangler(deployWords(tag, isEmpty ? undefined : file), {
      ...options,
      timeoutMs: DEPLOY_TIMEOUT_MS,
      variables: { ...options.variables, WRANGLER_OUTPUT_FILE_PATH: output },
    });
    if (!result.ok) throw new DeployError(`The Worker could not be deployed: ${result.detail}`);
    return readTargets(readFileSync(output, "utf8"));
  });
}

/** The addresses in wrangler's output file, whose lines are JSON. */
export function readTargets(output: string): string[] {
  const entries = output.split("\n").flatMap((line) => {
    if (line.trim() === "") return [];
    const entry = outputSchema.safeParse(JSON.parse(line));
    return entry.success && entry.data.type === "deploy" ? (entry.data.targets ?? []) : [];
  });
  return entries.flatMap((target) => {
    const [, address = ""] = /^(?:https:\/\/)?([\w.-]+\.[a-z]{2,})(?:\s|\/|$)/.exec(target) ?? [];
    return address === "" ? [] : [`https://${address}`];
  });
}

/** Sets the cron jobs and the consumers of queues again: a deployment may have stopped before. @throws DeployError */
export async function deployTriggers(options: WranglerOptions): Promise<void> {
  const result = await runWrangler(["triggers", "deploy"], { ...options, timeoutMs: DEPLOY_TIMEOUT_MS });
  if (!result.ok) throw new DeployError(`The cron jobs and queues could not be set: ${result.detail}`);
}

export const ROLLBACK_WORDS: readonly string[] = ["rollback", "--yes", "--message", "npm run deploy -- --rollback"];

/** Deploys the version before. @returns both. @throws DeployError */
export async function rollBack(
  options: WranglerOptions,
): Promise<{ readonly from: DeployedVersion; readonly to: DeployedVersion }> {
  const from = await deployedVersion(options);
  if (from === null) throw new DeployError("The Worker does not exist, so there is no version before.");
  const result = await runWrangler(ROLLBACK_WORDS, options);
  if (!result.ok) throw new DeployError(`The version before could not be deployed: ${result.detail}`);
  const to = await deployedVersion(options);
  if (to === null || to.id === from.id) throw new DeployError("The version is still the same: there is none before.");
  return { from, to };
}

function parse<T>(result: WranglerResult, schema: z.ZodType<T>, subject: string): T {
  if (!result.ok) throw new DeployError(`Wrangler could not read ${subject}: ${result.detail}`);
  try {
    return schema.parse(JSON.parse(result.out.slice(result.out.search(/[[{]/))));
  } catch (cause) {
    throw new DeployError(`Wrangler printed no JSON about ${subject}.`, { cause });
  }
}
