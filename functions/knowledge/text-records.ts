// Stores, lists, reads and removes the texts that search documents are made from.

import { z } from "zod";
import { type Database, IGNORE_RESULT } from "../adapters/database.ts";
import { TEXT_KINDS, type TextKind } from "../schemas/text-kind.ts";
import { type PendingWrite, pendingWritesSchema } from "../search-index/outbox.ts";
import { documentRow, type SearchDocument } from "../search-index/search-document.ts";
import { runbookTotalsSchema } from "./runbook-uses.ts";
import { textId } from "./text-documents.ts";

/** The origin of a text. Of two texts with one name, the origin that is listed first wins. */
export const TEXT_ORIGINS = ["api", "folder", "built_in"] as const;
export type TextOrigin = (typeof TEXT_ORIGINS)[number];

export const textEntrySchema = z.object({
  id: z.string(),
  source: z.string().describe("Name of the text."),
  domain: z.string(),
  kind: z.enum(TEXT_KINDS),
  origin: z.enum(TEXT_ORIGINS).describe("Origin: the API, a folder of your own, or the built-in runbooks."),
  title: z.string(),
  tags: z.array(z.string()),
  bytes: z.number().int(),
  chunks: z.number().int(),
  created_at: z.string(),
  updated_at: z.string().describe("Time of the last change."),
  updated_by: z.string().nullable().describe("Name of the token that stored the text; null for a text from a folder."),
  /** Of a runbook that is listed or read. */
  uses: runbookTotalsSchema.nullish(),
});
export type TextEntry = z.infer<typeof textEntrySchema>;

export const textDetailSchema = textEntrySchema.extend({
  etag: z.string().describe("Identifies the content, for `If-Match`."),
  incident_type: z.string().nullable().describe("The incident type of a runbook's front matter; null without one."),
  text: z.string().nullable().describe("The stored text, redacted; null for a text from a folder."),
  sections: z
    .array(z.object({ id: z.string(), heading: z.string(), text: z.string() }))
    .describe("The searched chunks; adjacent chunks overlap."),
});
export type TextDetail = z.infer<typeof textDetailSchema>;

const detailSchema = textEntrySchema
  .extend({
    etag: z.string(),
    incident_type: z.string().nullable(),
    text: z.string().nullable(),
    sections: z.array(z.object({ id: z.string(), heading_path: z.array(z.string()), body: z.string() })),
  })
  .transform(
    ({ sections, ...row }): TextDetail => ({
      ...row,
      sections: sections.map(({ id, heading_path, body }) => ({ id, heading: heading_path.join(" › "), text: body })),
    }),
  );

const storedSchema = z.discriminatedUnion("state", [
  z.object({ state: z.literal("changed") }),
  z.object({ state: z.literal("exists") }),
  z.object({ state: z.literal("taken"), kind: z.enum(TEXT_KINDS) }),
  z.object({ state: z.literal("other_domain"), domain: z.string() }),
  z.object({
    state: z.literal("stored"),
    source: textEntrySchema.extend({ etag: z.string() }),
    created: z.boolean(),
    upserted: z.number().int(),
    unchanged: z.number().int(),
    removed: z.number().int(),
    waiting: z.boolean(),
    pending: pendingWritesSchema,
  }),
]);
export type StoreTextResult = z.infer<typeof storedSchema>;

const deletedSchema = z.discriminatedUnion("state", [
  z.object({ state: z.literal("not_found") }),
  z.object({ state: z.literal("deleted"), pending: pendingWritesSchema }),
]);

export interface TextChange {
  readonly now: Date;
  /** End of the caller's claim on the writes to the vector store; ISO 8601. */
  readonly claimUntil: string;
}

export interface NewText {
  readonly source: string;
  readonly kind: TextKind;
  readonly domain: string;
  /** Whether it moves to this domain if it is stored in another. */
  readonly moves: boolean;
  readonly title: string;
  readonly tags: readonly string[];
  readonly bytes: number;
  readonly text: string;
  readonly documents: readonly SearchDocument[];
  readonly condition?: WriteCondition | undefined;
  /** Name of the caller. */
  readonly by?: string | undefined;
}

/** `etag`: the stored text has to be this one. `new`: there must be none of the name. */
export type WriteCondition = { readonly etag: string } | "new";

/**
 * Stores a text with its chunks in place of the former ones, in one transaction with their outbox entries. `taken` if a
 * runbook has the name of a note, log or postmortem, or the other way round. `other_domain` if the stored text is in
 * another domain and must not move, `changed` or `exists` if the condition does not hold: nothing is stored then.
 * @throws DependencyError
 */
