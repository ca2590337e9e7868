// The check of an environment: settings, account, stores and, if its address is given, the running Worker.

import { checkAccount } from "./check-account.ts";
import { checkDatabase } from "./check-database.ts";
import { checkSettings, type SettingsInput } from "./check-settings.ts";
import { checkVectorStore } from "./check-vector-store.ts";
import { checkWorker } from "./check-worker.ts";
import { PRODUCTION, readEnvironment, type WorkerEnvironment } from "./environment.ts";
import { type Finding, findingsOf, type Part, renderFinding } from "./finding.ts";
import { REQUIRED_SETTINGS, readSettingValues, type SettingValues, workerSettings } from "./settings-file.ts";

export interface CheckRequest {
  readonly name: string;
  readonly url: string | undefined;
  readonly secretsFile: string | undefined;
  /** In place of those of the file and the shell. */
  readonly values?: SettingValues;
  readonly skipped: ReadonlySet<Part>;
  readonly timeoutMs: number;
  readonly configPath: string;
}

export async function checkDeployment(request: CheckRequest): Promise<Finding[]> {
  const { name, secretsFile, configPath } = request;
  try {
    const values = request.values ?? readSettingValues(name, secretsFile, process.env);
    const url = request.url ?? values.DEJAVU_URL;
    return await checkEnvironment({ ...request, url }, readEnvironment(configPath, name), values);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return [findingsOf("settings").problem(reason.trim())];
  }
}

async function checkEnvironment(
  { name, url, skipped, timeoutMs, configPath }: CheckRequest,
  environment: WorkerEnvironment,
  values: SettingValues,
): Promise<Finding[]> {
  const others = otherEnvironments(environment, name, configPath);
  const variables = Object.fromEntries(Object.entries(values).filter(([each]) => each.startsWith("CLOUDFLARE_")));
  const account = skipped.has("account")
    ? { findings: [], secretNames: undefined }
    : await checkAccount(environment, { configPath, environment: name, timeoutMs, variables }, url !== undefined);
  const secretValues = workerSettings(values);
  const secretNames = [
    ...new Set([...REQUIRED_SETTINGS, ...(account.secretNames ?? Object.keys(secretValues))]),
  ].filter((each) => !(each in environment.vars));
  const settings = checkSettings({ environment, others, secretNames, secretValues: chosen(secretValues, secretNames) });
  const settingValues = { ...environment.vars, ...secretValues };
  const text = (value: unknown) => (typeof value === "string" ? value : undefined);
  const run = async (part: Part, work: () => Promise<Finding> | Promise<Finding[]> | Finding[]) =>
    skipped.has(part) ? [] : [await work()].flat();
  const stores = await Promise.all([
    run("database", () =>
      checkDatabase({
        url: text(settingValues.SUPABASE_URL),
        serviceRoleKey: secretValues.SUPABASE_SERVICE_ROLE_KEY,
        timeoutMs,
      }),
    ),
    run("vector_store", () =>
      checkVectorStore({
        settings: settingValues,
        hasKey: account.secretNames?.includes("CHROMA_API_KEY") ?? false,
        timeoutMs,
      }),
    ),
    run("worker", () =>
      url === undefined
        ? []
        : checkWorker({ url, token: secretValues.DEJAVU_TOKEN, environment: name, timeoutMs, now: new Date() }),
    ),
  ]);
  return [...(skipped.has("settings") ? [] : settings), ...account.findings, ...stores.flat()];
}

/** The other environments of the file, by name. */
export function otherEnvironments(
  { definedEnvironments = [] }: WorkerEnvironment,
  name: string,
  configPath: string,
): SettingsInput["others"] {
  const names = [PRODUCTION, ...definedEnvironments].filter((other) => other !== name);
  return new Map(
    names.map((other) => [
      other,
      { environment: readEnvironment(configPath, other), values: readSettingValues(other, undefined, {}) },
    ]),
  );
}

/** The values of these names. */
function chosen(values: SettingValues, names: readonly string[]): SettingValues {
  return Object.fromEntries(Object.entries(values).filter(([name]) => names.includes(name)));
}

export function renderFindings(findings: readonly Finding[]): string {
  const lines = findings.map(renderFinding);
  const total = (status: Finding["status"]) => findings.filter((finding) => finding.status === status).length;
  return `${lines.join("\n")}\n\n${total("problem")} problems, ${total("unchecked")} not checked, ${total("ok")} right.`;
}
