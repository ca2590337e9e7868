// `npm run deploy`: deploys Dejavu to Cloudflare, with its database and its vector store.

import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { CommandError } from "../../../cli/service/command-error.ts";
import { REPO_DIR } from "../../stack/paths.ts";
import { PRODUCTION } from "../environment.ts";
import { stopOnSignal } from "../wrangler.ts";
import { DeployError, type Person, personAtTerminal } from "./person.ts";
import { type DeployRequest, environmentNames, runDeploy, runRollback, workerAddress } from "./run-deploy.ts";

const USAGE = `Usage: npm run deploy [-- options]

Deploys Dejavu to Cloudflare: checks account, database and vector store, then applies the schema, makes queues, uploads
the Worker with its settings, loads the built-in runbooks, and checks the result. Run it again at any time: it changes
what is not yet as it should be, and continues after a failure.

On a terminal it asks for what is missing, and stores the answers in .env.<environment>. Elsewhere it reads that file
and these variables: DATABASE_URL, SUPABASE_URL, SUPABASE_SERVICE_ROLE_KEY, CHROMA_URL, CHROMA_API_KEY, DEJAVU_TOKEN,
CLOUDFLARE_API_TOKEN, CLOUDFLARE_ACCOUNT_ID; if they differ from those of the key, CHROMA_TENANT and CHROMA_DATABASE.

  --env <name>              production or preview
  --yes                     does not ask for confirmation
  --dry-run                 checks everything, prints every command, and changes nothing
  --rollback                deploys the version before; the schema stays
  --worker-only             only queues and Worker, which keeps its settings
  --url <address>           of the Worker, such as a custom domain; by default what wrangler prints
  --supabase-url <address>, --chroma-url <address>, --chroma-tenant <name>, --chroma-database <name>
  --secrets-file <file>     in place of .env.<environment>
  --timeout <seconds>       for each call; 60 by default
  --config <file>           in place of wrangler.toml

Exit code: 0 when all is well, 1 for a problem, 2 for wrong options.`;

const VALUE_OPTIONS = {
  "supabase-url": "SUPABASE_URL",
  "chroma-url": "CHROMA_URL",
  "chroma-tenant": "CHROMA_TENANT",
  "chroma-database": "CHROMA_DATABASE",
} as const;

const OPTIONS = {
  env: { type: "string" },
  yes: { type: "boolean", default: false },
  "dry-run": { type: "boolean", default: false },
  rollback: { type: "boolean", default: false },
  "worker-only": { type: "boolean", default: false },
  url: { type: "string" },
  "supabase-url": { type: "string" },
  "chroma-url": { type: "string" },
  "chroma-tenant": { type: "string" },
  "chroma-database": { type: "string" },
  "secrets-file": { type: "string" },
  timeout: { type: "string", default: "60" },
  config: { type: "string", default: resolve(REPO_DIR, "wrangler.toml") },
  help: { type: "boolean", default: false },
} as const;

type Options = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>["values"];

async function readRequest(values: Options, person: Person | null): Promise<DeployRequest> {
  const configPath = resolve(values.config);
  const names = environmentNames(configPath);
  const isAsked = values.env === undefined && person !== null;
  const name = isAsked
    ? await person.answer({ text: `Environment: ${names.join(" or ")}`, fallback: PRODUCTION })
    : (values.env ?? PRODUCTION);
  if (!names.includes(name)) throw new DeployError(`There is no environment ${name}: choose ${names.join(" or ")}.`);
  const timeoutMs = Number(values.timeout) * 1_000;
  if (!(timeoutMs > 0 && timeoutMs <= 600_000))
    throw new DeployError("--timeout must be a number of seconds up to 600.");
  const { url } = values;
  return {
    name,
    configPath,
    secretsFile: values["secrets-file"],
    values: Object.fromEntries(
      Object.entries(VALUE_OPTIONS).flatMap(([option, setting]) => {
        const value = values[option as keyof typeof VALUE_OPTIONS];
        return value === undefined ? [] : [[setting, value]];
      }),
    ),
    url: url === undefined ? undefined : workerAddress(url, "--url"),
    timeoutMs,
    // Cloudflare's own builds have no settings: the Worker has them.
    isWorkerOnly: values["worker-only"] || (process.env.WORKERS_CI === "1" && !process.env.SUPABASE_URL),
    isDryRun: values["dry-run"],
    needsNoConfirmation: values.yes,
  };
}

function showProgress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text === "" ? "" : `… ${text}`}`);
}

async function main(): Promise<number> {
  let values: Options;
  try {
    values = parseArgs({ options: OPTIONS }).values;
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${USAGE}`);
    return 2;
  }
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  const tools = {
    print: (line: string) => console.log(line),
    person: personAtTerminal(),
    shell: process.env,
    sleep: (ms: number) => sleep(ms),
    showProgress,
  };
  let request: DeployRequest;
  try {
    request = await readRequest(values, tools.person);
  } catch (error) {
    if (!(error instanceof DeployError)) throw error;
    console.error(`✗ ${error.message}`);
    return 2;
  }
  try {
    const isRight = await (values.rollback ? runRollback : runDeploy)(request, tools);
    return isRight ? 0 : 1;
  } catch (error) {
    if (!(error instanceof DeployError || error instanceof CommandError)) throw error;
    showProgress("");
    const advice = error instanceof DeployError ? "\n\nRun the command again: it continues where it stopped." : "";
    console.error(`✗ ${error.message}${advice}`);
    return 1;
  }
}

stopOnSignal();
process.exitCode = await main();
