// Failure modes of PostgreSQL for the incident families.

import type { FailureMode } from "./failure-mode.ts";

export const POSTGRES_FAILURES: readonly FailureMode[] = [
  {
    name: "pools-times-instances",
    runbook: "postgres/connection-slots-exhausted-53300.md",
    reports: [
      "{service}: FATAL sorry, too many clients already",
      "PostgresqlTooManyConnections {host} {pct}% of max_connections",
      "we scaled {service} to {n} instances and now the db refuses logins",
      "{service} can't log in to the database",
      "each of the {n} pods of {service} opens a pool of 20, that's more slots than there are",
    ],
    logs: [
      "FATAL:  sorry, too many clients already\nSQLSTATE 53300 connection to {host} failed",
      "FATAL:  remaining connection slots are reserved for roles with the SUPERUSER attribute\nINFO pool size 20 idle 18",
    ],
    fixes: ["PgBouncer in transaction mode in front", "Shrank the pools to 5 per instance"],
    lookAlikes: [
      {
        report: "too many clients on {host}, {service} is the one that grows",
        log: "FATAL:  sorry, too many clients already\nINFO application_name={service} count={n}0 since boot, never closed",
        fix: "Connection leak: a code path skipped close(); fixed in {version}",
      },
      {
        report: "{service} gets no connection from pgbouncer",
        log: "pgbouncer: no more connections allowed (max_client_conn)\nquery_wait_timeout",
        fix: "The pooler itself was full; raised max_client_conn",
      },
    ],
  },
  {
    name: "opposite-order",
    runbook: "postgres/deadlock-detected-40p01.md",
    reports: [
      "deadlock detected in {service}",
      "PostgresqlDeadLocks {host}: {n} per minute, updates on accounts",
      "40P01 in {service} when two transfers cross",
      "{service} jobs abort now and then",
      "two workers of {service} lock the same pair of rows the other way round",
    ],
    logs: [
      'ERROR:  deadlock detected\nDETAIL:  Process {pid} waits for ShareLock on transaction {big}; blocked by process {n}.\nCONTEXT:  while updating tuple in relation "accounts"',
      "psycopg.errors.DeadlockDetected: deadlock detected\nSTATEMENT:  UPDATE accounts SET balance = balance - {n} WHERE id = {big}",
    ],
    fixes: ["Rows are locked in the order of their keys now", "Sorted the ids before updating in both code paths"],
    lookAlikes: [
      {
        report: "deadlock detected in {service} during the migration",
        log: "ERROR:  deadlock detected\nDETAIL:  Process {pid} waits for AccessExclusiveLock on relation {n}",
        fix: "DDL ran inside a busy transaction; runs alone with lock_timeout",
      },
      {
        report: "deadlocks in {service} on inserts of order lines",
        log: "ERROR:  deadlock detected\nCONTEXT:  SQL statement SELECT 1 FROM ONLY orders x WHERE id = $1 FOR KEY SHARE OF x",
        fix: "Foreign key lock then FOR UPDATE of the parent; parent is locked first",
      },
    ],
  },
  {
    name: "inactive-slot",
    runbook: "postgres/disk-full-pg-wal-53100.md",
    reports: [
      "disk full on {host}, pg_wal is {n} GB",
      "PostgresqlUnusedReplicationSlot {host}: WAL kept for a consumer that is gone",
      "pg_wal of {host} grows {since}, slot of the {service} connector inactive",
      "database {host} stopped writing",
      "debezium for {service} was switched off but its slot holds all the wal",
    ],
    logs: [
      'PANIC:  could not write to file "pg_wal/xlogtemp.{pid}": No space left on device',
      "WARN slot {service}_cdc active=f retained={big}MB\nERROR:  could not extend file: No space left on device",
    ],
    fixes: [
      "Dropped the inactive replication slot, max_slot_wal_keep_size=50GB",
      "pg_drop_replication_slot of the old connector",
    ],
    lookAlikes: [
      {
        report: "disk filling on {host}, pg_wal grows",
        log: "LOG:  archive command failed with exit code 1\nWARNING:  archiving write-ahead log file failed too many times, will try again later",
        fix: "Archive bucket credentials had expired; renewed them",
      },
      {
        report: "disk full on {host} for minutes, then free again",
        log: 'ERROR:  could not write to file "base/pgsql_tmp/pgsql_tmp{pid}.0": No space left on device',
        fix: "A report of {service} spilled to disk; temp_file_limit set",
      },
    ],
  },
  {
    name: "ddl-no-timeout",
    runbook: "postgres/blocked-ddl-lock-queue-55p03.md",
    reports: [
      "ALTER TABLE blocks all queries of {service}",
      "lock queue on {host}: {n} sessions wait behind a migration",
      "migration of {service} {version} waits for AccessExclusiveLock and everything piles up",
      "{service} hangs since the deploy, no errors",
      "schema change of {service} ran without lock_timeout into a long report",
    ],
    logs: [
      "LOG:  process {pid} still waiting for AccessExclusiveLock on relation {n} of database 5 after 1000.1 ms\nSTATEMENT:  ALTER TABLE orders ADD COLUMN note text",
      "wait_event_type=Lock wait_event=relation count={n}\nactive: ALTER TABLE customers",
    ],
    fixes: ["Cancelled the ALTER, migrations set lock_timeout=2s and retry", "lock_timeout in the migration tool"],
    lookAlikes: [
      {
        report: "queries of {service} hang on one table of {host}",
        log: "idle in transaction {n} min app=psql\nLOG:  process {pid} still waiting for RowExclusiveLock",
        fix: "A forgotten session idle in transaction; idle_in_transaction_session_timeout set",
      },
      {
        report: "ALTER TABLE of {service} waits for hours",
        log: "blocking: autovacuum: VACUUM public.orders (to prevent wraparound)\nLOG: still waiting for AccessExclusiveLock",
        fix: "Anti-wraparound vacuum was the blocker; let it finish",
      },
    ],
  },
  {
    name: "stale-statistics",
    runbook: "postgres/queries-suddenly-slow.md",
    reports: [
      "queries of {service} suddenly slow after the import",
      "PostgreSQLSlowQueries {host}: p99 {n}s, plan flipped to Seq Scan",
      "row estimate off by {n}000 since the bulk load, {service} crawls",
      "{service} [sluggish|very slow] since last night",
      "planner of {host} works with old numbers after we loaded {big} rows",
    ],
    logs: [
      "LOG:  duration: {big}.337 ms  statement: SELECT * FROM events WHERE tenant_id = $1\nSeq Scan on events (rows={n}) (actual rows={big})",
      "duration: {big} ms\nn_mod_since_analyze={big} last_autoanalyze=null",
    ],
    fixes: [
      "ANALYZE of the table, analyze scale factor lowered",
      "Ran ANALYZE after the load; it is part of the import now",
    ],
    lookAlikes: [
      {
        report: "queries of {service} suddenly slow after pg_upgrade",
        log: "LOG:  duration: {big} ms\nWARN pg_statistic is empty for {n}0 tables",
        fix: "Statistics were lost in the upgrade; vacuumdb --analyze-in-stages",
      },
      {
        report: "{service} slow, the same statement is quick in psql",
        log: "LOG:  duration: {big} ms  execute S_{n}: SELECT\nPlan: generic, Custom: fast",
        fix: "Generic plan; plan_cache_mode=force_custom_plan for the role",
      },
    ],
  },
  {
    name: "standby-queries",
    runbook: "postgres/streaming-replication-lag.md",
    reports: [
      "replication lag of {host} {n} minutes",
      "PostgreSQLReplicationLag: replay on the standby held up by reports of {service}",
      "reads of {service} are {n} min old, standby does not replay",
      "customers see old data in {service}",
      "long analytics query on the replica pauses recovery",
    ],
    logs: [
      "LOG:  recovery still waiting after {n}000.221 ms: recovery conflict on snapshot",
      "WARN replay_gap={big}MB send_gap=0\nactive on standby: SELECT monthly_revenue() {n} min",
    ],
    fixes: ["max_standby_streaming_delay lowered to 30s", "Reports moved to a standby of their own"],
    lookAlikes: [
      {
        report: "replication lag of {host} grows, standby gets nothing",
        log: "FATAL:  could not receive data from WAL stream: ERROR:  requested WAL segment has already been removed",
        fix: "WAL was removed too early; rebuilt the standby with a slot",
      },
      {
        report: "replication lag of {host} during the nightly load of {service}",
        log: "WARN send_gap={big}MB\nINFO COPY {big} rows into facts",
        fix: "WAL burst of the bulk load; batched it",
      },
    ],
  },
  {
    name: "long-transaction-bloat",
    runbook: "postgres/table-bloat-autovacuum.md",
    reports: [
      "table bloat on {host}, {pct}% dead tuples in events",
      "PostgresqlTooManyDeadTuples: autovacuum removes nothing ({service})",
      "dead rows of {service} pile up, somebody has a transaction open for {n}h",
      "{host} disk grows though row counts don't",
      "xmin horizon is stuck at a session of {service} from yesterday",
    ],
    logs: [
      "LOG:  automatic vacuum of table events: tuples: 0 removed, {big} remain, {big} are dead but not yet removable, oldest xmin: {n}",
      "idle in transaction {n}:12:44 app={service} backend_xmin old\nWARNING:  oldest xmin is far in the past",
    ],
    fixes: [
      "Ended the session, idle_in_transaction_session_timeout=10min",
      "Terminated the old transaction, vacuum caught up",
    ],
    lookAlikes: [
      {
        report: "table bloat on {host}, vacuum comes too rarely",
        log: "n_dead_tup={big} last_autovacuum {n} days ago, nothing holds xmin",
        fix: "Default thresholds on a big table; lowered autovacuum_vacuum_scale_factor",
      },
      {
        report: "dead tuples pile up on {host}, autovacuum is cancelled",
        log: "ERROR:  canceling autovacuum task\nCONTEXT:  while vacuuming relation events",
        fix: "LOCK TABLE by {service} every minute; removed it",
      },
    ],
  },
  {
    name: "statement-timeout-lowered",
    runbook: "postgres/query-cancelled-57014.md",
    reports: [
      "{service}: canceling statement due to statement timeout",
      "57014 rate up on {host} {since} the role settings changed",
      "PostgresqlHighRateStatementTimeout {service} {n}/s",
      "exports of {service} fail after exactly {n} seconds",
      "somebody set a shorter limit for the role of {service} and its reports are cut off",
    ],
    logs: [
      "ERROR:  canceling statement due to statement timeout\nSTATEMENT:  SELECT export_orders($1)",
      "psycopg.errors.QueryCanceled: canceling statement due to statement timeout\nINFO role setting statement_timeout={n}s",
    ],
    fixes: ["Restored statement_timeout for the role", "ALTER ROLE reset the timeout to its former value"],
    lookAlikes: [
      {
        report: "{service}: canceling statement on the standby",
        log: "ERROR:  canceling statement due to conflict with recovery\nDETAIL:  User query might have needed to see row versions that must be removed.",
        fix: "Recovery conflict; separate reporting standby",
      },
      {
        report: "{service}: canceling statement due to user request",
        log: "ERROR:  canceling statement due to user request\nINFO gateway timeout {n}s",
        fix: "The proxy gave up first; aligned the timeouts",
      },
    ],
  },
  {
    name: "work-mem",
    runbook: "postgres/backend-killed-out-of-memory-53200.md",
    reports: [
      "server process terminated by signal 9 on {host}",
      "postgres on {host} OOM killed, {service} lost all connections",
      "database in recovery mode {n} times today, memory {pct}%",
      "{service} disconnected from the database all at once",
      "work_mem times {n}00 sessions is more RAM than {host} has",
    ],
    logs: [
      "LOG:  server process (PID {pid}) was terminated by signal 9: Killed\nLOG:  terminating any other active server processes",
      "WARNING:  terminating connection because of crash of another server process\nFATAL:  the database system is in recovery mode\nINFO work_mem=256MB backends={n}00",
    ],
    fixes: ["work_mem back to 16MB, connections capped by the pooler", "Lowered work_mem and max_connections"],
    lookAlikes: [
      {
        report: "postgres on {host} out of memory during the dump",
        log: "ERROR:  out of shared memory\nHINT:  You might need to increase max_locks_per_transaction.",
        fix: "Lock table was full, not RAM; max_locks_per_transaction=256",
      },
      {
        report: "parallel queries of {service} fail on {host}, memory",
        log: 'ERROR:  could not resize shared memory segment "/PostgreSQL.{big}" to 8388608 bytes: No space left on device',
        fix: "/dev/shm of the container was 64 MB; --shm-size=1g",
      },
    ],
  },
  {
    name: "glibc-collation",
    runbook: "postgres/corrupted-index-xx002.md",
    reports: [
      "corrupted index on {host} after the OS upgrade",
      "{service}: lookup by e-mail misses rows that a full scan finds",
      "duplicate values in a unique column of {service} since {host} got a new distribution",
      "{service} says user unknown for some customers",
      "collation version mismatch on {host}, text indexes are wrong",
    ],
    logs: [
      'WARNING:  database "{service}" has a collation version mismatch\nDETAIL:  The database was created using collation version 2.31, but the operating system provides version 2.{n}.',
      'ERROR:  item order invariant violated for index "users_email_key"',
    ],
    fixes: [
      "REINDEX of all text indexes and ALTER DATABASE REFRESH COLLATION VERSION",
      "Rebuilt the text indexes after the glibc change",
    ],
    lookAlikes: [
      {
        report: "corrupted index on {host} after the disk error",
        log: 'ERROR:  index "orders_pkey" contains unexpected zero page at block {n}\nkernel: blk_update_request: I/O error',
        fix: "Storage fault; moved to new disks and restored",
      },
      {
        report: "{service}: index of {host} wrong, version 14.2",
        log: 'heap tuple (5,12) lacks matching index tuple within index "events_idx"\nINFO CREATE INDEX CONCURRENTLY',
        fix: "A bug of 14.0 to 14.3 with CONCURRENTLY; upgraded and rebuilt",
      },
    ],
  },
  {
    name: "prepared-wraparound",
    runbook: "postgres/transaction-id-wraparound.md",
    reports: [
      "{host}: database must be vacuumed within {big} transactions",
      "transaction id wraparound near on {host}, age does not fall",
      "{service} db not accepting commands, old prepared transaction",
      "warnings with each write on {host}",
      "a two-phase commit of {service} was never finished and freezes the horizon",
    ],
    logs: [
      'WARNING:  database "{service}" must be vacuumed within {big} transactions\npg_prepared_xacts: gid={id} prepared {n} days ago',
      'ERROR:  database is not accepting commands to avoid wraparound data loss in database "{service}"\nHINT:  You might also need to commit or roll back old prepared transactions',
    ],
    fixes: [
      "ROLLBACK PREPARED of the forgotten one, then VACUUM FREEZE",
      "Rolled back the orphaned prepared transaction",
    ],
    lookAlikes: [
      {
        report: "transaction id wraparound near on {host}, vacuum fails",
        log: "ERROR:  invalid page in block {n} of relation base/5/{pid}\nautovacuum: VACUUM public.audit (to prevent wraparound)",
        fix: "Vacuum failed on a corrupted table; restored it",
      },
      {
        report: "{host}: xid age climbs though vacuum works ({service})",
        log: "INFO {n}00 savepoints per second\nage(datfrozenxid)={big}",
        fix: "A savepoint per row burned ids; batched the import",
      },
    ],
  },
];
