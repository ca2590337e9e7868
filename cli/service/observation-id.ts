// Finds the record of memory that a person means by the first characters of its id.

import { z } from "zod";
import { callFor } from "./client.ts";
import { CommandError } from "./command-error.ts";
import type { Service } from "./find-service.ts";
import { type Candidate, idPrefixOf, isWholeId, onlyCandidate } from "./incident-id.ts";

const MAX_PAGES = 20;

const pageSchema = z.object({
  observations: z.array(z.object({ id: z.string(), title: z.string() })),
  next_cursor: z.string().nullable(),
});

/** @throws CommandError */
export async function observationId(service: Service, text: string): Promise<string> {
  const prefix = idPrefixOf(text);
  if (isWholeId(prefix)) return prefix;
  const digits = prefix.replaceAll("-", "");
  const candidates: Candidate[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const query = { limit: "100", cursor };
    const { observations, next_cursor } = await callFor(
      service,
      { path: "/v1/memory/observations", query },
      pageSchema,
    );
    const matching = observations.filter(({ id }) => id.replaceAll("-", "").startsWith(digits));
    candidates.push(...matching.map(({ id, title }) => ({ id, label: title })));
    if (next_cursor === null) return onlyCandidate(candidates, text, { noun: "record", listCommand: "dejavu memory" });
    cursor = next_cursor;
  }
  if (candidates.length > 0) return onlyCandidate(candidates, text, { noun: "record", listCommand: "dejavu memory" });
  throw new CommandError(
    "notFound",
    `None of the ${MAX_PAGES * 100} records that were last seen has an id that begins with ${text}. Use the whole id.`,
  );
}
