// A link that signs in to the console once.

import { z } from "zod";

const linkSchema = z.object({ url: z.string() });
const TIMEOUT_MS = 10_000;

/**
 * @param worker the address of the Worker
 * @returns the console's address without a code if the Worker creates none: the page says how to sign in
 */
export async function consoleLink(worker: string, token: string): Promise<string> {
  try {
    const response = await fetch(`${worker}/v1/session/codes`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return linkSchema.parse(await response.json()).url;
  } catch {
    return `${worker}/console`;
  }
}
