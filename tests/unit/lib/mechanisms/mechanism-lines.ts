// Lines of unlike software for each mechanism: its name, then the lines, separated by " | ".

const LINES = `
resource-exhausted | rpc error: code = ResourceExhausted | write: Resource temporarily unavailable
memory-exhausted | Reason: OOMKilled | fork: Cannot allocate memory
heap-exhausted | java.lang.OutOfMemoryError: Java heap space | FATAL ERROR: Reached heap limit Allocation failed
host-memory-exhausted | NodeHasMemoryPressure | report invoked oom-killer: gfp_mask=0x100
memory-leak | Memory leak in the session handler | goroutine leak detected by profile
killed-by-signal | main process exited, code=killed, status=9, signal: killed | worker 12 was sent SIGKILL
process-crashed | app[1]: segfault at 0 ip 7f00 | Aborted (core dumped)
process-hung | INFO: task sync:88 blocked for more than 120 seconds. | Watchdog timeout: the service is hung
process-ended | Main process exited, code=exited | the importer terminated unexpectedly
disk-full | write error: No space left on device | There is not enough space on the disk
inodes-exhausted | /var has no free inodes | inode usage 100% on /srv
file-descriptors-exhausted | accept: Too many open files | OSError: [Errno 24] EMFILE
threads-exhausted | unable to create new native thread | cgroup: fork rejected by pids controller, pids limit
cpu-throttled | CPUThrottlingHigh: 62% throttling of CPU | container hits its CFS quota
cpu-saturated | watchdog: BUG: soft lockup - CPU#3 stuck for 22s | CPU pegged at 100% on the ingest host
cpu-spin | Infinite loop in the price calculation | runaway process of the indexer
io-error | blk_update_request: I/O error, dev sda | Medium Error: unrecovered read error
slow-disk | slow fdatasync took 3.2s | volume burst balance is used up
read-only-filesystem | Remounting filesystem read-only | touch: Read-only file system
storage-degraded | md0: array degraded, 1 of 2 devices | 12 under-replicated partitions
volume-not-mounted | Multi-Attach error for volume "pvc-1" | mount: wrong fs type, bad option, bad superblock
stale-file-handle | ls: Stale file handle | server files-1 not responding, still trying
file-missing | open /etc/app.toml: no such file or directory | java.nio.file.NoSuchFileException: a.xml
stale-lock | Error acquiring the state lock | stale pid file of an earlier run
network-failure | Failed to connect to the ledger | Network error between the halls
timed-out | context deadline exceeded | The read operation timed out
connection-refused | connect ECONNREFUSED 10.0.0.4:6379 | the target machine actively refused it
connection-reset | read: connection reset by peer | Error: socket hang up
connection-timed-out | connect ETIMEDOUT 10.0.0.7:443 | dial tcp 10.2.0.1:80: i/o timeout
no-route | NoRouteToHostException | sendmsg: Network is unreachable
packet-loss | 40% packet loss to the gateway | rx drops: packets dropped by interface
link-down | eth0: link is down | VPN tunnel to the plant down
mtu-mismatch | frag needed and DF set | Path MTU is 1400 on the tunnel
ports-exhausted | bind: cannot assign requested address | table full, dropping packet: conntrack
port-in-use | listen EADDRINUSE :::3000 | bind() failed: Address already in use
name-not-found | lookup api.example: no such host | java.net.UnknownHostException: api
name-resolution-failed | curl: (6) Could not resolve host: api | DNS resolution failed for the mail host
resolver-failing | Temporary failure in name resolution | lookup api on 10.0.0.10:53: server misbehaving
dns-record-stale | DNS still points to the old IP | the client holds a stale DNS record
tls-failure | TLS handshake failed | javax.net.ssl.SSLHandshakeException: handshake_failure
tls-expired | x509: certificate has expired | CERT_DATE_INVALID: expired certificate on the portal
tls-untrusted | certificate signed by unknown authority | DEPTH_ZERO_SELF_SIGNED_CERT
tls-name-mismatch | ERR_TLS_CERT_ALTNAME_INVALID | certificate is valid for *.example.org, not api.example
tls-protocol-mismatch | ssl3_get_record:wrong version number | first record does not look like a TLS handshake
certificate-not-renewed | Renewal of the certificate failed: challenge failed | key was rotated but the old secret is mounted
authentication-failed | password authentication failed for user "app" | HTTP 401 Unauthorized
token-expired | TokenExpiredError: jwt expired | invalid_grant: Token has been expired or revoked
signature-mismatch | SignatureDoesNotMatch | webhook: invalid signature in header
access-denied | 403 Forbidden | Access is denied
file-permission-denied | EACCES: permission denied, mkdir '/data' | open /var/run/app.sock: permission denied
role-permission-missing | not authorized to perform: store:Get | user cannot list resource "pods" in API group
database-privilege-missing | permission denied for table orders | INSERT command denied to user 'app'
address-not-allowed | no host-file entry for host "10.1.2.3" | Blocked by the firewall of the office
cross-origin-blocked | blocked by CORS policy | No 'Access-Control-Allow-Origin' header
connection-pool-exhausted | Connection is not available, request timed out after 30000ms | QueuePool limit of size 5 overflow 10 reached
server-connection-limit | sorry, too many clients already | ERROR 1040: Too many connections
workers-saturated | RejectedExecutionException: Task rejected | server reached max_children setting
queue-backlog | consumer lag is growing | 40k messages piling up
poison-message | moved to the dead letter queue | same message redelivered again
rate-limited | 429 Too Many Requests | ThrottlingException: Rate exceeded
quota-reached | QuotaExceeded for addresses | monthly limit of the mail plan
overloaded | server is too busy | circuit breaker is open
retry-storm | a retry storm after the restart | retries amplified the load
cache-miss-flood | cache stampede on the home page | cache hit ratio dropped to 12%
cache-evicting | evicted_keys is growing: keys evicted | command not allowed when used memory > 'maxmemory'
stale-cache | serving stale prices | the edge cache was not invalidated
deadlock | Deadlock found when trying to get lock | SQLSTATE 40P01
lock-contention | Lock wait timeout exceeded | database is locked
long-transaction | idle in transaction since 6 h | ORA: snapshot too old
write-conflict | could not serialize access due to concurrent update | OptimisticLockException on invoice
constraint-violated | duplicate key value violates unique constraint | FOREIGN KEY constraint failed
replication-lag | Seconds_Behind_Master: 4312 | replication lag of the reader is 9 min
replication-broken | requested WAL segment has already been removed | Replica SQL thread stopped
leader-missing | no leader elected | lost quorum of the store
split-brain | split-brain detected | two primaries accept writes
read-only-database | cannot execute INSERT in a read-only transaction | READONLY replica: can't write against a read only replica
log-retained | archive command failed with exit code 1 | The transaction log for database 'shop' is full
id-overflow | integer out of range | must be vacuumed to avoid wraparound
slow-query | canceling statement due to statement timeout | a missing index on orders
maintenance-backlog | autovacuum does not finish | compaction is behind on two stores
schema-missing | Unknown column 'tenant' in 'field list' | relation "invoice" does not exist
incompatible-message | cannot unmarshal string into field of type int | SerializationException: Unknown magic byte
payload-too-large | 413 Request Entity Too Large | RecordTooLargeException
header-too-large | 431 Request Header Fields Too Large | upstream sent too big header while reading
data-corrupted | database disk image is malformed: corrupt | invalid page in block 12
checksum-mismatch | checksum mismatch in segment 4 | EINTEGRITY
backup-failed | nightly backup failed | restore aborted halfway
encoding-mismatch | invalid byte sequence for encoding "UTF8" | UnicodeDecodeError: 'ascii' codec
decryption-failed | bad decrypt | KMS key is disabled
artifact-not-found | ImagePullBackOff | No matching distribution found for acme==2
registry-access-denied | pull access denied for shop/app | no basic auth credentials
wrong-architecture | exec format error | no matching manifest for linux/arm64
command-not-found | bash: gunicorn: command not found | exec: "serve": executable file not found in $PATH
library-missing | ModuleNotFoundError: No module named 'x' | error while loading shared libraries
config-missing | environment variable API_URL is not set | Could not resolve placeholder 'db.url'
config-invalid | unknown directive "proxy_passs" | failed to parse config file
secret-missing | secret "db-creds" not found | Unable to locate credentials
dependency-not-ready | the database system is starting up | waiting for database to become available
probe-failing | Readiness probe failed | target failed health checks
crash-loop | CrashLoopBackOff | Start request repeated too quickly.
unhandled-exception | panic: nil pointer dereference | TypeError: Cannot read properties of undefined
parse-failed | SyntaxError: Unexpected token < in JSON | NumberFormatException: For input string "x"
request-rejected | 400 Bad Request | 422 Unprocessable Entity
endpoint-missing | responded with status 404 | no route matched with those values
version-incompatible | no matches for kind "Ingress" in version | database files are incompatible with server: end of life
bad-gateway | 502 Bad Gateway | upstream prematurely closed connection
upstream-timed-out | 504 Gateway Time-out | upstream request timeout
no-healthy-backends | no healthy upstream | no server is available to handle this request
unschedulable | 0/5 nodes are available: 5 Insufficient cpu | no valid host was found
placement-constraint | had untolerated taint {gpu: true} | didn't match pod anti-affinity rules
node-down | NodeNotReady | missed heartbeat of runner 4
evicted | Pod was evicted: The node was low on resource | spot instance reclaimed
autoscaling-stuck | failed to get cpu utilization: unable to fetch metrics | autoscaler not scaling up
no-instances | scaled to zero replicas | No web processes running
policy-rejected | admission webhook "p" denied the request | push declined: protected branch
rollout-stuck | ProgressDeadlineExceeded | drain blocked by a disruption budget
after-deploy | errors since the last release | latency regression, rolled back
changed-config | the feature flag was enabled for all | a config change on the gateway
clock-skew | RequestTimeTooSkewed | NTP not synchronized on db-2
schedule-missed | too many missed start times | previous run is still running
job-failed | Job has reached the specified backoff limit | pipeline failed at step 4
provider-outage | the card provider has an outage | regional outage in eu-west
mail-rejected | 554 5.7.1: Relay access denied | mails bounced: SPF check
object-storage-denied | NoSuchBucket: the bucket does not exist | PutObject: AccessDenied
webhook-rejected | webhook delivery failed | callback returned 404: webhook disabled
license-invalid | license has expired | no valid license for this host
monitoring-gap | scrape failed: target down | logs missing since noon
ungraceful-shutdown | graceful shutdown timed out | in-flight requests were cut
memory-setting | the heap size was changed to 6 GB | shared_buffers = 64GB
idle-connection-closed | idle timeout of the balancer is 60 s | client unexpectedly closed TCP connection
dependency-slow | the partner API is slow | timed out while reading response header from upstream
slow-start | unit: start operation timed out. Terminating. | Container failed liveness probe, will be restarted
server-error | HTTP/1.1 500 Internal Server Error | the error rate rose after noon
unavailable | status 503 Service Unavailable | rpc error: code = Unavailable
`;

/** The mechanism and one of its lines. */
export const MECHANISM_LINES: readonly (readonly [name: string, line: string])[] = LINES.trim()
  .split("\n")
  .flatMap((row) => {
    const [name = "", ...lines] = row.split(" | ");
    return lines.map((line) => [name, line] as const);
  });
