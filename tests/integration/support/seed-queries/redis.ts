// Graded questions about the runbooks of Redis and Valkey.

import { type GradedQueries, labelled, plain } from "./seed-query.ts";

export const REDIS_QUERIES: GradedQueries = {
  easy: [
    plain("redis/memory-full-oom-command-not-allowed", "redis: OOM command not allowed when used memory > 'maxmemory'"),
    plain(
      "redis/cannot-persist-misconf-rdb-aof",
      "MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk",
    ),
    plain("redis/cluster-slots-down-clusterdown", "redis-cli: CLUSTERDOWN Hash slot not served"),
    plain("redis/max-clients-reached", "redis answers ERR max number of clients reached"),
    plain(
      "redis/replica-link-down-full-resync-loop",
      "RedisReplicationBroken: master_link_status:down on cache-replica-1",
    ),
  ],
  medium: [
    labelled(
      "redis/memory-full-oom-command-not-allowed",
      "session store refuses every SET since 14:10, reads still work, its memory ceiling is reached",
    ),
    labelled(
      "redis/memory-full-oom-command-not-allowed",
      "hit rate of the product cache fell from 98 % to 61 %, keys are gone long before their TTL",
    ),
    plain(
      "redis/slow-commands-latency-spikes",
      "somebody ran KEYS * on our biggest redis and everything waited four seconds behind it",
    ),
    labelled(
      "redis/max-clients-reached",
      "new pods cannot open a connection to the cache, connected_clients has stood at 10000 for an hour",
    ),
    plain(
      "redis/sentinel-no-failover-readonly",
      "three redis sentinels run, none of them promotes a replica although the master died five minutes ago",
    ),
  ],
  hard: [
    plain(
      "redis/cannot-persist-misconf-rdb-aof",
      "carts cannot be saved since somebody swapped the disk of cache-2",
      "3411:C 14 Feb 2026 10:02:11.402 # Failed opening the temp RDB file temp-3411.rdb (in server root dir /var/lib/redis) for saving: Permission denied\n712:M 14 Feb 2026 10:02:11.503 # Background saving error",
    ),
    plain(
      "redis/replica-link-down-full-resync-loop",
      "readers in Frankfurt see stock levels that are twenty minutes old",
      "712:M 14 Feb 2026 10:31:44.120 # Client id=88 addr=10.4.1.9:43310 cmd=psync scheduled to be closed ASAP for overcoming of output buffer limits.\n712:M 14 Feb 2026 10:31:44.121 * Connection with replica 10.4.1.9:6379 lost.",
    ),
    plain(
      "redis/will-not-start-damaged-aof-rdb",
      "cache-3 does not come back after the power cut",
      "Bad file format reading the append only file appendonly.aof.7.incr.aof: make a backup of your AOF file, then use ./redis-check-aof --fix <filename>",
    ),
    labelled(
      "redis/slow-commands-latency-spikes",
      "all calls stall for about a second on every full minute, CPU of one core at 100 %, the other seven idle",
    ),
    labelled(
      "redis/sentinel-no-failover-readonly",
      "half of the writes fail since the failover drill, the other half is fine",
    ),
  ],
  misspelt: [
    plain("redis/memory-full-oom-command-not-allowed", "redis oom comand not alowed, maxmemmory"),
    plain("redis/replica-link-down-full-resync-loop", "redis replika master_link down, resinc again and again"),
    plain("redis/cluster-slots-down-clusterdown", "redis clusterdwon, hash slott not servd"),
    plain("redis/max-clients-reached", "valky max nuber of cleints reached"),
  ],
  codes: [
    plain("redis/cannot-persist-misconf-rdb-aof", "MISCONF"),
    plain("redis/cluster-slots-down-clusterdown", "CLUSTERDOWN"),
    labelled("redis/sentinel-no-failover-readonly", "READONLY"),
    labelled("redis/slow-commands-latency-spikes", "BUSY"),
    labelled("redis/authentication-noauth-wrongpass-noperm", "NOAUTH"),
    plain("redis/sentinel-no-failover-readonly", "-failover-abort-no-good-slave"),
  ],
  "in passing": [
    plain(
      "redis/cannot-persist-misconf-rdb-aof",
      "did anyone touch redis? since lunch our jobs fail with that MISCONF thing about snapshots and I have no clue where to start",
    ),
    plain(
      "redis/authentication-noauth-wrongpass-noperm",
      "since security put a password on the redis last night half of our workers just print NOAUTH, where does it have to go?",
    ),
    plain(
      "redis/memory-full-oom-command-not-allowed",
      "no errors at all but people get logged out of the shop after a few minutes, the sessions sit in redis, could it be throwing them out?",
    ),
    plain(
      "redis/replica-link-down-full-resync-loop",
      "the replica of our redis starts a full sync, gets half way, then starts again, has been going on all morning, normal?",
    ),
    plain(
      "redis/sentinel-no-failover-readonly",
      "so the redis master host died and I had to repoint the apps by hand, isn't sentinel supposed to do that for us?",
    ),
  ],
  trap: [
    labelled(
      "redis/cannot-persist-misconf-rdb-aof",
      "pod redis-0: no space left on device on its persistent volume, dump cannot be written",
    ),
    labelled(
      "redis/max-clients-reached",
      "sorry, too many clients already? no, the cache: every new connection is refused",
    ),
    labelled(
      "redis/memory-full-oom-command-not-allowed",
      "memory limit reached, but neither OOMKilled nor exit code 137: the commands are refused",
    ),
    labelled(
      "redis/replica-link-down-full-resync-loop",
      "standby lags behind its primary, streaming stopped, backlog already overwritten",
    ),
  ],
};
