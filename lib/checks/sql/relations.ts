// What a check may read: statistics views and catalogs of the server, with their columns in the versions 14 to 18.
//
// No relation is here that holds secrets (pg_authid, pg_user_mapping), rows of tables (pg_statistic, pg_stats) or source code
// (pg_proc, pg_views). Columns with such content are in HIDDEN_COLUMNS.

const TABLE_COUNTERS = `relid schemaname relname seq_scan last_seq_scan seq_tup_read idx_scan last_idx_scan idx_tup_fetch
  n_tup_ins n_tup_upd n_tup_del n_tup_hot_upd n_tup_newpage_upd n_live_tup n_dead_tup n_mod_since_analyze n_ins_since_vacuum
  last_vacuum last_autovacuum last_analyze last_autoanalyze vacuum_count autovacuum_count analyze_count autoanalyze_count
  total_vacuum_time total_autovacuum_time total_analyze_time total_autoanalyze_time`;
const INDEX_COUNTERS = `relid indexrelid schemaname relname indexrelname idx_scan last_idx_scan idx_tup_read idx_tup_fetch`;
const TABLE_BLOCKS = `relid schemaname relname heap_blks_read heap_blks_hit idx_blks_read idx_blks_hit toast_blks_read
  toast_blks_hit tidx_blks_read tidx_blks_hit`;
const INDEX_BLOCKS = `relid indexrelid schemaname relname indexrelname idx_blks_read idx_blks_hit`;
const SEQUENCE_BLOCKS = `relid schemaname relname blks_read blks_hit`;

