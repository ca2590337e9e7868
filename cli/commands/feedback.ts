// `dejavu feedback`: rate the answer to an incident.

import { z } from "zod";
import { CORRECTED_PARTS } from "../../functions/schemas/correction.ts";
import { call, callFor, parseAnswer, pathOf } from "../service/client.ts";
import { CommandError } from "../service/command-error.ts";
import type { Service } from "../service/find-service.ts";
import { incidentDetailSchema, nameOf } from "../service/incident.ts";
import { idPrefixOf, incidentId, isWholeId, LAST } from "../service/incident-id.ts";
import { type Cli, type Invocation, printResult } from "../service/invocation.ts";
import { personOf } from "../service/person.ts";

const recordedSchema = z.object({ rating: z.string(), net_rating: z.number().nullable() });

interface RatedAnswer {
  readonly triageId: string;
  /** Names it for people. */
  readonly name: string;
}

export interface FeedbackOptions {
  readonly by?: string;
  /** `part` or `part=right`. */
  readonly wrong?: readonly string[];
}

export async function run({ args, options, cli }: Invocation<FeedbackOptions>): Promise<void> {
  const [idText = "", rating = "", ...words] = args;
  const comment = words.join(" ").trim();
  const corrections = (options.wrong ?? []).map(correctionOf);
  const service = await cli.service();
  const { triageId, name } = await ratedAnswer(service, cli, idText);
  const answer = await call(service, {
    method: "POST",
    path: pathOf("triages", triageId, "feedback"),
    body: {
      rating,
      ...(comment === "" ? {} : { comment }),
      ...(corrections.length === 0 ? {} : { corrections }),
      by: personOf(cli.env, options.by),
    },
  });
  const recorded = parseAnswer(service, answer, recordedSchema);
  printResult({ cli, options }, answer, () => {
    const net = recorded.net_rating === null ? "" : ` All ratings: ${signed(recorded.net_rating)}.`;
    const what = recorded.rating === "none" ? "Removed the rating of" : `Rated ${recorded.rating}:`;
    return `${what} ${name}.${net}`;
  });
}

/** @throws CommandError on a part that an answer does not have */
function correctionOf(text: string): { readonly part: string; readonly right?: string } {
  const [part = "", ...right] = text.split("=");
  if (!CORRECTED_PARTS.some((name) => name === part))
    throw new CommandError(
      "usage",
      `--wrong ${text}: begin with one of ${CORRECTED_PARTS.join(", ")}, such as runbook=team/file.md.`,
    );
  return { part, ...(right.length === 0 ? {} : { right: right.join("=") }) };
}

/** The newest answer of an incident, or the answer with this whole id. */
async function ratedAnswer(service: Service, cli: Pick<Cli, "env" | "note">, text: string): Promise<RatedAnswer> {
  const id = await incidentId(service, cli, text);
  try {
    const incident = await callFor(service, { path: pathOf("incidents", id) }, incidentDetailSchema);
    if (incident.triage === null)
      throw new CommandError("failed", `There is no answer to rate yet: ${nameOf(incident)} is ${incident.status}.`);
    return { triageId: incident.triage.triage_id, name: `the answer to ${nameOf(incident)}` };
  } catch (error) {
    const isNoIncident = error instanceof CommandError && error.problem === "urn:dejavu:problem:not-found";
    if (!isNoIncident || text === LAST || !isWholeId(idPrefixOf(text))) throw error;
    return { triageId: id, name: `the answer ${id}` };
  }
}

function signed(number: number): string {
  return number > 0 ? `+${number}` : String(number);
}
