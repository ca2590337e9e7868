// Effect of a SQL text on a PostgreSQL, MySQL or MariaDB server, or a PgBouncer console. Pure functions, linear in the text.

import { type CommandEffect, worstEffect } from "./effect.ts";

const SQL_START =
  /^(?:\\[a-z]|(?:select|with|values|table|show|explain|copy|begin|start transaction|insert|update|delete|merge|alter|create|drop|grant|revoke|vacuum|analy[sz]e|reindex|comment on|refresh|checkpoint|rollback|commit|lock table|set(?= [a-z])|truncate(?= +[^-\s])|(?:start|stop) (?:replica|slave)|change (?:master|replication)|purge binary|check table|optimize table|flush(?= [a-z]))\b(?![-/.=]))/i;
const CHANGING_START =
  /^(?:alter|analy[sz]e|checkpoint|cluster|comment|create|delete|drop|grant|insert|lock|merge|reassign|refresh|reindex|revoke|truncate|update|vacuum|(?:commit|rollback) prepared|reload|pause|resume|kill|suspend|shutdown|reconnect|(?:start|stop|reset) (?:replica|slave)|reset (?:master|binary)|change (?:master|replication)|purge|flush|optimize|repair|rename|replace|set (?:global|persist))\b/;
/** Functions that act, by far the most used ones; a function that is not a known reader is not verified either way. */
const CHANGING_CALL =
  /(?<![\w.])(?:pg_catalog\.)?(?:pg_(?:terminate|cancel)_backend|pg_reload_conf|pg_promote|pg_switch_wal|pg_drop_replication_slot|pg_wal_replay_(?:pause|resume)|pg_stat_reset|setval|nextval) ?\(/;

/** Statements that only prepare for a query. */
const SESSION =
  /^(?:begin|begin read only|start transaction read only|commit|rollback|end|set (?:local )?(?:enable_\w+|statement_timeout|lock_timeout) (?:=|to) [\w']+)$/;
/** MySQL names an account, a file or a pattern as a literal. Another condition could call a function. */
const SHOW =
  /^show [\w. ]+(?: (?:like|for|in|user) ''(?:@'')?(?: from \w+)?(?: limit \w+)?| where variable_name (?:like ''|in ?\(''(?: ?, ?'')*\)))?$/;
/** Prints rows as columns in the clients of MySQL and MariaDB; psql does not know it. */
const VERTICAL_END = /\\G\s*$/;
const QUERY = /^(?:select|with|values|table)\b/;
/** Words by which a query writes or locks. */
const WRITES = /\b(?:insert|update|delete|merge|into|truncate|call|for|lock)\b/;

/** Words that may stand before a parenthesis and are no function. */
const KEYWORD =
  /^(?:in|as|on|by|or|any|all|and|not|some|from|over|when|then|else|case|with|join|like|select|values|exists|using|filter|where|group|union|except|intersect|between|having|distinct|lateral|limit|offset|is|materialized|numeric|decimal|varchar|char)$/;
/** Functions that only read. */
const READING_CALL = new RegExp(
  `^(?:pg_catalog\\.)?(?:${[
    "pg_(?:blocking_pids|backend_pid|postmaster_start_time|current_logfile|is_in_recovery|is_wal_replay_paused|relation_filepath)",
    "pg_current_wal_\\w+|pg_last_(?:wal|xact)_\\w+|pg_(?:wal_lsn_diff|walfile_name|ls_waldir|ls_tmpdir|size_pretty)",
    "pg_(?:database|relation|total_relation|table|indexes)_size|pg_database_collation_actual_version",
    "bt_index_check|pgstattuple_approx|current_(?:setting|database)|age|mxid_age|now|date_trunc|extract|timestampdiff",
    "count|sum|avg|min|max|round|greatest|least|coalesce|array_agg|bool_or|percentile_cont|unnest|cardinality",
    "jsonb_array_elements|left|lower|upper|length|substring_index",
  ].join("|")})$`,
);
const CALL = /(?<![\w.])([a-z_][\w.]*) ?\(/g;

/** Whether a command is SQL, or a command of psql, rather than one for a shell. */
export function startsAsSql(text: string): boolean {
  return SQL_START.test(text);
}

export function sqlEffect(sql: string): CommandEffect {
  const effects = statements(sql.trim().replace(VERTICAL_END, "")).map(statementEffect);
  return worstEffect(effects.filter((effect) => effect !== "session"));
}

/** Statements in lower case, without literals and quotes; white space is single blanks. */
function statements(text: string): string[] {
  return text
    .replace(/'(?:[^'\\]|'')*'/g, "''")
    .replace(/"([a-z_]\w*)"/g, "$1")
    .toLowerCase()
    .replace(/\s+/g, " ")
    .replace(/ ?\. ?/g, ".")
    .split(";")
    .map((statement) => statement.trim())
    .filter((statement) => statement !== "");
}

function statementEffect(statement: string): CommandEffect | "session" {
  if (CHANGING_START.test(statement)) return "changes_state";
  // Comments, escapes and dollar quotes could hide the end of a literal; escapes and letters beyond ASCII part of a name.
  // `delimiter` changes what ends a statement in the clients of MySQL and MariaDB, even in the middle of a line.
  if (/--|\/\*|[\\$"`#]|[^ -~]|\bu&|\bdelimiter\b/.test(statement) || statement.replaceAll("''", "").includes("'"))
    return null;
  if (SESSION.test(statement)) return "session";
  if (SHOW.test(statement)) return "read_only";
  if (QUERY.test(statement)) return queryEffect(statement);
  if (!/^explain\b/.test(statement)) return null;
  // With ANALYZE, the statement runs.
  return /\banaly[sz]e\b/.test(statement) ? "changes_state" : "read_only";
}

function queryEffect(query: string): CommandEffect {
  if (CHANGING_CALL.test(query) || /\b(?:insert into|delete from|merge into)\b/.test(query)) return "changes_state";
  if (WRITES.test(query)) return null;
  const calls = [...query.matchAll(CALL)].map(([, name = ""]) => name);
  return calls.every((name) => KEYWORD.test(name) || READING_CALL.test(name)) ? "read_only" : null;
}
