// Owns what a SQL text does to a PostgreSQL server or a PgBouncer console, as far as its words tell. Linear in the text.

import type { CommandEffect } from "./effect.ts";

/** "neutral": concerns the session or the transaction only, so what stands beside it decides. */
type Verdict = CommandEffect | "neutral" | undefined;

const CHANGING =
  /^(?:alter|analy[sz]e|checkpoint|cluster|comment|create|delete|drop|grant|import|insert|load|lock|merge|notify|reassign|refresh|reindex|revoke|security|truncate|update|vacuum|(?:commit|rollback) prepared|prepare transaction|reload|pause|resume|kill|suspend|shutdown|reconnect|enable|disable|wait_close)\b/;
const NEUTRAL =
  /^(?:begin|start transaction|commit|end|rollback|abort|savepoint|release|reset|set local|set transaction|set (?:session )?(?:characteristics|statement_timeout|lock_timeout|search_path|work_mem|application_name|time ?zone|client_min_messages|enable_\w+))\b/;
const META_READING = /^\\(?:d[a-zA-Z]{0,5}|l|conninfo|x|timing|watch|q|c|connect|pset|echo|encoding)[S+]*(?:\s|$)/;
const EXPLAIN = /^explain ?(?:\(([^)]*)\)|((?:(?:analy[sz]e|verbose) ?)*))/;
const ANALYZE = /\banaly[sz]e\b(?! (?:false|off|0))/;
const WRITES_WITHIN = /\b(?:insert into|delete from|merge into|into)\b|(?<!for |key )\bupdate\b/;
const LOCKS_ROWS = /\bfor (?:no key update|update|key share|share)\b/;
const CALL = /\b(\w+) ?\(/g;
const CHANGING_CALL =
  /^(?:pg_(?:terminate|cancel)_backend|pg_reload_conf|pg_rotate_logfile\w*|pg_switch_(?:wal|xlog)|pg_promote|pg_(?:create|drop|copy)_\w+|pg_replication_slot_advance|pg_replication_origin_(?:create|drop|advance|session|xact)\w*|pg_(?:wal|xlog)_replay_(?:pause|resume)|pg_(?:start|stop)_backup|pg_backup_(?:start|stop)|pg_stat\w*_reset\w*|pg_logical_(?:emit_message|slot_get)\w*|pg_notify|pg_import_\w+|pg_file_\w+|pg_sync_replication_slots|pg_truncate_visibility_map|pg_buffercache_evict\w*|heap_force_\w+|pg_(?:try_)?advisory_\w+|pg_extension_config_dump|setval|nextval|lo_(?:create?|import|export|put|unlink|from_bytea|truncate\w*)|dblink_exec|gin_clean_pending_list|brin_\w*summarize\w*)$/;
const READING_CALL =
  /^(?:pg_(?:stat|is|get|ls|last|current|relation|total_relation|table|tablespace|database|index|size|postmaster|walfile|wal_lsn|lsn|blocking|safe_snapshot|backend_pid|control|encoding|filenode|describe|collation|column|identify|typeof|lock_status|show|read|visibility|freespace|partition|has|xact|char|sequence_last|trigger|logical_slot_peek|available|hba|my_temp|timezone)\w*|bt_(?:index_check|index_parent_check|metap|page_\w+)|verify_heapam|pgstat(?:tuple|index)\w*|heap_page_items|get_raw_page|page_header|has_\w+_privilege|(?:txid|mxid|array|string|jsonb?|regexp|inet)_\w+|to_(?:char|timestamp|number|date|jsonb?|hex|reg\w+)|current_(?:setting|schemas?|database|query)|(?:obj|col|shobj)_description|quote_(?:ident|literal|nullable)|date_(?:trunc|part|bin)|make_(?:date|time|interval|timestamp\w*)|(?:clock|statement|transaction)_timestamp|split_part|row_number|(?:dense_|percent_)?rank|(?:first|last|nth)_value|generate_(?:series|subscripts)|justify_\w+|percentile_\w+|(?:var|stddev)_\w+|bool_(?:and|or)|xml\w*agg|count|sum|avg|min|max|mode|every|round|floor|ceil|ceiling|abs|mod|power|sqrt|sign|trunc|log|ln|exp|random|now|age|left|right|length|char_length|octet_length|substr|substring|lower|upper|initcap|trim|ltrim|rtrim|btrim|replace|translate|concat|concat_ws|format|format_type|position|strpos|coalesce|nullif|greatest|least|extract|cast|cardinality|unnest|width_bucket|lag|lead|ntile|cume_dist|corr|lpad|rpad|repeat|reverse|md5|sha\d+|encode|decode|version|isfinite|host|masklen|network|row|array|numeric|decimal|varchar|char|bit|timestamp|timestamptz|time|interval|float|chr|ascii)$/;
const BEFORE_PARENTHESIS =
  /^(?:in|values|as|exists|using|filter|over|and|or|not|any|all|some|select|from|where|on|by|limit|offset|union|except|intersect|case|when|then|else|join|lateral|group|sets|rollup|cube|distinct|materialized|having|between|like|ilike|is|recursive|escape|explain|copy|return|returning|partition|end)$/;

/** What the text does, or undefined where it cannot be told: an unknown function, a file to be run. */
export function sqlEffect(text: string): CommandEffect | undefined {
  const verdicts = statements(text).map(statementEffect);
  if (verdicts.includes("changes_state")) return "changes_state";
  const decided = verdicts.filter((verdict) => verdict !== "neutral");
  return decided.length > 0 && decided.every((verdict) => verdict === "read_only") ? "read_only" : undefined;
}

function statementEffect(statement: string): Verdict {
  if (statement.startsWith("\\")) return META_READING.test(statement) ? "read_only" : undefined;
  const sql = statement.toLowerCase();
  if (CHANGING.test(sql)) return "changes_state";
  if (NEUTRAL.test(sql)) return "neutral";
  if (/^(?:select|with|values|table)\b/.test(sql)) return queryEffect(sql);
  if (/^show\b/.test(sql)) return "read_only";
  if (/^copy\b/.test(sql)) return / to stdout\b/.test(sql) ? queryEffect(sql) : "changes_state";
  const explain = EXPLAIN.exec(sql);
  if (!explain) return undefined;
  const options = explain[1] ?? explain[2] ?? "";
  return ANALYZE.test(options) ? statementEffect(sql.slice(explain[0].length).trim()) : "read_only";
}

function queryEffect(sql: string): CommandEffect | undefined {
  const calls = [...sql.matchAll(CALL)].map(([, name = ""]) => name).filter((name) => !BEFORE_PARENTHESIS.test(name));
  if (WRITES_WITHIN.test(sql) || calls.some((name) => CHANGING_CALL.test(name))) return "changes_state";
  const isKnown = calls.every((name) => READING_CALL.test(name)) && !LOCKS_ROWS.test(sql) && !sql.includes("\\");
  return isKnown ? "read_only" : undefined;
}

const PIECE = /--[^\n]*|\/\*|\$(?:[A-Za-z_]\w*)?\$|(?<!\w)[eE]'|'|"|;|\n\\|[^-/$eE'";\n]+|[\s\S]/g;

