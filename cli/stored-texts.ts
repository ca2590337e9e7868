// Runbooks and documents that a service holds: lists and removes them.

import { z } from "zod";
import { callFor, pathOf } from "./service/client.ts";
import { CommandError, EXIT_CODES } from "./service/command-error.ts";
import type { Service } from "./service/find-service.ts";
import { runbookPath } from "./service/runbook-source.ts";

const textSchema = z.object({ id: z.string(), source: z.string(), origin: z.string(), kind: z.string() });
export type StoredText = z.infer<typeof textSchema>;

const pageSchema = z.object({
  runbooks: z.array(textSchema).optional(),
  documents: z.array(textSchema).optional(),
  next_cursor: z.string().nullable(),
});

const PAGE = "100";

/** By name: runbooks, then documents. @param domain all domains by default @throws CommandError */
export async function storedTexts(service: Service, domain?: string): Promise<StoredText[]> {
  const texts: StoredText[] = [];
  for (const path of ["/v1/runbooks", "/v1/documents"]) {
    let cursor: string | undefined;
    do {
      const page = await callFor(service, { path, query: { limit: PAGE, cursor, domain } }, pageSchema);
      texts.push(...(page.runbooks ?? page.documents ?? []));
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
  }
  return texts;
}

/** One that somebody else has removed meanwhile is no error. @throws CommandError */
export async function removeTexts(service: Service, texts: readonly StoredText[]): Promise<void> {
  for (const { kind, source, id } of texts) {
    const path = kind === "runbook" ? runbookPath(source) : pathOf("documents", id);
    await callFor(service, { method: "DELETE", path }, z.unknown()).catch((error: unknown) => {
      if (!(error instanceof CommandError && error.exitCode === EXIT_CODES.notFound)) throw error;
    });
  }
}
