// `dejavu feedback`: rates the answer to an incident.

import { z } from "zod";
import { call, callFor, parseAnswer, pathOf } from "../service/client.ts";
import { CommandError } from "../service/command-error.ts";
import { incidentDetailSchema, nameOf } from "../service/incident.ts";
import { incidentId } from "../service/incident-id.ts";
import { type Invocation, printResult } from "../service/invocation.ts";

const recordedSchema = z.object({ rating: z.string(), net_rating: z.number().nullable() });

export async function run({ args, options, cli }: Invocation<{ readonly by?: string }>): Promise<void> {
  const [idText = "", rating = "", ...words] = args;
  const comment = words.join(" ").trim();
  const service = await cli.service();
  const id = await incidentId(service, cli.env, idText);
  const incident = await callFor(service, { path: pathOf("incidents", id) }, incidentDetailSchema);
  if (incident.triage === null)
    throw new CommandError("failed", `There is no answer to rate yet: ${nameOf(incident)} is ${incident.status}.`);
  const answer = await call(service, {
    method: "POST",
    path: pathOf("triages", incident.triage.triage_id, "feedback"),
    body: {
      rating,
      ...(comment === "" ? {} : { comment }),
      ...(options.by === undefined ? {} : { by: options.by }),
    },
  });
  const recorded = parseAnswer(service, answer, recordedSchema);
  printResult({ cli, options }, answer, () => {
    const net = recorded.net_rating === null ? "" : ` All ratings: ${signed(recorded.net_rating)}.`;
    const what = recorded.rating === "none" ? "Removed the rating of" : `Rated ${recorded.rating}:`;
    return `${what} the answer to ${nameOf(incident)}.${net}`;
  });
}

function signed(number: number): string {
  return number > 0 ? `+${number}` : String(number);
}
