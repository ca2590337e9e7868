// `npm run deploy:check`: validates an environment before and after `wrangler deploy`.

import { resolve } from "node:path";
import { parseArgs, styleText } from "node:util";
import { REPO_DIR } from "../stack/paths.ts";
import { checkAccount } from "./check-account.ts";
import { checkDatabase } from "./check-database.ts";
import { checkSettings } from "./check-settings.ts";
import { checkVectorStore } from "./check-vector-store.ts";
import { checkWorker } from "./check-worker.ts";
import { readEnvironment, readSecretValues, type WorkerEnvironment } from "./environment.ts";
import { type Finding, findingsOf, isPart, PARTS, type Part } from "./finding.ts";
import { stopOnSignal } from "./wrangler.ts";

const USAGE = `Usage: npm run deploy:check -- --env <environment> [options]

Checks an environment of wrangler.toml before "wrangler deploy", and after it with --url. Changes nothing.

  --env <name>            production or preview
  --url <address>         of the deployed Worker: also checks version, token, dependencies and cron jobs
  --secrets-file <file>   values of secrets as NAME=value lines; without it, those of the shell
  --skip <part>           leaves out a part, repeatable: ${PARTS.join(", ")}
  --timeout <seconds>     for each call; 30 by default
  --config <file>         in place of wrangler.toml
  --json                  prints the findings as JSON

Exit code: 0 when everything was checked and is right, 1 for a problem or an unchecked part, 2 for wrong options.`;

const OPTIONS = {
  env: { type: "string" },
  url: { type: "string" },
  "secrets-file": { type: "string" },
  skip: { type: "string", multiple: true },
  timeout: { type: "string", default: "30" },
  config: { type: "string", default: resolve(REPO_DIR, "wrangler.toml") },
  json: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

interface Request {
  readonly name: string;
  readonly url: string | undefined;
  readonly secretsFile: string | undefined;
  readonly skipped: ReadonlySet<Part>;
  readonly timeoutMs: number;
  readonly configPath: string;
}

async function check(request: Request): Promise<Finding[]> {
  const { name, url, skipped, timeoutMs, configPath } = request;
  let environment: WorkerEnvironment;
  let secretValues: Record<string, string>;
  const others = new Map<string, WorkerEnvironment>();
  try {
    environment = readEnvironment(configPath, name);
    secretValues = readSecretValues(request.secretsFile, process.env);
    for (const other of environment.definedEnvironments ?? [])
      if (other !== name) others.set(other, readEnvironment(configPath, other));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return [findingsOf("settings").problem(reason.trim())];
  }
  const account = skipped.has("account")
    ? { findings: [], secretNames: undefined }
    : await checkAccount(environment, { configPath, environment: name, timeoutMs }, url !== undefined);
  const { required } = environment.secrets;
  const secretNames = [...new Set([...required, ...(account.secretNames ?? [])])];
  const settings = checkSettings({ environment, others, secretNames, secretValues: chosen(secretValues, secretNames) });
  const database = () =>
    checkDatabase({
      url: String(environment.vars.SUPABASE_URL),
      serviceRoleKey: secretValues.SUPABASE_SERVICE_ROLE_KEY,
      timeoutMs,
    });
  const isKeyRequired = required.includes("CHROMA_API_KEY");
  const vectorStore = () => checkVectorStore({ vars: environment.vars, secretValues, isKeyRequired, timeoutMs });
  const worker = () =>
    url === undefined
      ? []
      : checkWorker({ url, token: secretValues.DEJAVU_TOKEN, environment: name, timeoutMs, now: new Date() });
  const run = async (part: Part, work: () => Promise<Finding> | Promise<Finding[]> | Finding[]) =>
    skipped.has(part) ? [] : [await work()].flat();
  const stores = await Promise.all([
    run("database", database),
    run("vector_store", vectorStore),
    run("worker", worker),
  ]);
  return [...(skipped.has("settings") ? [] : settings), ...account.findings, ...stores.flat()];
}

/** The values of these names: the shell may hold others that the Worker does not get. */
function chosen(values: Readonly<Record<string, string>>, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => names.includes(name)));
}

const MARKS = {
  ok: styleText("green", "✓"),
  problem: styleText("red", "✗"),
  unchecked: styleText("yellow", "?"),
} as const;

function render(findings: readonly Finding[]): string {
  const lines = findings.flatMap(({ status, text, mend }) => [
    `${MARKS[status]} ${text}`,
    ...(mend === undefined ? [] : [`    → ${mend}`]),
  ]);
  const total = (status: Finding["status"]) => findings.filter((finding) => finding.status === status).length;
  return `${lines.join("\n")}\n\n${total("problem")} problems, ${total("unchecked")} not checked, ${total("ok")} right.`;
}

/** @returns the request, or the problem with the options */
function readRequest(): { readonly request: Request; readonly asJson: boolean } | string | undefined {
  try {
    const { values } = parseArgs({ options: OPTIONS });
    if (values.help) return undefined;
    const { env: name, url, skip = [], config, json } = values;
    const timeoutMs = Number(values.timeout) * 1_000;
    if (name === undefined) return "--env is missing.";
    if (url !== undefined && !/^https?:\/\//.test(url)) return "--url must begin with https:// or http://.";
    if (!(timeoutMs > 0 && timeoutMs <= 600_000)) return "--timeout must be a number of seconds up to 600.";
    const unknown = skip.find((part) => !isPart(part));
    if (unknown !== undefined) return `--skip knows no part ${unknown}.`;
    const skipped = new Set(skip.filter(isPart));
    const configPath = resolve(config);
    return {
      request: { name, url, secretsFile: values["secrets-file"], skipped, timeoutMs, configPath },
      asJson: json,
    };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function main(): Promise<number> {
  const options = readRequest();
  if (options === undefined) {
    console.log(USAGE);
    return 0;
  }
  if (typeof options === "string") {
    console.error(`${options}\n\n${USAGE}`);
    return 2;
  }
  const { request, asJson } = options;
  const findings = await check(request);
  const ok = findings.every(({ status }) => status === "ok");
  console.log(asJson ? JSON.stringify({ environment: request.name, ok, findings }, null, 2) : render(findings));
  return ok ? 0 : 1;
}

stopOnSignal();
process.exitCode = await main();
