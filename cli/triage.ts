// `npm run triage -- "<text>"`: triages a text on the local stack or on any deployment, and prints the result.

import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import type { StackInfo } from "../dev/stack/stack-info.ts";
import { type TriageResult, triageResultSchema } from "../functions/schemas/triage-result.ts";
import { readEvents, type StreamedEvent } from "./event-stream.ts";
import { describeProblem, findService, problemIn, terminal } from "./find-service.ts";
import { showProgress } from "./find-stores.ts";
import { renderTriage } from "./render-triage.ts";

/** Above the longest time budget of a triage. */
const REQUEST_TIMEOUT_MS = 150_000;
/** Maximum width in columns. */
const WIDTH = 110;

const USAGE = `Usage: npm run triage -- "<what happened>" [options]

  --target <name>        affected service, host or object
  --severity <level>     critical, high, medium, low or info
  --label <key=value>    a label of the alert; may be repeated
  --logs <file>          a file with log lines; - reads standard input
  --session <id>         the session of the triage
  --json                 print the response as JSON
  --url <url>            a service other than the local stack; DEJAVU_TOKEN holds its token
  --help                 print this

Calls the stack that "npm start" runs.`;

export interface TriageBody {
  readonly title: string;
  readonly [field: string]: unknown;
}

/** Sends a triage to the stack and returns the rendered result. @throws Error with the text of the problem */
export async function requestTriage(info: StackInfo, body: TriageBody): Promise<string> {
  const result = await followTriage(info.urls.worker, info.token, body, showStep);
  return renderTriage(result, terminal(WIDTH));
}

/** Sends a triage and waits for its result. @throws Error with the text of the problem */
export async function postTriage(url: string, token: string, body: TriageBody): Promise<TriageResult> {
  const response = await send(url, token, body, "application/json");
  return triageResultSchema.parse(await response.json());
}

/** Sends a triage, reports its events, and returns its result. @throws Error with the text of the problem */
export async function followTriage(
  url: string,
  token: string,
  body: TriageBody,
  onEvent: (event: StreamedEvent) => void,
): Promise<TriageResult> {
  const response = await send(url, token, body, "text/event-stream");
  for await (const event of readEvents(response.body ?? new ReadableStream())) {
    onEvent(event);
    if (event.event === "done") return event.data;
    if (event.event === "error") throw new Error(describeProblem(event.data));
  }
  throw new Error(
    "Dejavu closed the connection before the triage finished. The result may be stored: see GET /v1/incidents.",
  );
}

async function send(url: string, token: string, body: TriageBody, accept: string): Promise<Response> {
  const response = await fetch(new URL("/v1/triage", url), {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", accept },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  });
  if (response.ok) return response;
  throw await problemIn(response);
}

/** Shows the progress on one line of a terminal; nothing elsewhere. */
function showStep({ event, data }: StreamedEvent): void {
  if (!process.stderr.isTTY) return;
  switch (event) {
    case "recall": {
      const { runbooks, incidents } = data.recalled;
      showProgress(`recalled ${runbooks.length} runbook sections and ${incidents.length} past incidents …`);
      break;
    }
    case "token":
      showProgress(`writing the answer: ${data.path.split(".", 1)[0]?.replaceAll("_", " ")} …`);
      break;
    case "critique":
      showProgress(`a critic gives ${data.score.toFixed(2)} …`);
      break;
    case "reflection":
      showProgress("reflected, calling the critic again …");
      break;
    default:
      showProgress("");
  }
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      target: { type: "string" },
      severity: { type: "string" },
      label: { type: "string", multiple: true, default: [] },
      logs: { type: "string" },
      session: { type: "string" },
      json: { type: "boolean", default: false },
      url: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  const title = positionals.join(" ").trim();
  if (values.help || title === "") {
    console.log(USAGE);
    if (!values.help) process.exitCode = 2;
    return;
  }
  const { url, token } = findService(values.url);
  const request = {
    title,
    ...(values.target !== undefined ? { target: values.target } : {}),
    ...(values.severity !== undefined ? { severity: values.severity } : {}),
    ...(values.label.length > 0 ? { labels: Object.fromEntries(values.label.map(splitLabel)) } : {}),
    ...(values.logs !== undefined ? { logs: await readLogs(values.logs) } : {}),
    ...(values.session !== undefined ? { session_id: values.session } : {}),
  };
  const result = await followTriage(url, token, request, showStep);
  console.log(values.json ? JSON.stringify(result, null, 2) : renderTriage(result, terminal(WIDTH)));
}

function splitLabel(label: string): [string, string] {
  const at = label.indexOf("=");
  if (at < 1) throw new Error(`--label must be key=value, not "${label}".`);
  return [label.slice(0, at), label.slice(at + 1)];
}

async function readLogs(path: string): Promise<string> {
  return readFile(path === "-" ? "/dev/stdin" : path, "utf8");
}

if (import.meta.main) {
  try {
    await main();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
