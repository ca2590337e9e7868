// `dejavu memory split`, `join` and `review`: people correct the records of memory.

import { z } from "zod";
import { call, parseAnswer, pathOf } from "../../service/client.ts";
import { CommandError } from "../../service/command-error.ts";
import { nameOf } from "../../service/incident.ts";
import { incidentId } from "../../service/incident-id.ts";
import { type Invocation, printResult } from "../../service/invocation.ts";
import { observationId } from "../../service/observation-id.ts";

const recordSchema = z.object({ id: z.string(), title: z.string() });
const splitSchema = z.object({ observation: recordSchema, new_observation: recordSchema });

interface ReasonOptions {
  readonly reason?: string;
}

export async function split({ args, options, cli }: Invocation<ReasonOptions>): Promise<void> {
  const [text = "", ...incidents] = args;
  const service = await cli.service();
  const id = await observationId(service, text);
  const incident_ids: string[] = [];
  for (const each of incidents) incident_ids.push(await incidentId(service, cli, each));
  const body = { incident_ids, ...reasonOf(options) };
  const answer = await call(service, { method: "POST", path: pathOf("memory", "observations", id, "split"), body });
  const { observation, new_observation } = parseAnswer(service, answer, splitSchema);
  printResult(
    { cli, options },
    answer,
    () => `Split ${nameOf(observation)}.\nThe new record is ${nameOf(new_observation)}.`,
  );
}

export async function join({ args, options, cli }: Invocation<ReasonOptions>): Promise<void> {
  const [text = "", other = ""] = args;
  const service = await cli.service();
  const [id, otherId] = [await observationId(service, text), await observationId(service, other)];
  const body = { observation_id: otherId, ...reasonOf(options) };
  const answer = await call(service, { method: "POST", path: pathOf("memory", "observations", id, "join"), body });
  const record = parseAnswer(service, answer, recordSchema);
  printResult({ cli, options }, answer, () => `Joined ${otherId} to ${nameOf(record)}.`);
}

export async function review({ args, options, cli }: Invocation): Promise<void> {
  const [text = "", scoreText = ""] = args;
  const score = scoreText === "none" ? null : Number(scoreText);
  if (score !== null && (scoreText.trim() === "" || !(score >= -1 && score <= 2)))
    throw new CommandError("usage", `The score must be a number from -1 to 2, or none, not "${scoreText}".`);
  const service = await cli.service();
  const id = await observationId(service, text);
  const path = pathOf("memory", "observations", id);
  const answer = await call(service, { method: "PATCH", path, body: { review_score: score } });
  const record = parseAnswer(service, answer, recordSchema);
  printResult({ cli, options }, answer, () =>
    score === null ? `Removed the review of ${nameOf(record)}.` : `Reviewed ${nameOf(record)} with ${score}.`,
  );
}

function reasonOf({ reason }: ReasonOptions): ReasonOptions {
  return reason === undefined ? {} : { reason };
}