export async function storeText(
  database: Database,
  { moves, documents, tags, condition, by, ...rest }: NewText,
  { now, claimUntil }: TextChange,
): Promise<StoreTextResult> {
  const row = {
    ...rest,
    id: textId(rest.source),
    origin: "api",
    tags: [...tags],
    chunks: documents.length,
    ...(by === undefined ? {} : { updated_by: by }),
  };
  const p = {
    now: now.toISOString(),
    claim_until: claimUntil,
    moves,
    source: row,
    documents: documents.map((document) => documentRow(document)),
    ...(condition === "new" ? { is_new: true } : condition ? { if_match: condition.etag } : {}),
  };
  return database.call("put_source", { p }, storedSchema, { retries: 1 });
}

export interface TextPage {
  readonly limit: number;
  readonly kinds: readonly TextKind[];
  /** The last name of the previous page. */
  readonly after?: string | undefined;
  readonly domain?: string | undefined;
  /** In the name or the title; case does not count. */
  readonly text?: string | undefined;
}

/** Ordered by name. @throws DependencyError */
export async function listTexts(database: Database, page: TextPage): Promise<TextEntry[]> {
  const args = {
    p_limit: page.limit,
    p_kinds: [...page.kinds],
    ...(page.after !== undefined ? { p_after: page.after } : {}),
    ...(page.domain !== undefined ? { p_domain: page.domain } : {}),
    ...(page.text !== undefined ? { p_text: page.text } : {}),
  };
  return database.call("list_sources", args, z.array(textEntrySchema), { retries: 1 });
}

/** Null when there is none of these kinds. @throws DependencyError */
export async function getText(database: Database, id: string, kinds: readonly TextKind[]): Promise<TextDetail | null> {
  const result = await database.call("get_source", { p_id: id, p_kinds: [...kinds] }, detailSchema.nullable(), {
    retries: 1,
  });
  return result;
}

export interface RemovableText {
  readonly id: string;
  readonly kinds: readonly TextKind[];
  /** Any origin by default. */
  readonly origin?: TextOrigin | undefined;
  /** For the audit event; without it, the event names nobody. */
  readonly by?: { readonly actor: string; readonly requestId: string } | undefined;
}

/**
 * @returns the pending removals from the vector store; null when there is none of these kinds and of this origin.
 * @throws DependencyError
 */
export async function deleteText(
  database: Database,
  { id, kinds, origin, by, now, claimUntil }: TextChange & RemovableText,
): Promise<PendingWrite[] | null> {
  const only = origin === undefined ? {} : { origin };
  const caller = by === undefined ? {} : { actor: by.actor, request_id: by.requestId };
  const p = { now: now.toISOString(), claim_until: claimUntil, id, kinds: [...kinds], ...only, ...caller };
  // No retry: after a lost result the second call would find nothing.
  const result = await database.call("delete_source", { p }, deletedSchema);
  return result.state === "not_found" ? null : result.pending;
}

/** The origin of each stored text, by name. @throws DependencyError */
export async function textOrigins(
  database: Database,
  sources: readonly string[],
): Promise<ReadonlyMap<string, TextOrigin>> {
  const result = await database.call(
    "source_origins",
    { p_sources: [...sources] },
    z.record(z.string(), z.enum(TEXT_ORIGINS)),
    { retries: 1 },
  );
  return new Map(Object.entries(result));
}

/** Origins of texts that are loaded from a folder. */
export type FolderOrigin = Exclude<TextOrigin, "api">;

export interface FolderEntry {
  readonly source: string;
  readonly kind: TextKind;
  readonly title: string;
  readonly tags: readonly string[];
  readonly bytes: number;
  readonly chunks: number;
}

/** Records the texts of a folder, or updates their records. @throws DependencyError */
export async function recordFolderTexts(
  database: Database,
  {
    domain,
    origin,
    sources,
    now,
  }: {
    readonly domain: string;
    readonly origin: FolderOrigin;
    readonly sources: readonly FolderEntry[];
    readonly now: Date;
  },
): Promise<void> {
  const rows = sources.map((each) => ({ ...each, id: textId(each.source), tags: [...each.tags] }));
  const args = { p_domain: domain, p_origin: origin, p_sources: rows, p_now: now.toISOString() };
  await database.call("record_folder_sources", args, IGNORE_RESULT, { retries: 1 });
}
