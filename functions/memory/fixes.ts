// Fixes of a failure with their proofs, and tries of them as people report them.

import { z } from "zod";
import { type FixEntry, fixSchema } from "../schemas/fix.ts";

export interface Fix {
  readonly id: string;
  readonly text: string;
  /** Identifies the failure that it fixed. */
  readonly fingerprint: string;
  /** Versions or conditions, if reported. */
  readonly conditions: string | null;
  /** Incidents that it was tried in. */
  readonly tried: number;
  /** Those of them that it helped. */
  readonly worked: number;
  readonly firstAt: Date;
  readonly lastAt: Date;
  readonly lastWorkedAt: Date | null;
  readonly lastWorkedBy: string | null;
  /** System that the incident where it worked last was imported from; null if it was reported here. */
  readonly importedFrom: string | null;
  /** Null while it is active. */
  readonly retired: { readonly at: Date; readonly reason: string } | null;
  /** First repeat on the same service after it worked last. */
  readonly cameBackAt: Date | null;
}

/** A fix as the SQL functions return it. */
export const storedFixSchema = fixSchema.transform(
  (row): Fix => ({
    id: row.id,
    text: row.text,
    fingerprint: row.fingerprint,
    conditions: row.conditions,
    tried: row.tried,
    worked: row.worked,
    firstAt: new Date(row.first_at),
    lastAt: new Date(row.last_at),
    lastWorkedAt: row.last_worked_at === null ? null : new Date(row.last_worked_at),
    lastWorkedBy: row.last_worked_by,
    importedFrom: row.imported_from,
    retired: row.retired && { at: new Date(row.retired.at), reason: row.retired.reason },
    cameBackAt: row.came_back_at === null ? null : new Date(row.came_back_at),
  }),
);

const FIX_COLUMNS = Object.keys(fixSchema.shape).toSorted();

/** A fix of a recalled observation: its values in the order of their names, without keys. */
export const recalledFixSchema = z
  .array(z.unknown())
  .transform((cells) => Object.fromEntries(FIX_COLUMNS.map((name, i) => [name, cells[i]])))
  .pipe(storedFixSchema);

/** Each action once, with its proof over all records: those of one failure may have the same fix. */
export function unitedFixes(fixes: readonly Fix[]): Fix[] {
  const byAction = Map.groupBy(fixes, ({ text }) => text.trim().replace(/\.$/, "").trimEnd().toLowerCase());
  const timeOf = ({ lastWorkedAt, lastAt }: Fix) => (lastWorkedAt ?? lastAt).getTime();
  return [...byAction.values()].flatMap((same) => {
    const [first, newest] = [same[0], same.toSorted((a, b) => timeOf(b) - timeOf(a))[0]];
    if (first === undefined || newest === undefined) return [];
    const total = (name: "tried" | "worked") => same.reduce((sum, fix) => sum + fix[name], 0);
    const { id, text, fingerprint } = first;
    return [{ ...newest, id, text, fingerprint, tried: total("tried"), worked: total("worked") }];
  });
}

export function fixEntry(fix: Fix): FixEntry {
  return {
    id: fix.id,
    text: fix.text,
    fingerprint: fix.fingerprint,
    conditions: fix.conditions,
    tried: fix.tried,
    worked: fix.worked,
    first_at: fix.firstAt.toISOString(),
    last_at: fix.lastAt.toISOString(),
    last_worked_at: fix.lastWorkedAt?.toISOString() ?? null,
    last_worked_by: fix.lastWorkedBy,
    imported_from: fix.importedFrom,
    retired: fix.retired && { at: fix.retired.at.toISOString(), reason: fix.retired.reason },
    came_back_at: fix.cameBackAt?.toISOString() ?? null,
  };
}

/** Who reports a fix or a try. Only they, and admins, may replace it. */
const fixAuthorSchema = z
  .object({
    /** Id of the caller: of a token, `service`, or of a person of the chat. */
    caller: z.string(),
    isAdmin: z.boolean(),
  })
  .readonly();
export type FixAuthor = z.infer<typeof fixAuthorSchema>;

/** An action that a person took in an incident. */
export const reportedTrySchema = z
  .object({
    /** Id of the fix, if no recorded one has this action. */
    id: z.string(),
    text: z.string(),
    by: z.string().nullable(),
    conditions: z.string().nullable(),
    /** A recorded fix that was applied again. */
    fixId: z.string().nullable(),
    author: fixAuthorSchema,
  })
  .readonly();
export type ReportedTry = z.infer<typeof reportedTrySchema>;

/** A try for the SQL functions. */
export function tryColumns({ id, text, by, conditions, fixId, author }: ReportedTry) {
  const columns = { id, text, by, conditions, caller: author.caller, is_admin: author.isAdmin };
  return fixId === null ? columns : { ...columns, fix_id: fixId };
}

/** The text of the recorded fix that has this action; the reported text if there is none. */
export function recordedText(fixes: readonly Fix[], { text, fixId }: Pick<ReportedTry, "text" | "fixId">): string {
  const fix = fixes.find(({ id }) => id === fixId) ?? fixes.find((each) => actionOf(each.text) === actionOf(text));
  return fix?.text ?? text;
}

/** Equal for texts of the same action, as `fix_key` in the database. */
function actionOf(text: string): string {
  return text.trim().replace(/\.$/, "").trimEnd().toLowerCase();
}
