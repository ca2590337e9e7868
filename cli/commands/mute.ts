// `dejavu mute`: list, add and end mutes.

import { z } from "zod";
import { muteScope } from "../../functions/answer-view/handover-text.ts";
import { mutedText } from "../../functions/answer-view/mute-text.ts";
import { minuteOf } from "../../functions/answer-view/time-text.ts";
import { type ShownMute, shownMuteSchema } from "../../functions/schemas/reports.ts";
import { displayText } from "../../lib/text/display-text.ts";
import { spanMs } from "../input/span.ts";
import { call, parseAnswer, pathOf } from "../service/client.ts";
import { CommandError } from "../service/command-error.ts";
import { incidentId } from "../service/incident-id.ts";
import { type Invocation, printResult } from "../service/invocation.ts";
import { personOf } from "../service/person.ts";

export async function list({ options, cli }: Invocation): Promise<void> {
  const service = await cli.service();
  const answer = await call(service, { path: "/v1/mutes" });
  const { mutes } = parseAnswer(service, answer, z.object({ mutes: z.array(shownMuteSchema) }));
  printResult({ cli, options }, answer, () =>
    mutes.length === 0 ? "Nothing is muted. Mute with: dejavu mute add --help" : mutes.map(describeMute).join("\n"),
  );
}

export interface AddOptions {
  readonly incident?: string;
  readonly domain?: string;
  readonly match?: readonly string[];
  readonly for?: string;
  readonly until?: string;
  readonly by?: string;
}

export async function add({ args, options, cli }: Invocation<AddOptions>): Promise<void> {
  const { incident, domain, match, by } = options;
  const endsAt = endOf(options, new Date());
  const service = await cli.service();
  const body = {
    ...(incident === undefined ? {} : { incident_id: await incidentId(service, cli, incident) }),
    ...(domain === undefined ? {} : { domain }),
    ...(match === undefined ? {} : { matchers: match }),
    owner: personOf(cli.env, by),
    reason: args.join(" "),
    ends_at: endsAt,
  };
  const answer = await call(service, { method: "POST", path: "/v1/mutes", body });
  const mute = parseAnswer(service, answer, shownMuteSchema);
  printResult(
    { cli, options },
    answer,
    () => `Muted ${muteScope(mute)} until ${minuteOf(mute.ends_at)} UTC. End it with: dejavu mute end ${mute.id}`,
  );
}

/** When a mute ends, as ISO 8601. @throws CommandError */
export function endOf({ for: span, until }: Pick<AddOptions, "for" | "until">, now: Date): string {
  if ((span === undefined) === (until === undefined))
    throw new CommandError("usage", "Say when it ends, with one of --for and --until.");
  if (until !== undefined) {
    const end = new Date(until);
    if (Number.isNaN(end.getTime()))
      throw new CommandError("usage", `--until must be a time such as 2026-03-01T18:00Z, not "${until}".`);
    return end.toISOString();
  }
  return new Date(now.getTime() + spanMs("--for", span ?? "", "90m, 4h or 2d")).toISOString();
}

export async function end({ args, options, cli }: Invocation): Promise<void> {
  const [id = ""] = args;
  const service = await cli.service();
  await call(service, { method: "DELETE", path: pathOf("mutes", id) });
  printResult({ cli, options }, { id }, () => "Ended the mute. Its incidents that are still open are announced.");
}

function describeMute(mute: ShownMute): string {
  return displayText(`${mute.id}  ${muteScope(mute)}: ${mutedText(mute)}`);
}
