// PostgreSQL domain: cues to recognise the domain and its incident types, and first commands for an unknown cause.

import { cue, type Domain } from "./domain.ts";

export const postgres: Domain = {
  name: "postgres",
  label: { key: "source_type", value: "database" },
  cues: [
    cue(/\bpostgres(ql)?\b|\bpsql\b|\bpgbouncer\b|\bpg_[a-z_]+\b|\bsqlstate\b/, 3),
    cue(/\bdeadlock\b|\breplication (lag|slots?)\b|\bautovacuum\b|\bvacuum\b|\bwraparound\b/, 3),
    cue(/\btoo many clients\b|\bconnection slots\b|\bstatement timeout\b|\bwal\b/, 3),
    cue(/\b(53300|40P01|57014|53100|55P03|40001|XX001|XX002|53200|57P0[1-5])\b/, 3),
    cue(/\bdatabase\b|\bstandby\b|\breplicas? lag\b|\bslow quer(y|ies)\b/, 2),
    cue(/\bquer(y|ies)\b|\btransactions?\b|\bindex(es)?\b|\btables?\b/, 1),
  ],
  foreign: /\b(mysql|mariadb|mongo(db)?|oracle|mssql|sql server|cassandra|redis|elasticsearch|dynamodb|clickhouse)\b/iu,
  incidentTypes: [
    {
      name: "connection_exhaustion",
      cues: [
        cue(/\btoo many clients\b|\b53300\b|\bremaining connection slots\b|\bmax_connections\b/, 3),
        cue(
          /\bconnections?\b[^\n]{0,40}\b(exhaust|limit|slots|pool|saturat|too many)|\b(too many|exhaust\w*|out of) (open )?connections\b|\bpgbouncer\b|\bno more connections\b/,
          3,
        ),
        cue(/\bconnection pool/, 2),
      ],
    },
    { name: "deadlock", cues: [cue(/\bdeadlocks?\b|\b40P01\b/, 3)] },
    {
      name: "lock_contention",
      cues: [
        cue(/\b55P03\b|\block[_ ]timeout\b|\block not available\b|\bAccessExclusiveLock\b|\bblocked by\b/, 3),
        cue(
          /\block(s|ed|ing)?\b[^\n]{0,30}\b(wait|queue|contention|held)|\bwaiting for [a-z]*lock\b|\bblock(ed|ing)\b|\btables?\b[^\n]{0,20}\blocked\b/,
          2,
        ),
      ],
    },
    {
      name: "wraparound",
      cues: [
        cue(/\bwraparound\b|\bnot accepting commands\b|\bdatfrozenxid\b|\bmultixact\b/, 3),
        cue(/\btransaction ids?\b|\bfreez(e|ing)\b/, 2),
      ],
    },
    {
      name: "bloat",
      cues: [
        cue(/\bbloat(ed)?\b|\bdead (tuples|rows)\b|\bn_dead_tup\b/, 3),
        cue(/\b(auto)?vacuum\b|\bxmin\b|\bidle in transaction\b/, 2),
      ],
    },
    {
      name: "query_cancelled",
      cues: [
        cue(/\b57014\b|\bstatement[_ ]timeout\b|\bcancel(l)?ing statement\b|\bconflict with recovery\b/, 3),
        cue(/\bquer(y|ies)\b[^\n]{0,30}\bcancel/, 3),
      ],
    },
    {
      name: "replication_lag",
      cues: [
        cue(
          /\breplication lag\b|\breplay_lag\b|\breplica(s)?\b[^\n]{0,30}\b(lag|behind|stale)|\bstandby\b[^\n]{0,30}\b(lag|behind)/,
          3,
        ),
        cue(/\breplication\b|\bwal ?sender\b|\bwal ?receiver\b/, 2),
      ],
    },
    {
      name: "disk_full",
      cues: [
        cue(/\bno space left on device\b|\b53100\b|\bpg_wal\b|\barchive_command\b|\bcould not extend file\b/, 3),
        cue(/\bdisk (is )?(full|usage|space)|\bwal\b[^\n]{0,30}\b(grow|size|full)/, 2),
      ],
    },
    {
      name: "slow_query",
      cues: [
        cue(/\bslow quer(y|ies)\b|\bpg_stat_statements\b|\bseq(uential)? scan\b|\bmissing index\b|\bquery plan\b/, 3),
        cue(/\bquer(y|ies)\b[^\n]{0,40}\bslow|\bslow\b|\blatency\b|\bstatistics\b/, 2),
      ],
    },
    {
      name: "corruption",
      cues: [
        cue(/\binvalid page\b|\bXX00[12]\b|\bcorrupt(ed|ion)?\b|\bchecksum\b|\bamcheck\b|\breindex\b|\bcollation\b/, 3),
        cue(/\bcould not read block\b|\bglibc\b/, 2),
      ],
    },
    {
      name: "failover",
      cues: [
        cue(
          /\bfailover\b|\bsplit[- ]brain\b|\bpg_rewind\b|\bpromot(e|ed|ion)\b|\bprimary\b[^\n]{0,30}\b(down|dead|unreachable|lost)/,
          3,
        ),
        cue(/\bprimary\b|\bread-only transaction\b/, 2),
      ],
    },
    {
      name: "oom_killed",
      cues: [
        cue(/\bsignal 9\b|\b53200\b|\bout of memory\b|\boom[- _]?kill/, 3),
        cue(/\bserver process\b[^\n]{0,40}\bterminated\b|\bwork_mem\b/, 2),
      ],
    },
  ],
  firstLooks: [
    {
      text: "See what the sessions do and what they wait for.",
      command:
        "select pid, state, wait_event_type, wait_event, now() - query_start as running, left(query, 80) from pg_stat_activity order by query_start;",
    },
    {
      text: "See who blocks whom.",
      command: "select pid, pg_blocking_pids(pid) from pg_stat_activity where cardinality(pg_blocking_pids(pid)) > 0;",
    },
    {
      text: "See whether replicas fall behind.",
      command: "select application_name, state, replay_lag from pg_stat_replication;",
    },
    {
      text: "See how large the databases are.",
      command:
        "select datname, pg_size_pretty(pg_database_size(datname)) from pg_database order by pg_database_size(datname) desc;",
    },
    { text: "Read the end of the server's log.", command: "select pg_current_logfile();" },
  ],
};
