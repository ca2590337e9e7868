// Logs of programs, journals and builds.

import type { Sample } from "./sample.ts";

export const LOG_SAMPLES: readonly Sample[] = [
  {
    name: "a stack trace with causes",
    logs: `2026-11-21 03:00:01.123  INFO 1 --- [main] o.s.b.StartupInfo : Starting OrderApplication
2026-11-21 03:00:04.871 ERROR 1 --- [main] o.s.boot.SpringApplication : Application run failed
org.springframework.beans.factory.BeanCreationException: Error creating bean with name 'dataSource'
	at org.springframework.beans.factory.support.AbstractBeanFactory.doGetBean(AbstractBeanFactory.java:335)
	... 17 more
Caused by: com.zaxxer.hikari.pool.HikariPool$PoolInitializationException: Failed to initialize pool
	at com.zaxxer.hikari.HikariDataSource.getConnection(HikariDataSource.java:112)
Caused by: org.postgresql.util.PSQLException: FATAL: password authentication failed for user "orders"
	at org.postgresql.core.v3.ConnectionFactoryImpl.doAuthentication(ConnectionFactoryImpl.java:659)
	... 24 more
2026-11-21 03:00:04.900  INFO 1 --- [main] o.s.b.Shutdown : Closing context`,
    decisive: ["password authentication failed for user"],
    absent: ["doAuthentication", "doGetBean", "24 more"],
  },
  {
    name: "a script's traceback",
    logs: `INFO:root:loading settings
Traceback (most recent call last):
  File "/app/worker.py", line 41, in <module>
    main()
  File "/app/worker.py", line 29, in main
    raise_error(settings["QUEUE_URL"])
KeyError: 'QUEUE_URL'`,
    decisive: ["KeyError: 'QUEUE_URL'"],
    absent: ['File "', "raise_error", "Traceback"],
  },
  {
    name: "a traceback with a cause before it",
    logs: `Traceback (most recent call last):
  File "/srv/app/db.py", line 12, in connect
    sock.connect(address)
ConnectionRefusedError: [Errno 111] Connection refused

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/srv/app/main.py", line 88, in run
    pool = connect()
sqlalchemy.exc.OperationalError: (psycopg2.OperationalError) could not connect to server`,
    decisive: ["", "[Errno 111] Connection refused", "could not connect to server"],
    absent: ["During handling"],
  },
  {
    name: "a panic",
    logs: `2026/11/21 03:00:00 starting reconciler
panic: runtime error: invalid memory address or nil pointer dereference
[signal SIGSEGV: segmentation violation code=0x1 addr=0x28 pc=0x6f1c2b]

goroutine 1 [running]:
main.(*Reconciler).handleError(0x0, {0xc000112000, 0x1d})
	/src/reconciler.go:77 +0x2b
main.main()
	/src/main.go:21 +0x9c
exit status 2`,
    decisive: ["panic: runtime error: invalid memory address"],
    absent: ["handleError", "reconciler.go", "goroutine"],
  },
  {
    name: "an uncaught rejection",
    logs: `> shop-api@2.1.0 start
> node server.js

node:internal/process/promises:288
            triggerUncaughtException(err, true /* fromPromise */);
            ^

Error: getaddrinfo ENOTFOUND cache.internal
    at GetAddrInfoReqWrap.onlookup [as oncomplete] (node:dns:107:26) {
  errno: -3008,
  code: 'ENOTFOUND',
  syscall: 'getaddrinfo',
  hostname: 'cache.internal'
}

Node.js v20.11.1`,
    decisive: ["getaddrinfo ENOTFOUND cache.internal"],
    absent: ["GetAddrInfoReqWrap"],
  },
  {
    name: "a web server's error log",
    logs: `10.0.3.7 - - [21/Nov/2026:03:00:01 +0000] "GET /health HTTP/1.1" 200 2 "-" "probe"
2026/11/21 03:00:02 [error] 31#31: *812 connect() failed (111: Connection refused) while connecting to upstream, client: 10.0.3.9, server: shop.example, request: "POST /pay HTTP/1.1", upstream: "http://10.0.7.12:8080/pay"
10.0.3.9 - - [21/Nov/2026:03:00:02 +0000] "POST /pay HTTP/1.1" 502 157 "-" "Mozilla/5.0"
10.0.3.7 - - [21/Nov/2026:03:00:06 +0000] "GET /health HTTP/1.1" 200 2 "-" "probe"`,
    decisive: ["(111: Connection refused) while connecting to upstream", 'POST /pay HTTP/1.1" 502'],
    absent: ["GET /health"],
  },
  {
    name: "a database that has no slots left",
    logs: `2026-11-21 03:00:00.101 UTC [71] LOG:  checkpoint complete: wrote 44 buffers (0.3%)
2026-11-21 03:00:02.511 UTC [812] FATAL:  sorry, too many clients already
2026-11-21 03:00:02.733 UTC [813] FATAL:  sorry, too many clients already
2026-11-21 03:00:03.020 UTC [71] LOG:  checkpoint starting: time`,
    decisive: ["sorry, too many clients already"],
    absent: ["checkpoint"],
  },
  {
    name: "a deadlock of two statements",
    logs: `2026-11-21 03:00:02 UTC [90] ERROR:  deadlock detected
2026-11-21 03:00:02 UTC [90] DETAIL:  Process 90 waits for ShareLock on transaction 771; blocked by process 91.
2026-11-21 03:00:02 UTC [90] STATEMENT:  UPDATE stock SET amount = amount - 1 WHERE id = 7`,
    decisive: ["deadlock detected", "blocked by process 91"],
  },
  {
    name: "a broker that lost its replicas",
    logs: `[2026-11-21 03:00:00,100] INFO [GroupCoordinator 1]: Stabilized group billing generation 12 (kafka.coordinator.group.GroupCoordinator)
[2026-11-21 03:00:01,400] ERROR [ReplicaManager broker=1] Error processing append operation on partition payments-3 (kafka.server.ReplicaManager)
org.apache.kafka.common.errors.NotEnoughReplicasException: The size of the current ISR Set(1) is insufficient to satisfy the min.isr requirement of 2 for partition payments-3
[2026-11-21 03:00:02,000] INFO [Log partition=payments-3] Rolled new log segment`,
    decisive: ["", "insufficient to satisfy the min.isr requirement"],
    absent: ["Stabilized group"],
  },
  {
    name: "a cache that refuses writes",
    logs: `1:M 21 Nov 2026 03:00:00.001 * 10000 changes in 60 seconds. Saving...
1:M 21 Nov 2026 03:00:00.014 # Can't save in background: fork: Cannot allocate memory
1:M 21 Nov 2026 03:00:06.002 * 10000 changes in 60 seconds. Saving...`,
    decisive: ["fork: Cannot allocate memory"],
  },
  {
    name: "a database that waits for a lock",
    logs: `2026-11-21T03:00:00.121345Z 14 [Note] [MY-010462] [Repl] Start binlog_dump
2026-11-21T03:00:09.551020Z 15 [ERROR] [MY-010584] [Repl] Replica SQL for channel '': Could not execute Write_rows event on table shop.orders; Duplicate entry '8812' for key 'orders.PRIMARY', Error_code: 1062
2026-11-21T03:00:09.551099Z 15 [Warning] [MY-010584] [Repl] Replica: Duplicate entry '8812' for key 'orders.PRIMARY' Error_code: MY-001062`,
    decisive: ["Could not execute Write_rows event"],
  },
  {
    name: "the kernel's message of a kill",
    logs: `[ 8123.001200] eth0: renamed from veth2a1
[ 8124.120012] java invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=937
[ 8124.120991] Memory cgroup out of memory: Killed process 4211 (java) total-vm:4812344kB, anon-rss:1043200kB
[ 8124.130121] eth0: link becomes ready`,
    decisive: ["", "Memory cgroup out of memory: Killed process 4211"],
    absent: ["renamed from"],
  },
  {
    name: "the journal of a unit",
    logs: `Nov 21 03:00:00 web-1 systemd[1]: Starting shop.service - Shop API...
Nov 21 03:00:00 web-1 shop[4112]: listen tcp 0.0.0.0:8080: bind: address already in use
Nov 21 03:00:00 web-1 systemd[1]: shop.service: Main process exited, code=exited, status=1/FAILURE
Nov 21 03:00:00 web-1 systemd[1]: shop.service: Failed with result 'exit-code'.
Nov 21 03:00:01 web-1 systemd[1]: cleanup.service: Main process exited, code=exited, status=0/SUCCESS`,
    decisive: ["", "bind: address already in use"],
    absent: ["0/SUCCESS", "Starting shop"],
  },
  {
    name: "a disk that fails",
    logs: `Nov 21 03:00:00 db-2 kernel: blk_update_request: I/O error, dev sdb, sector 812331 op 0x0:(READ)
Nov 21 03:00:00 db-2 kernel: EXT4-fs error (device sdb1): ext4_find_entry:1455: inode #2: comm mysqld: reading directory lblock 0
Nov 21 03:00:01 db-2 kernel: EXT4-fs (sdb1): Remounting filesystem read-only`,
    decisive: ["", "I/O error, dev sdb", "Remounting filesystem read-only"],
  },
  {
    name: "lines of JSON",
    logs: `{"level":"info","ts":1795230000.1,"msg":"request served","status":200,"error":null}
{"level":"error","ts":1795230001.2,"msg":"token rejected","error":"x509: certificate has expired or is not yet valid"}
{"level":"info","ts":1795230002.3,"msg":"request served","status":200,"error":null}`,
    decisive: ["x509: certificate has expired"],
    absent: ["request served"],
  },
  {
    name: "lines of keys and values",
    logs: `time=2026-11-21T03:00:00Z level=info msg="sync done" errors=0 failed=0
time=2026-11-21T03:00:05Z level=warn msg="queue is filling up" depth=9120 limit=10000
time=2026-11-21T03:00:09Z level=error msg="dial tcp 10.0.0.9:5672: i/o timeout" attempt=3`,
    decisive: ["dial tcp 10.0.0.9:5672: i/o timeout"],
    absent: ["sync done"],
  },
  {
    name: "a controller's log",
    logs: `I1121 03:00:00.000001       1 controller.go:101] "Starting workers" count=2
W1121 03:00:01.000002       1 reflector.go:324] failed to list *v1.Secret: secrets is forbidden: User "system:serviceaccount:ops:sync" cannot list resource "secrets" in API group "" at the cluster scope
E1121 03:00:02.000003       1 leaderelection.go:330] error retrieving resource lock ops/sync: Unauthorized`,
    decisive: ["", "secrets is forbidden", "error retrieving resource lock"],
    absent: ["Starting workers"],
  },
  {
    name: "a plan that is refused",
    logs: `module.vpc.aws_subnet.private[0]: Refreshing state... [id=subnet-0a1]
╷
│ Error: creating EC2 VPC: VpcLimitExceeded: The maximum number of VPCs has been reached.
│
│   with module.vpc.aws_vpc.this[0],
╵`,
    decisive: ["VpcLimitExceeded: The maximum number of VPCs has been reached"],
    absent: ["Refreshing state"],
  },
  {
    name: "a push that is rejected",
    logs: `$ git push origin main
To git.example:shop/api.git
 ! [rejected]        main -> main (fetch first)
error: failed to push some refs to 'git.example:shop/api.git'
hint: Updates were rejected because the remote contains work that you do not have locally.`,
    decisive: ["failed to push some refs"],
  },
  {
    name: "a build that ran out of space",
    logs: `#12 [build 4/6] RUN npm ci
#12 41.02 npm ERR! code ENOSPC
npm ERR! code ENOSPC
npm ERR! syscall write
npm ERR! nospc ENOSPC: no space left on device, write
npm ERR! A complete log of this run can be found in: /root/.npm/_logs/x.log
ERROR: Job failed: exit code 1`,
    decisive: ["no space left on device"],
  },
  {
    name: "a test that fails",
    logs: `=== RUN   TestCheckout
    checkout_test.go:41: expected status 201, got 500
--- FAIL: TestCheckout (0.03s)
=== RUN   TestCart
--- PASS: TestCart (0.00s)
FAIL	shop/api	0.412s`,
    decisive: ["", "expected status 201, got 500"],
    absent: ["PASS"],
  },
  {
    name: "a chart that times out",
    logs: `history.go:56: [debug] getting history for release shop
client.go:134: [debug] creating 9 resource(s)
Error: UPGRADE FAILED: pre-upgrade hooks failed: timed out waiting for the condition
helm.go:84: [debug] timed out waiting for the condition`,
    decisive: ["UPGRADE FAILED: pre-upgrade hooks failed"],
  },
  {
    name: "slow calls without an error",
    headline: "High latency of checkout",
    logs: `INFO:app:Request to /checkout started
INFO:app:Calling the price service
INFO:app:Price service answered in 7.82 seconds
INFO:app:Request to /checkout finished`,
    decisive: ["answered in 7.82 seconds"],
  },
  {
    name: "negated words",
    logs: `job export: no errors, 0 failed, finished without timeout
job import: ERROR column "sku" does not exist
job cleanup: not OOMKilled, error: null, failures: 0`,
    decisive: ['column "sku" does not exist'],
    absent: ["job export", "job cleanup"],
  },
];
