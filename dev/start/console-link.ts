// A link that signs in to the console of a running stack once.

import { z } from "zod";
import type { StackInfo } from "../stack/stack-info.ts";

const linkSchema = z.object({ url: z.string() });
const TIMEOUT_MS = 10_000;

/** The console's address without a code if the stack creates none: the page says how to sign in. */
export async function consoleLink({ urls, token }: Pick<StackInfo, "urls" | "token">): Promise<string> {
  try {
    const response = await fetch(`${urls.worker}/v1/session/codes`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return linkSchema.parse(await response.json()).url;
  } catch {
    return `${urls.worker}/console`;
  }
}
