// The schema that this version needs, and whether a database has it.

/** The last file in supabase/migrations. */
export const SCHEMA_VERSION = "20261101001500";

/** What to do about an older schema; ends a sentence. */
export const APPLY_MIGRATIONS = "apply the migrations of this version, see docs/guides/upgrade.md";

/**
 * @param applied versions of the applied migrations; empty if the schema was applied by other means than the Supabase CLI
 * @returns whether migrations of this version are missing
 */
export function isOlderSchema(applied: readonly string[]): boolean {
  return applied.length > 0 && !applied.includes(SCHEMA_VERSION);
}

/** For the caller of a request that fails because of an older schema. */
export const OLDER_SCHEMA = `The database has the schema of an earlier version, so this request is not possible yet. Operators: ${APPLY_MIGRATIONS}.`;
