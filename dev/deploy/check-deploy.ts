// `npm run deploy:check`: validates an environment before and after a deployment.

import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { REPO_DIR } from "../stack/paths.ts";
import { type CheckRequest, checkDeployment, renderFindings } from "./check-environment.ts";
import { PRODUCTION } from "./environment.ts";
import { isPart, PARTS } from "./finding.ts";
import { stopOnSignal } from "./wrangler.ts";

const USAGE = `Usage: npm run deploy:check [-- options]

Checks a hosted environment of wrangler.toml, with its address also the running Worker. Changes nothing.

  --env <name>            production or preview; production by default
  --url <address>         of the Worker, to check version, token, dependencies and cron jobs; by default DEJAVU_URL
  --secrets-file <file>   settings as NAME=value lines; by default .env.<environment>, then the shell
  --skip <part>           leaves out a part, repeatable: ${PARTS.join(", ")}
  --timeout <seconds>     for each call; 30 by default
  --config <file>         in place of wrangler.toml
  --json                  prints the findings as JSON

Exit code: 0 when everything was checked and is right, 1 for a problem or an unchecked part, 2 for wrong options.`;

const OPTIONS = {
  env: { type: "string", default: PRODUCTION },
  url: { type: "string" },
  "secrets-file": { type: "string" },
  skip: { type: "string", multiple: true },
  timeout: { type: "string", default: "30" },
  config: { type: "string", default: resolve(REPO_DIR, "wrangler.toml") },
  json: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

/** @returns the request, or the problem with the options */
function readRequest(): { readonly request: CheckRequest; readonly asJson: boolean } | string | undefined {
  try {
    const { values } = parseArgs({ options: OPTIONS });
    if (values.help) return undefined;
    const { env: name, url, skip = [], config, json } = values;
    const timeoutMs = Number(values.timeout) * 1_000;
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
  const findings = await checkDeployment(request);
  const ok = findings.every(({ status }) => status === "ok");
  console.log(asJson ? JSON.stringify({ environment: request.name, ok, findings }, null, 2) : renderFindings(findings));
  return ok ? 0 : 1;
}

stopOnSignal();
process.exitCode = await main();
