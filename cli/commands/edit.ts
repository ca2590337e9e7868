// `dejavu ack`, `edit`, `comment`, `merge` and `split`: who has an incident, and what people correct and write.

import { holderText } from "../../functions/answer-view/holder-text.ts";
import { consoleLine } from "../render/console-line.ts";
import { call, parseAnswer, pathOf } from "../service/client.ts";
import { CommandError } from "../service/command-error.ts";
import { type IncidentDetail, incidentDetailSchema, nameOf } from "../service/incident.ts";
import { incidentId } from "../service/incident-id.ts";
import { type Invocation, printResult } from "../service/invocation.ts";
import { personOf } from "../service/person.ts";
import { printable } from "../service/problem-error.ts";

interface AckOptions {
  readonly owner?: string;
  readonly undo?: boolean;
  readonly by?: string;
}

export async function acknowledge(invocation: Invocation<AckOptions>): Promise<void> {
  const { owner, undo = false } = invocation.options;
  await change(invocation, { method: "PATCH", body: { acknowledged: !undo, owner } }, (incident) =>
    undo
      ? `${nameOf(incident)} is not acknowledged: its repeats are announced.`
      : `${printable(holderText(incident) ?? "")}: ${nameOf(incident)}. Its repeats are no longer announced.`,
  );
}

interface EditOptions {
  readonly title?: string;
  readonly severity?: string;
  /** False for nobody. */
  readonly owner?: string | false;
  readonly domain?: string;
  readonly by?: string;
}

export async function edit(invocation: Invocation<EditOptions>): Promise<void> {
  const { title, severity, owner, domain } = invocation.options;
  const body = { title, severity, owner: owner === false ? null : owner, domain };
  if (Object.values(body).every((value) => value === undefined))
    throw new CommandError("usage", "Say what to change: --title, --severity, --owner, --no-owner or --domain.");
  await change(invocation, { method: "PATCH", body }, (incident) => {
    const holder = holderText(incident);
    const facts = [
      `severity ${incident.severity}`,
      `domain ${incident.domain.name}`,
      ...(holder === null ? [] : [printable(holder)]),
    ];
    return `Changed ${nameOf(incident)}: ${facts.join(", ")}.`;
  });
}

export async function comment(invocation: Invocation<{ readonly by?: string }>): Promise<void> {
  const text = invocation.args.slice(1).join(" ").trim();
  if (text === "") throw new CommandError("usage", 'Name the incident, then the comment: dejavu comment last "<text>"');
  const request = { method: "POST", rest: ["comments"], body: { text } } as const;
  await change(invocation, request, (incident) => `Added to the timeline of ${nameOf(incident)}.`);
}

/** The first incident goes into the second. */
export async function merge(invocation: Invocation<{ readonly by?: string }>): Promise<void> {
  const { args, cli } = invocation;
  const into = await incidentId(await cli.service(), cli, args[1] ?? "");
  await change(invocation, { method: "POST", rest: ["merge"], body: { into } }, (incident) => {
    const { total, firing } = incident.alerts;
    return `Merged into ${nameOf(incident)}: ${total} alerts, ${firing} firing.`;
  });
}

interface SplitOptions {
  readonly target?: readonly string[];
  readonly fingerprint?: readonly string[];
  readonly by?: string;
}

export async function split(invocation: Invocation<SplitOptions>): Promise<void> {
  const { target: targets = [], fingerprint: fingerprints = [] } = invocation.options;
  if (targets.length + fingerprints.length === 0)
    throw new CommandError("usage", "Say which alerts go: --target or --fingerprint. `dejavu show` lists them.");
  await change(
    invocation,
    { method: "POST", rest: ["split"], body: { targets, fingerprints } },
    (incident) => `Split off ${nameOf(incident)}, ${incident.id}. It is investigated now.`,
  );
}

/** Sends a change in the name of the person, and prints the changed incident. */
async function change(
  { args: [text = ""], options, cli }: Invocation<{ readonly by?: string }>,
  {
    method,
    rest = [],
    body,
  }: { readonly method: "PATCH" | "POST"; readonly rest?: readonly string[]; readonly body: object },
  describe: (incident: IncidentDetail) => string,
): Promise<void> {
  const service = await cli.service();
  const id = await incidentId(service, cli, text);
  const by = personOf(cli.env, options.by);
  const answer = await call(service, { method, path: pathOf("incidents", id, ...rest), body: { ...body, by } });
  const incident = parseAnswer(service, answer, incidentDetailSchema);
  printResult({ cli, options }, answer, () => `${describe(incident)}\n${consoleLine(service, incident.id)}`);
}