/** The statements, without comments and without what is in quotes; white space is single blanks. */
function statements(text: string): string[] {
  const found: string[] = [];
  let current = "";
  // A psql command such as \\dt ends with its line, not at a semicolon.
  let isMeta = text.trimStart().startsWith("\\");
  const close = () => {
    const statement = current.replace(/\s+/g, " ").trim();
    if (statement !== "") found.push(statement);
    current = "";
    isMeta = false;
  };
  PIECE.lastIndex = 0;
  for (let match = PIECE.exec(text); match; match = PIECE.exec(text)) {
    const [piece] = match;
    const start = PIECE.lastIndex;
    if (piece === "/*") PIECE.lastIndex = endAfter(text, "*/", start);
    else if (/^[eE]?'$/.test(piece)) {
      current += "''";
      PIECE.lastIndex = piece === "'" ? endAfter(text, "'", start) : endOfEscaped(text, start);
    } else if (piece.startsWith("$") && piece.length > 1) {
      current += "''";
      PIECE.lastIndex = endAfter(text, piece, start);
    } else if (piece === ";") close();
    else if (piece === "\n\\") {
      close();
      current = "\\";
      isMeta = true;
    } else if (isMeta && piece === "\n") close();
    else if (!piece.startsWith("--")) current += piece === '"' ? "" : piece;
    else current += " ";
  }
  close();
  return found;
}

function endAfter(text: string, what: string, from: number): number {
  const found = text.indexOf(what, from);
  return found === -1 ? text.length : found + what.length;
}

/** Behind the quote that ends an E'…' string, in which a backslash escapes. */
function endOfEscaped(text: string, from: number): number {
  let at = from;
  while (at < text.length && text[at] !== "'") at += text[at] === "\\" ? 2 : 1;
  return Math.min(at + 1, text.length);
}
