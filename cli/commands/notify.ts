// `dejavu notify`: list, define, try and remove notification targets.

import { z } from "zod";
import { call, parseAnswer, pathOf } from "../service/client.ts";
import { CommandError } from "../service/command-error.ts";
import { type Invocation, printResult } from "../service/invocation.ts";
import { printable } from "../service/problem-error.ts";
import { listOf } from "../service/report-input.ts";
import { renderTargets, targetSchema } from "../views/render-targets.ts";

const MAX_COLUMNS = 160;

export async function list({ options, cli }: Invocation): Promise<void> {
  const service = await cli.service();
  const answer = await call(service, { path: "/v1/notifications" });
  const { targets } = parseAnswer(service, answer, z.object({ targets: z.array(targetSchema) }));
  printResult({ cli, options }, answer, () => renderTargets(targets, cli.terminal(MAX_COLUMNS)));
}

export interface AddOptions {
  readonly channel?: string;
  readonly address?: string;
  readonly from?: string;
  readonly credential?: string;
  readonly domains?: string;
  readonly match?: readonly string[];
  readonly severity?: string;
  readonly outcomes?: string;
  readonly events?: string;
  readonly window?: string;
  readonly limit?: string;
  readonly handover?: string;
}

export async function add({ args, options, cli }: Invocation<AddOptions>): Promise<void> {
  const [name = "", kind = ""] = args;
  const service = await cli.service();
  const path = pathOf("notifications", name);
  const answer = await call(service, { method: "PUT", path, body: definitionOf(kind, options) });
  const { credential, problem } = parseAnswer(service, answer, targetSchema);
  const stored = `Defined the target ${name}. Try it with: dejavu notify try ${name}`;
  printResult({ cli, options }, answer, () =>
    problem === null ? stored : `${stored}\n${unable(credential, problem)}`,
  );
}

function unable(credential: string | null, problem: string): string {
  const secret = credential ?? "SLACK_BOT_TOKEN";
  return `It can send nothing: ${printable(problem)}. Store a secret with: npx wrangler secret put ${secret}`;
}

/** The body of the request: options that are left out keep the defaults of the service. @throws CommandError */
function definitionOf(kind: string, options: AddOptions): Readonly<Record<string, unknown>> {
  const { channel, address, from, credential, domains, match, severity, outcomes, events, window, limit } = options;
  const fields = {
    ...{ kind, options: withoutMissing({ channel, url: address, from }), credential },
    ...{ domains: domains && listOf(domains), matchers: match },
    ...{ min_severity: severity, outcomes: outcomes && listOf(outcomes), events: events && listOf(events) },
    handover: options.handover,
    ...{ window_minutes: numberOf("--window", window), per_minute: numberOf("--limit", limit) },
  };
  return withoutMissing(fields);
}

function withoutMissing(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

export async function tryOne({ args, options, cli }: Invocation<{ readonly incident?: string }>): Promise<void> {
  const [name = ""] = args;
  const body = options.incident === undefined ? {} : { incident_id: options.incident };
  const service = await cli.service();
  const answer = await call(service, { method: "POST", path: `${pathOf("notifications", name)}/try`, body });
  const { failure, latency_ms } = parseAnswer(service, answer, triedSchema);
  if (failure !== null) cli.exitWith(1);
  printResult({ cli, options }, answer, () =>
    failure === null
      ? `${name} took the message in ${latency_ms} ms.`
      : `${name} did not take the message: ${failure.code}, ${failure.detail}.`,
  );
}

const triedSchema = z.object({
  failure: z.object({ code: z.string(), detail: z.string() }).nullable(),
  latency_ms: z.number(),
});

export async function remove({ args, options, cli }: Invocation): Promise<void> {
  const [name = ""] = args;
  const service = await cli.service();
  await call(service, { method: "DELETE", path: pathOf("notifications", name) });
  printResult({ cli, options }, { name }, () => `Removed the target ${name}. Its messages stay where they are.`);
}

function numberOf(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,6}$/.test(text)) throw new CommandError("usage", `${option} must be a number, not "${text}".`);
  return Number(text);
}
