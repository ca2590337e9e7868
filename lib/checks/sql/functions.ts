// What a check may call: functions without side effects whose results stay small, types of casts, and operators.

export const FUNCTIONS: ReadonlySet<string> = new Set(
  `count sum avg min max bool_and bool_or every stddev stddev_pop stddev_samp variance var_pop var_samp percentile_cont
  percentile_disc mode
  row_number rank dense_rank percent_rank cume_dist ntile lag lead first_value last_value nth_value
  coalesce nullif greatest least any some all exists in array unnest cardinality array_length array_position
  abs ceil ceiling floor round trunc sign mod div power sqrt exp ln log width_bucket
  lower upper length char_length octet_length left right substring substr strpos split_part starts_with btrim ltrim rtrim
  concat concat_ws
  now clock_timestamp statement_timestamp transaction_timestamp age date_part date_trunc date_bin extract to_char to_timestamp
  justify_hours justify_days justify_interval isfinite make_interval
  pg_database_size pg_tablespace_size pg_relation_size pg_table_size pg_indexes_size pg_total_relation_size pg_size_pretty
  pg_wal_lsn_diff pg_current_wal_lsn pg_current_wal_insert_lsn pg_current_wal_flush_lsn pg_last_wal_receive_lsn
  pg_last_wal_replay_lsn pg_last_xact_replay_timestamp pg_is_in_recovery pg_is_wal_replay_paused pg_get_wal_replay_pause_state
  pg_blocking_pids pg_safe_snapshot_blocking_pids pg_postmaster_start_time pg_conf_load_time pg_backend_pid
  pg_xact_commit_timestamp mxid_age txid_current_snapshot pg_current_snapshot
  pg_table_is_visible pg_get_userbyid to_regclass format_type current_database version host family
  current_setting`.split(/\s+/),
);

/** Keywords that a bracket may follow without being a call. */
export const KEYWORDS_BEFORE_BRACKET: ReadonlySet<string> = new Set(
  `and as between by case distinct else filter from group having join lateral like ilike limit not offset on or order over
  partition select then union using values when where with within cast
  numeric decimal varchar char character timestamp timestamptz time interval`.split(/\s+/),
);

/** Settings that `current_setting` may read: none holds a secret, and none is changed by the session of a check. */
export const READABLE_SETTINGS: ReadonlySet<string> = new Set(
  `max_connections superuser_reserved_connections reserved_connections max_prepared_transactions max_locks_per_transaction
  max_worker_processes max_parallel_workers max_parallel_workers_per_gather max_wal_senders max_replication_slots
  max_logical_replication_workers max_sync_workers_per_subscription max_slot_wal_keep_size wal_keep_size wal_level wal_buffers
  max_wal_size min_wal_size wal_segment_size checkpoint_timeout checkpoint_completion_target wal_compression archive_mode
  archive_timeout synchronous_commit hot_standby hot_standby_feedback max_standby_streaming_delay max_standby_archive_delay
  wal_receiver_timeout wal_sender_timeout idle_replication_slot_timeout
  autovacuum autovacuum_max_workers autovacuum_worker_slots autovacuum_naptime autovacuum_freeze_max_age
  autovacuum_multixact_freeze_max_age autovacuum_vacuum_threshold autovacuum_vacuum_scale_factor
  autovacuum_vacuum_insert_threshold autovacuum_vacuum_insert_scale_factor autovacuum_analyze_threshold
  autovacuum_analyze_scale_factor autovacuum_vacuum_cost_delay autovacuum_vacuum_cost_limit vacuum_cost_delay
  vacuum_cost_limit vacuum_freeze_min_age vacuum_freeze_table_age vacuum_failsafe_age
  shared_buffers work_mem maintenance_work_mem autovacuum_work_mem effective_cache_size temp_buffers temp_file_limit
  hash_mem_multiplier effective_io_concurrency random_page_cost huge_pages
  deadlock_timeout tcp_keepalives_idle tcp_keepalives_interval tcp_keepalives_count
  track_activities track_counts track_io_timing track_wal_io_timing data_checksums block_size fsync full_page_writes
  server_version server_version_num server_encoding max_files_per_process transaction_timeout`.split(/\s+/),
);

export const TYPES: ReadonlySet<string> = new Set([
  ..."text name varchar char bpchar int integer int2 int4 int8 smallint bigint numeric decimal real float float4 float8".split(
    " ",
  ),
  ..."bool boolean date time timetz timestamp timestamptz interval oid regclass pg_lsn xid xid8 inet cidr".split(" "),
  "double precision",
  "character varying",
  "character",
  "timestamp with time zone",
  "timestamp without time zone",
  "time with time zone",
  "time without time zone",
]);

export const OPERATORS: ReadonlySet<string> = new Set(
  "+ - * / % ^ < > <= >= = <> != || ~ ~* !~ !~* ~~ ~~* !~~ !~~* @> <@ && << >>".split(" "),
);
