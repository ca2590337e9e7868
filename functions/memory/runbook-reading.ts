// Owns how runbooks are read as a whole: which there are, and the text of one, put together from its chunks again.

import { z } from "zod";
import { DOMAIN_NAMES, type DomainName } from "../domains/domain.ts";
import type { Database } from "../stores/database.ts";
import { parseReply } from "./reply.ts";
import { documentFromRow, documentRowSchema, type SearchDocument } from "./search-document.ts";

const outlineSchema = z.array(z.object({ domain: z.enum(DOMAIN_NAMES), source: z.string(), title: z.string() }));
export type RunbookOutline = z.infer<typeof outlineSchema>[number];

export interface RunbookText {
  readonly title: string;
  readonly markdown: string;
}

/** By domain and source, at most `limit` of them. @throws OutsideError */
export async function outlineRunbooks(database: Database, limit: number): Promise<RunbookOutline[]> {
  const reply = await database.call("runbook_outline", { p_limit: limit }, 1);
  return parseReply(outlineSchema, reply, "runbook_outline");
}

/** @returns null when there is none of that name. @throws OutsideError */
export async function readRunbook(database: Database, domain: DomainName, source: string): Promise<RunbookText | null> {
  const reply = await database.call("runbook_chunks", { p_domain: domain, p_source: source }, 1);
  const chunks = parseReply(z.array(documentRowSchema), reply, "runbook_chunks").map(documentFromRow);
  const title = chunks[0]?.title;
  return title === undefined ? null : { title, markdown: joinChunks(title, chunks) };
}

/** @param chunks in the order of the text */
export function joinChunks(title: string, chunks: readonly Pick<SearchDocument, "headingPath" | "body">[]): string {
  const parts = [`# ${title}`];
  let path: readonly string[] = [];
  let before = "";
  for (const { headingPath, body } of chunks) {
    const isSameSection = parts.length > 1 && headingPath.join("\n") === path.join("\n");
    const known = headingPath.findIndex((heading, level) => heading !== path[level]);
    if (known >= 0) {
      for (const [level, heading] of headingPath.entries())
        if (level >= known) parts.push(`${"#".repeat(level + 2)} ${heading}`);
    }
    const text = isSameSection ? withoutRepeat(before, body) : body;
    if (text !== "") parts.push(text);
    path = headingPath;
    before = body;
  }
  return `${parts.join("\n\n")}\n`;
}

/** A chunk may begin with the last words of the one before: they are said once. */
function withoutRepeat(before: string, body: string): string {
  const wordEnds = [...body.matchAll(/\S(?=\s|$)/g)].map(({ index }) => index + 1);
  // Longest first. Fewer words may stand at an end and at a beginning by chance.
  for (const end of wordEnds.slice(LEAST_REPEAT - 1).reverse()) {
    const start = before.length - end;
    const isWhole = start === 0 || (start > 0 && /\s/.test(before[start - 1] ?? ""));
    if (isWhole && before.endsWith(body.slice(0, end))) return body.slice(end).trimStart();
  }
  return body;
}

/** Words. */
const LEAST_REPEAT = 3;
