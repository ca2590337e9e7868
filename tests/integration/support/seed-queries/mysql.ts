// Graded questions about the runbooks of MySQL and MariaDB.

import { type GradedQueries, labelled, plain } from "./seed-query.ts";

export const MYSQL_QUERIES: GradedQueries = {
  easy: [
    plain("mysql/too-many-connections-1040", "ERROR 1040 (HY000): Too many connections, MySQL on db-shop-1"),
    plain(
      "mysql/deadlock-1213-lock-wait-timeout-1205",
      "MySQL: Lock wait timeout exceeded; try restarting transaction",
    ),
    plain(
      "mysql/deadlock-1213-lock-wait-timeout-1205",
      "MySQL ERROR 1213 (40001): Deadlock found when trying to get lock; try restarting transaction",
    ),
    plain("mysql/replica-lag", "MysqlSlaveReplicationLag: Seconds_Behind_Source is 5400 on mysql-ro-2"),
    plain(
      "mysql/replication-stopped-1062-1032-1236",
      "SHOW REPLICA STATUS: Replica_SQL_Running: No, Last_SQL_Error: Duplicate entry '991' for key 'PRIMARY'",
    ),
  ],
  medium: [
    labelled(
      "mysql/too-many-connections-1040",
      "php says it cannot connect any more, Threads_connected equals the allowed maximum",
    ),
    labelled(
      "mysql/metadata-lock-blocks-ddl",
      "an ALTER on customers waits in the process list, and every SELECT on that table waits behind it",
    ),
    plain("mysql/replica-lag", "reads from the mysql copy are an hour old, the import runs on the main server"),
    labelled(
      "mysql/queries-suddenly-slow",
      "customer search took 30 ms yesterday and takes 8 s today, EXPLAIN reads all rows",
    ),
    labelled(
      "mysql/read-only-after-failover-1290",
      "since the switch to the other data centre every INSERT is refused, SELECT works",
    ),
    plain(
      "mysql/access-denied-1045-host-blocked-1129",
      "the reporting user cannot log in to mysql from the new app server, from the old one it can",
    ),
    plain("mysql/disk-full-binary-logs-errno-28", "binlogs of the mysql server eat the volume, 30 GB more every night"),
  ],
  hard: [
    plain(
      "mysql/replication-stopped-1062-1032-1236",
      "read-only copy shows nothing newer than Saturday",
      "[ERROR] [MY-013114] [Repl] Replica I/O for channel '': Got fatal error 1236 from source when reading data from binary log: 'Could not find first log file name in binary log index file'",
    ),
    plain(
      "mysql/disk-full-binary-logs-errno-28",
      "checkout hangs, no error reaches the customers",
      "[ERROR] [MY-010907] [Server] Disk is full writing './binlog.004211' (OS errno 28 - No space left on device). Waiting for someone to free space... Retry in 60 secs.",
    ),
    labelled(
      "mysql/auto-increment-exhausted",
      "no new order line can be stored since tonight, changing old ones works",
      "java.sql.SQLException: Duplicate entry '2147483647' for key 'order_lines.PRIMARY'",
    ),
    plain(
      "mysql/server-killed-out-of-memory",
      "all sessions lost at 04:10, uptime of the server starts at zero again",
      "kernel: Out of memory: Killed process 1877 (mysqld) total-vm:68112344kB, anon-rss:63011200kB\nWordPress database error: MySQL server has gone away",
    ),
    labelled(
      "mysql/deadlock-1213-lock-wait-timeout-1205",
      "bookings fail after exactly 50 seconds while the accounting job runs",
    ),
    plain(
      "mysql/innodb-corruption-crash-recovery",
      "server restarts every few minutes since the power cut",
      "InnoDB: Database page corruption on disk or a failed file read of page [page id: space=12, page number=4711]. You may have to recover from a backup.\n[ERROR] [MY-013183] [InnoDB] Assertion failure: buf0buf.cc",
    ),
  ],
  misspelt: [
    plain("mysql/too-many-connections-1040", "mysql to many conections 1040"),
    plain("mysql/deadlock-1213-lock-wait-timeout-1205", "mysql lock wiat timout exeeded"),
    plain("mysql/deadlock-1213-lock-wait-timeout-1205", "mysql dedlock fuond when trying to get lock"),
    plain("mysql/replica-lag", "mysql slav replicaton lagg, second behind master"),
  ],
  codes: [
    plain("mysql/too-many-connections-1040", "ERROR 1040"),
    plain("mysql/deadlock-1213-lock-wait-timeout-1205", "ERROR 1205 (HY000)"),
    labelled("mysql/deadlock-1213-lock-wait-timeout-1205", "1213"),
    labelled("mysql/read-only-after-failover-1290", "ERROR 1290 (HY000)"),
    labelled("mysql/replication-stopped-1062-1032-1236", "1236"),
    labelled("mysql/access-denied-1045-host-blocked-1129", "1129"),
  ],
  "in passing": [
    plain(
      "mysql/too-many-connections-1040",
      "good evening, our wordpress farm is down, mysql says too many connections and I can't even log in as root to look, what now?",
    ),
    plain(
      "mysql/metadata-lock-blocks-ddl",
      "I ran an alter table on the live mysql ten minutes ago, now the site hangs and the process list says waiting for table metadata lock all over",
    ),
    plain(
      "mysql/replication-stopped-1062-1032-1236",
      "someone wrote directly into our mysql replica yesterday and since then it refuses to go on, duplicate entry or so, can I skip it?",
    ),
    plain(
      "mysql/deadlock-1213-lock-wait-timeout-1205",
      "we see maybe twenty deadlocks an hour in mysql since the new stock code went live, should I worry?",
    ),
  ],
  trap: [
    labelled(
      "mysql/deadlock-1213-lock-wait-timeout-1205",
      "deadlock detected between two sessions on orders, one was rolled back",
    ),
    labelled("mysql/too-many-connections-1040", "sorry, too many clients already, database refuses new sessions"),
    labelled("mysql/replica-lag", "streaming replication lag of the standby is 50 minutes"),
    labelled(
      "mysql/metadata-lock-blocks-ddl",
      "ALTER TABLE waits for a lock, all reads queue up behind it, lock_timeout not set",
    ),
  ],
};