const COLUMNS: Readonly<Record<string, string>> = {
  // Sessions and locks.
  pg_stat_activity: `datid datname pid leader_pid usesysid usename application_name client_addr client_hostname client_port
    backend_start xact_start query_start state_change wait_event_type wait_event state backend_xid backend_xmin query_id
    backend_type`,
  pg_locks: `locktype database relation page tuple virtualxid transactionid classid objid objsubid virtualtransaction pid mode
    granted fastpath waitstart`,
  pg_prepared_xacts: `transaction gid prepared owner database`,
  pg_stat_ssl: `pid ssl version cipher bits`,
  pg_wait_events: `type name description`,
  // Replication.
  pg_stat_replication: `pid usesysid usename application_name client_addr client_hostname client_port backend_start backend_xmin
    state sent_lsn write_lsn flush_lsn replay_lsn write_lag flush_lag replay_lag sync_priority sync_state reply_time`,
  pg_replication_slots: `slot_name plugin slot_type datoid database temporary active active_pid xmin catalog_xmin restart_lsn
    confirmed_flush_lsn wal_status safe_wal_size two_phase two_phase_at inactive_since conflicting invalidation_reason failover
    synced`,
  pg_stat_replication_slots: `slot_name spill_txns spill_count spill_bytes stream_txns stream_count stream_bytes total_txns
    total_bytes stats_reset`,
  pg_stat_wal_receiver: `pid status receive_start_lsn receive_start_tli written_lsn flushed_lsn received_tli last_msg_send_time
    last_msg_receipt_time latest_end_lsn latest_end_time slot_name sender_host sender_port`,
  pg_stat_subscription: `subid subname worker_type pid leader_pid relid received_lsn last_msg_send_time last_msg_receipt_time
    latest_end_lsn latest_end_time`,
  pg_stat_subscription_stats: `subid subname apply_error_count sync_error_count confl_insert_exists confl_update_origin_differs
    confl_update_exists confl_update_missing confl_delete_origin_differs confl_delete_missing confl_multiple_unique_conflicts
    stats_reset`,
  pg_subscription: `oid subdbid subskiplsn subname subowner subenabled subbinary substream subtwophasestate subdisableonerr
    subpasswordrequired subrunasowner subfailover subslotname subsynccommit subpublications suborigin`,
  pg_replication_origin_status: `local_id external_id remote_lsn local_lsn`,
  // The server as a whole.
  pg_stat_database: `datid datname numbackends xact_commit xact_rollback blks_read blks_hit tup_returned tup_fetched
    tup_inserted tup_updated tup_deleted conflicts temp_files temp_bytes deadlocks checksum_failures checksum_last_failure
    blk_read_time blk_write_time session_time active_time idle_in_transaction_time sessions sessions_abandoned sessions_fatal
    sessions_killed parallel_workers_to_launch parallel_workers_launched stats_reset`,
  pg_stat_database_conflicts: `datid datname confl_tablespace confl_lock confl_snapshot confl_bufferpin confl_deadlock
    confl_active_logicalslot`,
  pg_stat_bgwriter: `checkpoints_timed checkpoints_req checkpoint_write_time checkpoint_sync_time buffers_checkpoint
    buffers_clean maxwritten_clean buffers_backend buffers_backend_fsync buffers_alloc stats_reset`,
  pg_stat_checkpointer: `num_timed num_requested num_done restartpoints_timed restartpoints_req restartpoints_done write_time
    sync_time buffers_written slru_written stats_reset`,
  pg_stat_wal: `wal_records wal_fpi wal_bytes wal_buffers_full wal_write wal_sync wal_write_time wal_sync_time stats_reset`,
  pg_stat_io: `backend_type object context reads read_bytes read_time writes write_bytes write_time writebacks writeback_time
    extends extend_bytes extend_time op_bytes hits evictions reuses fsyncs fsync_time stats_reset`,
  pg_stat_archiver: `archived_count last_archived_wal last_archived_time failed_count last_failed_wal last_failed_time
    stats_reset`,
  pg_stat_slru: `name blks_zeroed blks_hit blks_read blks_written blks_exists flushes truncates stats_reset`,
  pg_stat_recovery_prefetch: `stats_reset prefetch hit skip_init skip_new skip_fpw skip_rep wal_distance block_distance
    io_depth`,
  pg_settings: `name unit category short_desc extra_desc context vartype source pending_restart`,
  pg_database: `oid datname datdba encoding datlocprovider datistemplate datallowconn dathasloginevt datconnlimit datfrozenxid
    datminmxid dattablespace datcollate datctype datlocale daticulocale daticurules datcollversion`,
  pg_tablespace: `oid spcname spcowner spcoptions`,
  pg_roles: `rolname rolsuper rolinherit rolcreaterole rolcreatedb rolcanlogin rolreplication rolconnlimit rolvaliduntil
    rolbypassrls oid`,
  pg_extension: `oid extname extowner extnamespace extrelocatable extversion`,
  // Tables and indexes.
  pg_class: `oid relname relnamespace reltype reloftype relowner relam relfilenode reltablespace relpages reltuples relallvisible
    relallfrozen reltoastrelid relhasindex relisshared relpersistence relkind relnatts relchecks relhasrules relhastriggers
    relhassubclass relrowsecurity relforcerowsecurity relispopulated relreplident relispartition relrewrite relfrozenxid
    relminmxid reloptions`,
  pg_namespace: `oid nspname nspowner`,
  pg_index: `indexrelid indrelid indnatts indnkeyatts indisunique indnullsnotdistinct indisprimary indisexclusion indimmediate
    indisclustered indisvalid indcheckxmin indisready indislive indisreplident indkey indcollation indclass indoption`,
  pg_inherits: `inhrelid inhparent inhseqno inhdetachpending`,
  pg_tables: `schemaname tablename tableowner tablespace hasindexes hasrules hastriggers rowsecurity`,
  pg_indexes: `schemaname tablename indexname tablespace`,
  pg_sequences: `schemaname sequencename sequenceowner data_type start_value min_value max_value increment_by cycle cache_size
    last_value`,
  pg_stat_all_tables: TABLE_COUNTERS,
  pg_stat_sys_tables: TABLE_COUNTERS,
  pg_stat_user_tables: TABLE_COUNTERS,
  pg_stat_all_indexes: INDEX_COUNTERS,
  pg_stat_sys_indexes: INDEX_COUNTERS,
  pg_stat_user_indexes: INDEX_COUNTERS,
  pg_statio_all_tables: TABLE_BLOCKS,
  pg_statio_sys_tables: TABLE_BLOCKS,
  pg_statio_user_tables: TABLE_BLOCKS,
  pg_statio_all_indexes: INDEX_BLOCKS,
  pg_statio_sys_indexes: INDEX_BLOCKS,
  pg_statio_user_indexes: INDEX_BLOCKS,
  pg_statio_all_sequences: SEQUENCE_BLOCKS,
  pg_statio_sys_sequences: SEQUENCE_BLOCKS,
  pg_statio_user_sequences: SEQUENCE_BLOCKS,
  pg_stat_user_functions: `funcid schemaname funcname calls total_time self_time`,
  // Operations that run.
  pg_stat_progress_analyze: `pid datid datname relid phase sample_blks_total sample_blks_scanned ext_stats_total
    ext_stats_computed child_tables_total child_tables_done current_child_table_relid delay_time`,
  pg_stat_progress_basebackup: `pid phase backup_total backup_streamed tablespaces_total tablespaces_streamed`,
  pg_stat_progress_cluster: `pid datid datname relid command phase cluster_index_relid heap_tuples_scanned heap_tuples_written
    heap_blks_total heap_blks_scanned index_rebuild_count`,
  pg_stat_progress_copy: `pid datid datname relid command type bytes_processed bytes_total tuples_processed tuples_excluded
    tuples_skipped`,
  pg_stat_progress_create_index: `pid datid datname relid index_relid command phase lockers_total lockers_done
    current_locker_pid blocks_total blocks_done tuples_total tuples_done partitions_total partitions_done`,
  pg_stat_progress_vacuum: `pid datid datname relid phase heap_blks_total heap_blks_scanned heap_blks_vacuumed
    index_vacuum_count max_dead_tuples num_dead_tuples max_dead_tuple_bytes dead_tuple_bytes num_dead_item_ids indexes_total
    indexes_processed delay_time`,
};

/** Columns of these relations that may hold statements, passwords, settings, access rights or values of rows. */
export const HIDDEN_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  pg_stat_activity: ["query"],
  pg_stat_ssl: ["client_dn", "client_serial", "issuer_dn"],
  pg_stat_wal_receiver: ["conninfo"],
  pg_subscription: ["subconninfo"],
  pg_settings: ["setting", "min_val", "max_val", "enumvals", "boot_val", "reset_val", "sourcefile", "sourceline"],
  pg_database: ["datacl"],
  pg_tablespace: ["spcacl"],
  pg_roles: ["rolpassword", "rolconfig"],
  pg_extension: ["extconfig", "extcondition"],
  pg_class: ["relacl", "relpartbound"],
  pg_namespace: ["nspacl"],
  pg_index: ["indexprs", "indpred"],
  pg_indexes: ["indexdef"],
};

/** What a check reads in place of a hidden column. */
export const IN_PLACE_OF: Readonly<Record<string, string>> = {
  query: "`query_id` identifies a statement without its text",
  setting: "`current_setting('max_connections')` reads a setting",
};

/** The relations that a check may read, with their columns. */
export const RELATIONS: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries(COLUMNS).map(([name, columns]) => [name, new Set(columns.split(/\s+/))]),
);
