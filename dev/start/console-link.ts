// A link that signs in to the console once.

import { z } from "zod";
import { personOf } from "../../cli/service/person.ts";
import { signInLink } from "../../functions/answer-view/console-link.ts";

const linkSchema = z.object({ code: z.string(), url: z.string().nullable() });
const TIMEOUT_MS = 10_000;

/**
 * @param worker the address of the Worker
 * @returns the console's address without a code if the Worker creates none: the page says how to sign in
 */
export async function consoleLink(worker: string, token: string): Promise<string> {
  try {
    const address = new URL("/v1/session/codes", worker);
    const person = personOf(process.env, undefined);
    if (person !== undefined) address.searchParams.set("name", person);
    const response = await fetch(address, {
      method: "POST",
      headers: { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const { code, url } = linkSchema.parse(await response.json());
    return url ?? signInLink(worker, code);
  } catch {
    return `${worker}/console`;
  }
}
