// `dejavu console`: prints a link that signs in to the console once.

import { z } from "zod";
import { callFor } from "../service/client.ts";
import type { Invocation } from "../service/invocation.ts";
import { openPage } from "./open.ts";

export interface ConsoleOptions {
  readonly open?: boolean;
}

const linkSchema = z.object({ url: z.string(), expires_at: z.string() });

export async function run({ options, cli }: Invocation<ConsoleOptions>): Promise<void> {
  const link = await callFor(await cli.service(), { method: "POST", path: "/v1/session/codes" }, linkSchema);
  if (options.json) return cli.print(JSON.stringify(link));
  if (options.open && (await openPage(link.url))) return cli.print("Opened the console.");
  cli.print(link.url);
  cli.note("It works once, within 10 minutes, for the first person who opens it. Do not share it.");
}
