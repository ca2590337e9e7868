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
  const failed = options.didNotHelp ?? [];
  const isOpen = fix === "" && options.fix === undefined;
  if (isOpen && failed.length === 0)
    throw new CommandError("usage", 'Name the incident, then say what fixed it: dejavu resolve last "<what fixed it>"');
  if (options.answerRight && options.answerWrong)
    throw new CommandError("usage", "Use one of --answer-right and --answer-wrong.");
  if (isOpen && (options.answerRight || options.answerWrong))
    throw new CommandError("usage", "--answer-right and --answer-wrong need a fix.");
  const service = await cli.service();
  const id = await incidentId(service, cli, idText);
  const former = isOpen ? null : await formerFix(service, id);
  const common = { conditions: options.conditions };
  const by = personOf(cli.env, options.by);
  const post = (path: string, body: object) =>
    call(service, { method: "POST", path: pathOf("incidents", id, path), body });
  let answer: unknown;
  if (isOpen) for (const action of failed) answer = await post("tries", { action, helped: false, ...common, by });
  else
    answer = await post("resolve", {
      resolution: fix === "" ? undefined : fix,
      fix_id: options.fix,
      resolved_by: by,
      ...common,
      ...(failed.length === 0 ? {} : { did_not_help: failed }),
      ...(options.answerRight || options.answerWrong ? { worked: options.answerRight === true } : {}),
    });
  const resolved = parseAnswer(service, answer, z.union([pendingSchema, incidentDetailSchema]));
  printResult({ cli, options }, answer, () =>
    "persisted" in resolved
      ? PENDING
      : `${describe(resolved, { failed, isOpen, former })}\n${consoleLine(service, resolved.id)}`,
  );
}

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
    failed,
    isOpen,
    former,
  }: {
    readonly failed: readonly string[];
    readonly isOpen: boolean;
    /** The fix that was recorded before; null without one. */
    readonly former: string | null;
  },
): string {
  const didNotHelp = failed.map((action) => `  did not help: ${printable(action)}`);
  if (isOpen) return [`Recorded for ${nameOf(incident)}, which stays open:`, ...didNotHelp].join("\n");
  return [
    `Resolved ${nameOf(incident)}.`,
    ...(incident.resolution === null ? [] : [`  fixed by: ${printable(incident.resolution)}`]),
    ...(former === null || former === incident.resolution ? [] : [`  replaces: ${printable(former)}`]),
    ...didNotHelp,
    "The next time that this failure is reported, the answer shows it.",
  ].join("\n");
}
