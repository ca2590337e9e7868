// `dejavu slack manifest`: the app of a service, as Slack reads it.

import { z } from "zod";
import { slackApp } from "../../functions/schemas/slack-app.ts";
import { CommandError } from "../service/command-error.ts";
import type { Invocation } from "../service/invocation.ts";

export async function manifest({ args: [wanted], options, cli }: Invocation): Promise<void> {
  const address = wanted ?? (await cli.service()).url;
  if (!z.url({ protocol: /^https?$/ }).safeParse(address).success)
    throw new CommandError("usage", `"${address}" is not an address such as https://dejavu.example.com.`);
  const app = slackApp(new URL("/slack", address).href);
  cli.print(options.json ? JSON.stringify(app) : JSON.stringify(app, null, 2));
  if (!address.startsWith("https:")) cli.note("Slack calls https addresses only: give that of the deployed Worker.");
}
