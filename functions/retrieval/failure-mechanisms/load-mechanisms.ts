// Failure mechanisms of load, queues, caches, databases and stored data.

import type { Mechanism } from "./mechanism.ts";

export const LOAD_MECHANISMS: readonly Mechanism[] = [
  {
    name: "connection-pool-exhausted",
    label: "a client's connection pool is exhausted",
    broader: ["resource-exhausted"],
    phrases: {
      sure: `connection|db|database|client|http pool & {exhausted}|timeout|timed-out|empty|size-limit|limit|max|leak, {timeout} * acquiring|acquire|obtaining|obtain|getting|waiting|checkout * connection|pool, pool {timeout}, poolsize reached
        connection not available request timed out, QueuePool limit, {cannot} acquire|obtain|get|checkout|borrow * connection|pool, no connections|connection|idle-connections available|left|free, acquire connection timeout, timeout waiting * idle object, connection|connections leak|leaked|leaking, pool * exhausted
        {timeout} fetching * connection pool, all pooled connections * in use, connections * not returned|released|closed pool, waiting for * connection pool, pool reached maximum`,
      hint: "connection pool, pool size",
    },
  },
  {
    name: "server-connection-limit",
    label: "a server's limit of connections is reached",
    broader: ["resource-exhausted"],
    phrases: {
      sure: "too many connections|clients|sessions|connected, remaining connection slots, max|maximum|maximum-number connections|clients|sessions reached|exceeded|hit, max connections|clients, maxclients, max number clients, connection|connections|session limit, {sqlstate} 53300, connections exceeded|exhausted, max user connections, sorry too many clients",
      hint: "connection count|spike, connections high|growing|spike",
    },
  },
  {
    name: "workers-saturated",
    label: "all workers or threads are busy",
    broader: ["overloaded"],
    phrases: {
      sure: `thread-pool|threadpool|worker-pool|executor|workers|worker|threads|goroutines & {exhausted}|starvation|busy|blocked, rejected execution|executor, RejectedExecutionException, task * rejected, max|maximum workers|children, max children, worker connections not enough
        listen queue|overflow, accept queue|backlog, backlog full, bulkhead * full, concurrency & limit|exceeded|exhausted, no * workers|threads|runners|slots available|free|idle|left, queue * full rejected, reserved concurrency, out of * worker|task slots, too many concurrent|pending requests|queries|executions, waiting for * slot|worker|thread`,
      likely: "busy workers|threads, max threads, runners busy",
    },
  },
  {
    name: "queue-backlog",
    label: "a queue grows faster than it is read",
    broader: ["overloaded"],
    phrases: {
      sure: `consumer|consumers|subscriber|group|offset|offsets & lag|lagging|behind|slow, queue|backlog|messages|jobs|tasks|events {growing}|piled|growing|backed, lag {growing}, queue * backlog|backed|growing|piling|stuck|buildup, backlog * {growing}|messages|jobs|items|events
        piling up, falling|fallen|fell behind, not keeping up, keep up, unacked|unacknowledged|undelivered messages, oldest * message|unacked, messages ready, queue depth|length|size, producer faster|outpaces`,
      likely: "backlog, queue full, lag, no consumers, messages|jobs|events delayed|pending|waiting|queued",
    },
  },
  {
    name: "poison-message",
    label: "a message fails again and again",
    broader: [],
    phrases: {
      sure: "poison message|pill|record|job, poisoned message, redelivered, redelivery, redeliveries, dead letter|lettered|lettering, deadletter, dlq, max|maximum delivery|receive|deliveries|receives count|attempts|reached|exceeded, same message|offset|record|job & again|repeatedly|forever|loop, stuck|blocked * offset|message, requeued|retried * forever|endlessly|loop, undeliverable message, skip * offset|record",
      likely: "redeliver, retries exhausted message, message * retried",
    },
  },
  {
    name: "rate-limited",
    label: "requests are rate limited",
    broader: ["overloaded"],
    phrases: {
      sure: "too many requests, {status} 429, rate|ratelimit exceeded, rate limit & exceeded|exceeding|reached|hit|error|secondary|abuse|blocked|requests, rate limited * by|requests, ratelimited, RateLimitExceeded, throttling exception|error|rate, ThrottlingException, throttled request|requests|api, requests|api|calls throttled, request limit exceeded, provisioned throughput, TooManyRequests, slowdown reduce|please, requests|queries|calls per second|minute|hour exceeded|limit, secondary rate, api throttling, pull rate limit, exceeded * request|call|rate rate|limit",
      likely: "rate limit, throttled, throttling, retry after, rate exceeded, slow down",
    },
  },
  {
    name: "quota-reached",
    label: "a quota is reached",
    broader: ["resource-exhausted"],
    phrases: {
      sure: "quota * exceeded|reached|exhausted|hit|used|full, exceeded * quota|plan, exceeds * quota, over quota, QuotaExceeded, LimitExceeded, limit exceeded exception, service quota|limit, edquot, insufficient balance|credit|credits|funds|quota, {status} 402, billing|spending limit|hard, monthly|daily limit, usage limit, vcpu|instance limit, maximum number of * reached|exceeded, free tier",
      likely: "quota, quotas, plan limit",
    },
  },
  {
    name: "overloaded",
    label: "a system is overloaded",
    broader: [],
    phrases: {
      sure: "overloaded, overload, load shed|shedding, shedding load, server|system|too busy, circuit * open|opened|tripped, CircuitBreaker open, circuit breaker, CallNotPermitted, back pressure, backpressure, over|exceeded capacity, traffic|request|load spike|surge|flood|burst, thundering herd, ddos, capacity exceeded|reached",
      likely: "service unavailable, {status} 503, saturated, saturation, try again later, high traffic, peak traffic",
    },
  },
  {
    name: "retry-storm",
    label: "retries multiply the load",
    broader: ["overloaded"],
    phrases: {
      sure: "retry|retries|reconnect|reconnection & storm|amplified|amplification|flood|avalanche|aggressive|aggressively|multiplied, retrying without backoff|jitter, retry loop, login storm",
    },
  },
  {
    name: "cache-miss-flood",
    label: "cache misses reach the store behind",
    broader: ["overloaded"],
    phrases: {
      sure: "stampede, dog pile, dogpile, hit|cache rate|ratio|hit-rate dropped|low|fell|zero|collapsed|drop, cache & cold|flushed|flush|emptied|wiped|purged|bypassed, cache miss|misses|stampede, miss storm|rate|ratio, keys expired * same|once|together",
      hint: "hit ratio|rate",
    },
  },
  {
    name: "cache-evicting",
    label: "a cache is full and evicts entries",
    broader: ["resource-exhausted"],
    phrases: {
      sure: "evicted|evicting|eviction|evictions & keys|cache|key|entries|items|policy, maxmemory, cache {exhausted}, out of memory storing object, noeviction",
    },
  },
  {
    name: "stale-cache",
    label: "a cache serves old data",
    broader: [],
    phrases: {
      sure: "stale|outdated|old cache|cached|data|content|response|responses|entry|entries|prices|value|values|page|assets|version, cache & stale|outdated|invalidation|invalidated|not-invalidated|not-purged|invalidate|poisoned, serving|serves|served|returns|shows stale|old|outdated, cached * old|wrong|404|error",
    },
  },
  {
    name: "load-uneven",
    label: "one part gets most of the load",
    broader: ["overloaded"],
    phrases: {
      sure: "hot partition|shard|key|spot|keys|node|row, hotspot, hotspotting, uneven|unbalanced|imbalanced|skewed|imbalance distribution|load|partitions|traffic|shards|cluster, partition|data|key|load|shard skew|skewed|imbalance|imbalanced, all traffic * one|single",
    },
  },
  {
    name: "deadlock",
    label: "transactions or threads deadlock",
    broader: ["lock-contention"],
    phrases: {
      sure: "deadlock, deadlocked, deadlocks, {sqlstate} 40p01, lock cycle, asleep, dead lock, circular wait",
    },
  },
  {
    name: "lock-contention",
    label: "work waits for a lock",
    broader: [],
    phrases: {
      sure: `lock wait|waits|waiting|timeout|contention|request, waiting|waits|wait|blocked * lock|latch|mutex, not obtain lock, lock not available, {sqlstate} 55p03|1205, database|table|row|file|object * locked, AccessExclusiveLock|ShareLock|RowExclusiveLock|ExclusiveLock
        lock & exclusive, lock * held, blocking|blocked query|queries|session|sessions|transaction|pid, blocked by * pid|session|transaction|process, metadata lock, resource busy|nowait, lock|locks|mutex|latch contention, holding|holds * lock, acquire * lock, canceling * lock timeout, lock * {timeout}, row locks`,
      hint: "locks, locked, lock",
    },
  },
  {
    name: "long-transaction",
    label: "a transaction stays open too long",
    broader: ["lock-contention"],
    phrases: {
      sure: "idle in transaction, long running|lived|open transaction|transactions|txn, transaction|transactions & hours|open|forgotten|uncommitted|long, snapshot too old, xmin, history list, undo * grows|growing|full, oldest transaction|xact, uncommitted, never committed|closed transaction, backend xmin",
    },
  },
  {
    name: "write-conflict",
    label: "concurrent writes conflict",
    broader: [],
    phrases: {
      sure: "not serialize access, {sqlstate} 40001, write|update|version|revision|edit conflict, WriteConflict, optimistic lock|locking|LockException, concurrent update|modification|write|writes, ConcurrentModification, stale object|state|revision|resource, object * modified, conditional check|request failed, {status} 409|412, race condition, data race, lost update, serialization failure, row was updated or deleted, map writes",
    },
  },
  {
    name: "constraint-violated",
    label: "a row violates a constraint",
    broader: [],
    phrases: {
      sure: "duplicate key|entry|row, DuplicateKey, unique * constraint|violation|index|failed, {sqlstate} 23505|23503|23502|23514|1062|1452, foreign key * constraint|violation|fails, violates * constraint, constraint * failed|violation|violated, null value * column, IntegrityError, cannot be null, check constraint",
      likely: "already exists",
    },
  },
  {
    name: "replication-lag",
    label: "a replica lags behind",
    broader: [],
    phrases: {
      sure: "replication|replica|standby|follower|secondary|slave|mirror|apply|replay & lag|lags|lagging|behind|delay|delayed, seconds behind, behind primary|leader|source|upstream, stale read|reads|replica|secondary, apply lag, behind by * bytes|seconds, oplog window, catching up",
    },
  },
  {
    name: "replication-broken",
    label: "replication has stopped",
    broader: [],
    phrases: {
      sure: `replication|replica|standby|slave|subscription|replicat & stopped|broken|failed|failure|error|halted|disconnected|not-running|diverged|out-of-sync, replication slot, replica|slave|io|sql|thread * running no, wal|log segment * removed, {cannot} receive data * stream, io|sql|applier thread * no|stopped|error, requested starting point, not in sync, out of sync replica|replicas|isr
        wal receiver|sender, error reading * binlog|log, gtid, needs resync|full-sync|resynced|reseed, full resync, timeline * history|fork, too stale, isr shrink|shrunk|shrinking, failed to apply`,
    },
  },
  {
    name: "leader-missing",
    label: "a cluster has no leader or quorum",
    broader: [],
    phrases: {
      sure: "no * leader|primary|quorum|master, leader|master election|elected|lost|changed|missing|unknown|not-available|not-discovered|unavailable, leader not, leaderless, not leader|leader-or-follower, NotLeader, election|failover {timeout}|failed|stuck|loop, lost quorum|leader|leadership|lease, quorum * lost|not|loss, not master, without|lacks|lost leader|primary|quorum|majority, not enough replicas|members, NotEnoughReplicas, failover, switchover, majority lost|unavailable, master not discovered, no controller, leader lease",
    },
  },
  {
    name: "split-brain",
    label: "a cluster has split",
    broader: ["leader-missing"],
    phrases: {
      sure: "split brain, splitbrain, two|dual|multiple|both|several primary|primaries|leaders|masters|controllers|actives, network partition|partitioned|partitions, both * primary|active|master|leader, cluster|nodes|brokers partitioned, stonith, fenced, fencing, diverging|diverged timelines|history|data",
    },
  },
  {
    name: "read-only-database",
    label: "a write reaches a read-only database",
    broader: [],
    phrases: {
      sure: "{readonly} transaction|replica|instance|slave|node|mode|database|server|standby|primary|index|option|user|secondary, database|replica|cluster|index|node|server|instance|table * {readonly}, execute * {readonly}, write * {readonly}, {readonly} * write, {sqlstate} 25006, not writable primary|master, not primary, NotWritablePrimary, super {readonly}, index * blocked|block, recovery is in progress",
    },
  },
  {
    name: "log-retained",
    label: "a transaction log grows or lost its past",
    broader: [],
    phrases: {
      sure: "wal|binlog|binlogs|redo|journal|transaction-log|archive|translog|oplog|changelog & {growing}|retained|retaining|full|grows|piled|accumulating|purged|expired|truncated|rolled, transaction log * full, offset|offsets out of range, OffsetOutOfRange, archive command|failed|failing, archiver, slot * retaining|retained|inactive, log * purged|truncated|trimmed, history|revision compacted, required revision, resource version too old, retention * expired|exceeded|shorter|deleted, checkpoint not complete, log reuse wait",
    },
  },
  {
    name: "id-overflow",
    label: "an identifier or number overflows",
    broader: [],
    phrases: {
      sure: "wraparound, wrap around, id|ids|sequence|integer|int|int4|int32|primary-key|counter|serial|auto-increment|autoincrement & overflow|overflows|overflowed|exhausted|exhaustion|out-of-range, integer|numeric|bigint|smallint out of range, out of range * value|column|integer, nextval reached|maximum, sequence * reached|maximum, arithmetic overflow|OverflowError, {sqlstate} 22003|2200h, failed to read auto increment, OverflowException, 2147483647, 4294967295",
      hint: "overflow",
    },
  },
  {
    name: "slow-query",
    label: "a query is slow",
    broader: ["timed-out"],
    phrases: {
      sure: "slow query|queries|sql|statement|log-query, slowquery, full table|collection|index scan, table|seq|sequential|full|collection scan|scans, missing|without|no|dropped|unused index, index * missing|dropped|not-used|unused, collscan, query|execution|bad|explain plan|plans, plan * changed|regressed|regression|flip|flipped, statement {timeout}, canceling statement, query * {timeout}|cancelled|canceled|killed|slow, long running query|queries|sql, stale|outdated|missing statistics|stats, using filesort, cartesian, max statement time, n plus 1, query execution interrupted, MaxTimeMS, not analyzed",
      likely: "queries slow|slower, query took|duration|latency, database slow, high * latency database",
    },
  },
  {
    name: "maintenance-backlog",
    label: "clean-up of a store does not keep up",
    broader: [],
    phrases: {
      hint: "autovacuum, vacuum",
      sure: "autovacuum|vacuum|vacuumed & not|failed|blocked|behind|stuck|disabled|must|slow|cancelled|canceling, dead tuples|rows, bloat, bloated, compaction|compactions|merge|merges|flush & behind|backlog|pending|stall|stalled|stuck|stopped|slow, write stall|stalls|stalled, stalling writes, too many parts|segments|sstables|tombstones|small-files, tombstone, garbage collection|collector & backlog|behind|blocked|failed, pending compactions, level 0, defragmentation|defrag, purge lag|thread, orphaned files|rows|chunks",
    },
  },
  {
    name: "schema-missing",
    label: "a table, column or migration is missing",
    broader: [],
    phrases: {
      sure: `unknown|invalid|undefined|missing column|table|database|relation|collection|object-name, column|relation|table|database|schema|view|function|keyspace|topic|collection|sequence * not-exist|not-found|missing|undefined, no such table|column|index|collection, UndefinedColumn|UndefinedTable, {sqlstate} 42703|42p01|42883|1054|1146, undefined column|table|function
        migration|migrations & failed|failing|missing|pending|unapplied|not-applied|dirty|error|skipped|not-run|stuck, pending migration, base table, schema & mismatch|drift|outdated|out-of-date|behind|old|not-migrated, not migrated, dirty database version, unknown database, no such index`,
      likely: "index not found, unknown topic",
      hint: "migration",
    },
  },
  {
    name: "incompatible-message",
    label: "sender and receiver disagree on a format",
    broader: [],
    phrases: {
      sure: `incompatible schema|message|format|type|change, schema * incompatible|registry|validation, schema validation, unknown|unrecognized|unexpected|missing field|fields|property|enum|magic-byte|discriminator, {cannot} deserialize|deserialise|decode|unmarshal|unmarshall, deserialization|deserialisation|serialization|decoding|unmarshalling {failed}|exception, SerializationException|DeserializationException, UnrecognizedProperty, wire type, magic byte
        breaking|contract change|violation, field|property * renamed|removed|missing|required|null, UnknownField, backward compatible|compatibility, expected * string|number|array|object|integer got|found, missing required * field|property, response|payload format|shape changed|unexpected, invalid message format, protocol * violation`,
    },
  },
  {
    name: "payload-too-large",
    label: "a payload is too large",
    broader: [],
    phrases: {
      sure: `{status} 413, payload|entity|body|message|packet|record|request|file|upload|content|event|document|object|batch * too large|big|long, too large|big * body|message|payload|request|file|record|packet|attachment, max allowed packet, message|record|item|document|body|payload|request|upload|batch * exceeds|exceeded|larger|over|bigger, larger|bigger than * max|maximum|limit|allowed, exceeds * size|maximum|length, RecordTooLarge, PayloadTooLarge, string|value|data too long, max|maximum|message|body|upload size exceeded|limit, {sqlstate} 22001|1406, context length, maximum context`,
    },
  },
  {
    name: "header-too-large",
    label: "a request's headers or address are too long",
    broader: ["payload-too-large"],
    phrases: {
      sure: "header|headers|cookie|cookies|uri|url|request-line * too large|big|long, {status} 431|494|414, too large|big|long * header|headers|cookie|cookies|uri, header|headers buffer|list|fields overflow|size|limit|too-large, header size, hpe header overflow",
    },
  },
  {
    name: "data-corrupted",
    label: "stored data is corrupted",
    broader: [],
    phrases: {
      sure: "corrupt, corrupted, corruption, corrupts, invalid page|block|header, bad magic|superblock|block, malformed disk|database|image, {sqlstate} xx001|xx002, torn page|write, truncated file|record|log|entry, not a database, bit rot, garbled, zero filled, inconsistent data|state|index|block, data|filesystem inconsistency|loss|inconsistent, unexpected inconsistency, fsck, unreadable, missing chunk|block|blocks|segment",
    },
  },
  {
    name: "checksum-mismatch",
    label: "a checksum does not match",
    broader: ["data-corrupted"],
    phrases: {
      sure: "checksum|hash|digest|sha256|sha512|md5|crc|crc32|integrity|etag|content-md5|sum & mismatch|mismatched|failed|failure|error|invalid|not-match|differ|differs|wrong|unexpected, eintegrity, hash sum, integrity check, BadDigest, checksums not match",
    },
  },
  {
    name: "backup-failed",
    label: "a backup or restore fails",
    broader: [],
    phrases: {
      sure: "backup|backups|restore|dump|snapshot|pitr|archive & failed|failing|failure|missing|incomplete|corrupt|error|stale|overdue|empty|aborted|old|unable|cannot, no * backup|backups|snapshot, last * backup, restore test",
      hint: "backup, restore",
    },
  },
  {
    name: "encoding-mismatch",
    label: "text has an unexpected encoding",
    broader: [],
    phrases: {
      sure: "invalid byte sequence, encoding|charset|collation|character-set|utf8|utf-8|unicode & mismatch|error|invalid|wrong|unsupported|incorrect, UnicodeDecodeError, UnicodeEncodeError, unicode decode|encode, codec * decode|encode, illegal mix of collations, incorrect string value, malformed utf, mojibake, invalid utf",
    },
  },
  {
    name: "decryption-failed",
    label: "data cannot be decrypted",
    broader: [],
    phrases: {
      sure: "{cannot} decrypt, decryption|decrypt|unseal|unsealing {failed}, bad decrypt, kms & {failed}|disabled|denied|exception|pending|deleted, encryption|master|data key {missing}|disabled|deleted|wrong|lost, wrong|missing passphrase|encryption-key|master-key|decryption-key, sealed, mac check|verify failed, InvalidCiphertext, BadPadding, invalid tag, bad passphrase",
    },
  },
];
