// `dejavu resolve`: records what fixed an incident, and what did not help.

import { z } from "zod";
import { consoleLine } from "../render/console-line.ts";
import { call, callFor, parseAnswer, pathOf } from "../service/client.ts";
import { CommandError } from "../service/command-error.ts";
import type { Service } from "../service/find-service.ts";
import { type IncidentDetail, incidentDetailSchema, nameOf } from "../service/incident.ts";
import { incidentId } from "../service/incident-id.ts";
import { type Invocation, printResult } from "../service/invocation.ts";
import { personOf } from "../service/person.ts";
import { printable } from "../service/problem-error.ts";

export interface ResolveOptions {
  readonly didNotHelp?: readonly string[];
  readonly conditions?: string;
  readonly fix?: string;
  readonly by?: string;
  readonly answerRight?: boolean;
  readonly answerWrong?: boolean;
}

export async function run({ args, options, cli }: Invocation<ResolveOptions>): Promise<void> {
  const [idText = "", ...words] = args;
  const fix = words.join(" ").trim();
  const didNotHelp = options.didNotHelp ?? [];
  const staysOpen = fix === "" && options.fix === undefined;
  if (staysOpen && didNotHelp.length === 0)
    throw new CommandError("usage", 'Name the incident, then say what fixed it: dejavu resolve last "<what fixed it>"');
  if (options.answerRight && options.answerWrong)
    throw new CommandError("usage", "Use one of --answer-right and --answer-wrong.");
  if (staysOpen && (options.answerRight || options.answerWrong))
    throw new CommandError("usage", "--answer-right and --answer-wrong need a fix.");
  const service = await cli.service();
  const id = await incidentId(service, cli, idText);
  const former = staysOpen ? null : await formerFix(service, id);
  const common = { conditions: options.conditions };
  const by = personOf(cli.env, options.by);
  const post = (path: string, body: object) =>
    call(service, { method: "POST", path: pathOf("incidents", id, path), body });
  let answer: unknown;
  if (staysOpen)
    for (const action of didNotHelp) answer = await post("tries", { action, helped: false, ...common, by });
  else
    answer = await post("resolve", {
      resolution: fix === "" ? undefined : fix,
      fix_id: options.fix,
      resolved_by: by,
      ...common,
      ...(didNotHelp.length === 0 ? {} : { did_not_help: didNotHelp }),
      ...(options.answerRight || options.answerWrong ? { worked: options.answerRight === true } : {}),
    });
  const resolved = parseAnswer(service, answer, z.union([pendingSchema, incidentDetailSchema]));
  printResult({ cli, options }, answer, () =>
    "persisted" in resolved
      ? PENDING
      : `${describe(resolved, { didNotHelp, staysOpen, former })}\n${consoleLine(service, resolved.id)}`,
  );
}

/** Only `resolve` answers it. `tries` fails instead. */
const pendingSchema = z.object({ persisted: z.literal("pending") });
const PENDING =
  "Accepted. The database is unavailable now: the fix is recorded when it is back. You need not send it again.";

const UNAVAILABLE = "urn:dejavu:problem:dependency-unavailable";

/** Null without a fix, and while the database is unavailable: the new fix is accepted all the same. */
async function formerFix(service: Service, id: string): Promise<string | null> {
  try {
    return (await callFor(service, { path: pathOf("incidents", id) }, incidentDetailSchema)).resolution;
  } catch (error) {
    if (error instanceof CommandError && error.problem === UNAVAILABLE) return null;
    throw error;
  }
}

function describe(
  incident: IncidentDetail,
  {
    didNotHelp,
    staysOpen,
    former,
  }: {
    readonly didNotHelp: readonly string[];
    readonly staysOpen: boolean;
    /** The fix that was recorded before; null without one. */
    readonly former: string | null;
  },
): string {
  const failedLines = didNotHelp.map((action) => `  did not help: ${printable(action)}`);
  if (staysOpen) return [`Recorded for ${nameOf(incident)}, which stays open:`, ...failedLines].join("\n");
  return [
    `Resolved ${nameOf(incident)}.`,
    ...(incident.resolution === null ? [] : [`  fixed by: ${printable(incident.resolution)}`]),
    ...(former === null || former === incident.resolution ? [] : [`  replaces: ${printable(former)}`]),
    ...failedLines,
    "The next time that this failure is reported, the answer shows it.",
  ].join("\n");
}
