// Failure mechanisms of load, queues, caches, databases and stored data.

import type { Mechanism } from "./mechanism.ts";

export const LOAD_MECHANISMS: readonly Mechanism[] = [
  {
    name: "connection-pool-exhausted",
    label: "a client's connection pool is exhausted",
    broader: ["resource-exhausted"],
    phrases: {
      sure: `connection|db|database|client|http pool & {exhausted}|{timeout}|empty|size-limit|limit|max|leak|waiting
        connection * not available request timed out, QueuePool limit
        {cannot}|waiting acquire|obtain|get|checkout|borrow|free * connection|pool
        {timeout} * acquiring|obtaining|getting|waiting|checkout|fetching * connection|pool, connection leak
        pool * exhausted|full|size-reached, all * connections * use, checked out connections
        connections pending|waiting|acquire`,
      likely: "pool & active|idle|pending|in-use",
      hint: "connection pool, pool size, pool get connection",
    },
  },
  {
    name: "server-connection-limit",
    label: "a server's limit of connections is reached",
    broader: ["resource-exhausted"],
    phrases: {
      sure: `too many * connections|clients|sessions|connected, max|maximum|max-used * connections|clients|sessions, maxclients
        connection|session limit|slots, {sqlstate} 53300, connections exceeded|exhausted`,
      hint: "connection count|spike|high|growing|current|connected|accepted, database connections",
    },
  },
  {
    name: "workers-saturated",
    label: "all workers or threads are busy",
    broader: ["overloaded"],
    phrases: {
      sure: `thread|worker|children|executor|slots & {exhausted}|busy|blocked|all-in-use, thread pool|threadpool & queue
        rejected execution, task rejected, max|maximum workers|children|threads, worker connections not enough
        listen|accept queue|backlog|overflow, concurrency & limit|exceeded|exhausted|reserved
        no * workers|threads|runners|slots available|free|idle|left, too many concurrent|pending, waiting * slot|worker|thread
        idle|active processes|workers|threads, pool busy`,
      likely: "requests queue",
      hint: "busy",
    },
  },
  {
    name: "dependency-slow",
    label: "a dependency answers slowly",
    broader: [],
    phrases: {
      sure: `{backend}|downstream|partner|dependency|third-party|provider & slow|slower|hung|latency|slowness|long
        reading response header upstream, executing too slow, awaiting headers`,
      hint: "partner",
    },
  },
  {
    name: "queue-backlog",
    label: "a queue grows faster than it is read",
    broader: ["overloaded"],
    phrases: {
      sure: `consumer|consumergroup|subscriber|group|offset & lag|behind|slow
        queue|messages|jobs|tasks|events|lag {growing}|backed, queue * backed|growing|piling|stuck|buildup|delay, backlog
        piling up, fell|falling|fallen behind, keep up, unacked|unacknowledged|undelivered messages
        oldest * message|unacked|job, queue depth|length|size, messages ready|behind|visible`,
      likely: `lag, log end offset, messages|jobs|events|tasks|mail delayed|pending|waiting|queued|stay, queue messages, list queues
        messages published|acked, messages received|sent|deleted`,
      hint: "queue, consumers",
    },
  },
  {
    name: "poison-message",
    label: "a message fails again and again",
    broader: [],
    phrases: {
      sure: `poison, redelivered|redelivery, dead letter, dlq, max|maximum delivery|receive, receive|delivery|deliver|death count
        same message|offset|record|job|event, stuck|blocked * offset|message|record, retried * forever|endlessly|loop|again
        requeue, nack, message|record|job * again, retry count, not move`,
      hint: "offset",
    },
  },
  {
    name: "rate-limited",
    label: "requests are rate limited",
    broader: ["overloaded"],
    phrases: {
      sure: `{status} 429, rate limit & exceeded|reached|hit|error|requests|api, rate exceeded, ratelimit, throttling error|rate
        ThrottlingException, TooManyRequests, throttled request|api|calls, requests|calls throttled, secondary rate, slow down
        pull rate`,
      likely: "rate limit, throttled, retry after",
      hint: "429, limit remaining",
    },
  },
  {
    name: "quota-reached",
    label: "a quota is reached",
    broader: ["resource-exhausted"],
    phrases: {
      sure: `quota & reached|exhausted|hit|used|full|insufficient, service limit, insufficient balance|credit|funds, {status} 402
        spending|monthly|daily|usage|vcpu|instance|account limit, maximum number * reached, maximum * open|allowed, used hard`,
      likely: "quota, resource count, more * limit|allows",
    },
  },
  {
    name: "overloaded",
    label: "a system is overloaded",
    broader: [],
    phrases: {
      sure: `overload, load shed, server|system|too busy, circuit|breaker * open|tripped, circuit breaker, CallNotPermitted
        back pressure, backpressure, traffic|request|load spike|surge|flood|burst, thundering herd`,
      likely: "saturated, saturation, high|peak traffic, server selection, flow control",
    },
  },
  {
    name: "retry-storm",
    label: "retries multiply the load",
    broader: ["overloaded"],
    phrases: {
      sure: `retry|reconnect|reconnection & storm|amplified|flood|budget|immediately, retrying without|no backoff|jitter
        retry|try 0s|0, rq retry, max retries, retries exceeded, connect * same time, all once`,
      hint: "retries, attempt, reconnect",
    },
  },
  {
    name: "cache-miss-flood",
    label: "cache misses reach the store behind",
    broader: ["overloaded"],
    phrases: {
      sure: `stampede, hit|cache rate|ratio|hit-rate & dropped|low|fell|zero|collapsed|0
        cache|keys & cold|flushed|emptied|wiped|purged|bypassed, flushall|flushdb, cache miss, keyspace misses
        keys expired * same|once|together, after purge|flush, get hits|misses, cache hits, keyspace hits`,
      hint: "keyspace, purge, hits",
    },
  },
  {
    name: "cache-evicting",
    label: "a cache is full and evicts entries",
    broader: ["resource-exhausted"],
    phrases: {
      sure: `evicted & key|cache|entries|items|policy, maxmemory, limit maxbytes, cache {exhausted}, out memory storing object
        noeviction, used memory & max|limit, lru, {cannot} get storage, allocator failures, evictions`,
    },
  },
  {
    name: "stale-cache",
    label: "a cache serves old data",
    broader: [],
    phrases: {
      sure: `stale|outdated data|content|response|entry|prices|page|rows|read
        cache & stale|outdated|invalidation|invalidated|poisoned|not-invalidated
        serving|returns|shows|reads stale|old|outdated, cached * old|wrong`,
    },
  },
  {
    name: "load-uneven",
    label: "one part gets most of the load",
    broader: ["overloaded"],
    phrases: {
      sure: `hot partition|shard|key|spot|node|row, hotspot
        uneven|unbalanced|skewed & distribution|load|partitions|traffic|shards|cluster|data, imbalance`,
    },
  },
  {
    name: "deadlock",
    label: "transactions or threads deadlock",
    broader: ["lock-contention"],
    phrases: {
      sure: "deadlock, {sqlstate} 40p01, dead lock, wait graph",
      likely: "victim",
    },
  },
  {
    name: "lock-contention",
    label: "work waits for a lock",
    broader: [],
    phrases: {
      sure: `waiting|blocked * lock|latch|mutex|monitor, lock wait|request|type, lock not available|obtain, {sqlstate} 55p03|1205
        database|table|row|file|object * locked, ShareLock, lock & exclusive|held|holds|queue
        blocking query|session|transaction|pid|process|thread, metadata lock, lock|mutex|latch contention, acquire * lock
        lock * {timeout}`,
      hint: "lock",
    },
  },
  {
    name: "long-transaction",
    label: "a transaction stays open too long",
    broader: ["lock-contention"],
    phrases: {
      sure: `idle transaction, long running|lived|open txn|query, transaction & hours|open|forgotten|long|count, snapshot too old
        xmin, history list, never committed|closed, trancount, begin tran`,
      likely: "alter table, xact start, trx started",
    },
  },
  {
    name: "write-conflict",
    label: "concurrent writes conflict",
    broader: [],
    phrases: {
      sure: `not serialize access, {sqlstate} 40001, optimistic lock, concurrent update|write, ConcurrentModification
        stale object|state|revision, conditional check|request failed, {status} 409|412, race condition, serialization failure`,
    },
  },
  {
    name: "constraint-violated",
    label: "a row violates a constraint",
    broader: [],
    phrases: {
      sure: `duplicate key|entry|row, unique|foreign-key * constraint|violation|index|failed
        {sqlstate} 23505|23503|23502|23514|1062|1452, violates * constraint, constraint * failed|violation|violated
        null value * column, IntegrityError`,
      likely: "already exists, duplicates",
    },
  },
  {
    name: "replication-lag",
    label: "a replica lags behind",
    broader: [],
    phrases: {
      sure: `replication|replica|standby|follower|secondary|slave|mirror|apply|replay|reader & lag|behind|delay|wait|{bad}
        seconds|secs|minutes|hours|far behind, behind primary|leader|source|upstream|master, oplog window, catching up
        read after write, not visible, recovery conflict, row changes`,
      likely: "applying batch, standby",
      hint: "replay",
    },
  },
  {
    name: "replication-broken",
    label: "replication has stopped",
    broader: [],
    phrases: {
      sure: `replication|replica|standby|slave|subscription & stopped|broken|{failed}|halted|disconnected|diverged
        io|sql|applier|replica thread|running no|stopped, wal|log|binlog segment|file * removed|purged
        {cannot} receive data * stream, out|not sync, needs resync|reseed, full resync`,
      likely: "replication slot",
    },
  },
  {
    name: "leader-missing",
    label: "a cluster has no leader or quorum",
    broader: [],
    phrases: {
      sure: `no|without|lacks|lost|lose * leader|primary|quorum|master|majority, leader|master|primary {bad}|unavailable|none
        NotLeader, election {timeout}|{failed}|stuck|loop, quorum * lost|not|loss, not enough members|in-sync
        NotEnoughReplicas, offline partitions, partition unavailable|offline|leader, isr, majority lost|unavailable
        server selection error, unclean, failed elect, no responders, stream offline, never confirmed`,
      likely: "raft, min insync, election {timeout}|called|term",
      hint: "failover, election",
    },
  },
  {
    name: "split-brain",
    label: "a cluster has split",
    broader: ["leader-missing"],
    phrases: {
      sure: `split brain, two|dual|multiple|both|several * primary|leaders|masters|controllers, network partition
        cluster|nodes|brokers partitioned, fenced`,
    },
  },
  {
    name: "read-only-database",
    label: "a write reaches a read-only database",
    broader: [],
    phrases: {
      sure: `{readonly} transaction|replica|instance|mode|database|server|standby|index|user
        database|replica|cluster|index|node|server|instance * {readonly}, write|execute & {readonly}, {sqlstate} 25006
        index * blocked`,
    },
  },
  {
    name: "log-retained",
    label: "a transaction log grows or lost its past",
    broader: [],
    phrases: {
      sure: `wal|binlog|redo|journal|oplog|archive|transaction-log|binary-log & {growing}|retained|full|purged|fill|expire|size|stopped
        offset out range, archive command|{failed}, archiver, archival, archivelog, not archived, slot * retaining|inactive
        retention * expired|exceeded|shorter|deleted, checkpoint not complete, log file switch
        logs * not|need removed|deleted`,
      likely: "wal, binlog, redo log, binary log, replication slot, recovery area",
    },
  },
  {
    name: "id-overflow",
    label: "an identifier or number overflows",
    broader: [],
    phrases: {
      sure: `wraparound, wrap around
        id|sequence|integer|int|counter|serial|increment & overflow|exhausted|exhaustion|out-of-range|maximum
        out range * value|column, nextval reached|maximum, arithmetic overflow, {sqlstate} 22003|2200h, 2147483647, 4294967295`,
    },
  },
  {
    name: "slow-query",
    label: "a query is slow",
    broader: ["timed-out"],
    phrases: {
      sure: `slow query|sql|statement, table|seq|sequential|full|collection scan
        index & missing|no|without|dropped|unused|not-used, collscan, query|execution|explain|bad plan, statement {timeout}
        canceling statement, query {timeout}|cancelled|canceled|killed|slow|duration|took|latency, long running query|sql
        stale|outdated|missing statistics|stats, using filesort, max statement time`,
      likely: "database slow",
    },
  },
  {
    name: "maintenance-backlog",
    label: "clean-up of a store does not keep up",
    broader: [],
    phrases: {
      sure: `autovacuum|vacuum|compaction|merge & {bad}|behind|pending|backlog|stall|must, dead tuples|rows|tup, bloat, write stall
        too many parts|segments|sstables, tombstone, garbage collector|collection & behind|blocked|{failed}, defrag`,
      hint: "autovacuum, vacuum, compaction",
    },
  },
  {
    name: "schema-missing",
    label: "a table, column or migration is missing",
    broader: [],
    phrases: {
      sure: `unknown|invalid|undefined|missing|no-such {table}|object-name|field, {table} & not-exist|not-found|undefined
        {sqlstate} 42703|42p01|42883|1054|1146|207|208, migration|schema & {bad}|pending|unapplied|dirty|skipped|behind|drift
        base table`,
      likely: "skip|pending * migrate",
      hint: "migrate, programming error, statement invalid, migration",
    },
  },
  {
    name: "incompatible-message",
    label: "sender and receiver disagree on a format",
    broader: [],
    phrases: {
      sure: `unknown|unrecognized|unexpected|missing|renamed|removed|required|null|extra field|property|enum
        {cannot} deserialize|decode|unmarshal|convert
        deserialization|serialization|decoding|unmarshalling & {failed}|exception, magic byte
        breaking|contract change|violation, expected * string|number|array|object|integer got|found
        payload|message|body|event|schema & shape|invalid|incompatible, producer version, struct field`,
      likely: "unmarshal",
      hint: "schema, decode, deserializer, api version",
    },
  },
  {
    name: "payload-too-large",
    label: "a payload is too large",
    broader: [],
    phrases: {
      sure: `{status} 413, {payload}|request|file|packet & too-large|too-big|too-long, {payload} * exceeds|larger|bigger
        exceeds * size|maximum, string|value|data too long, max allowed packet, {sqlstate} 22001|1406`,
    },
  },
  {
    name: "header-too-large",
    label: "a request's headers or address are too long",
    broader: ["payload-too-large"],
    phrases: {
      sure: `header|header-fields|cookie|uri|url|request-line & too-large|too-big|too-long|overflow, {status} 431|494|414
        header buffer|size`,
    },
  },
  {
    name: "data-corrupted",
    label: "stored data is corrupted",
    broader: [],
    phrases: {
      sure: `corrupt, corruption, invalid page|block|superblock, bad magic|superblock, malformed disk|database|image
        {sqlstate} xx001|xx002, torn page|write, truncated file|record|log, inconsistent data|index|block
        data|filesystem inconsistency|loss, unexpected inconsistency, fsck, unreadable`,
    },
  },
  {
    name: "checksum-mismatch",
    label: "a checksum does not match",
    broader: ["data-corrupted"],
    phrases: {
      sure: "checksum|hash|digest|sha256|md5|crc|integrity & {bad}|differ, eintegrity",
    },
  },
  {
    name: "backup-failed",
    label: "a backup or restore fails",
    broader: [],
    phrases: {
      sure: "backup|restore|dump|snapshot|pitr & {bad}, no|last * backup",
      hint: "backup, restore",
    },
  },
  {
    name: "encoding-mismatch",
    label: "text has an unexpected encoding",
    broader: [],
    phrases: {
      sure: "byte sequence, encoding|charset|collation|utf8|utf-8|unicode|codec & {bad}|decode|encode|illegal",
    },
  },
  {
    name: "decryption-failed",
    label: "data cannot be decrypted",
    broader: [],
    phrases: {
      sure: `{cannot} decrypt|unseal, decryption|decrypt|unseal|kms|encryption-key|master-key|passphrase|padding|ciphertext & {bad}`,
    },
  },
];
