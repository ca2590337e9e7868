// Further texts as people paste them. The rules were not tuned on these.

import type { PastedSample } from "./pasted-sample.ts";

export const HELD_OUT_SAMPLES: readonly PastedSample[] = [
  {
    name: "Java, Kafka consumer",
    text: `[2026-03-01 02:55:12,345] ERROR [Consumer clientId=orders-1, groupId=orders] Offset commit failed on partition orders-3 at offset 99812: The coordinator is not aware of this member. (org.apache.kafka.clients.consumer.internals.ConsumerCoordinator)
org.apache.kafka.clients.consumer.CommitFailedException: Offset commit cannot be completed since the consumer is not part of an active group for auto partition assignment
	at org.apache.kafka.clients.consumer.internals.ConsumerCoordinator.sendOffsetCommitRequest(ConsumerCoordinator.java:1354)
	at com.shop.orders.Listener.poll(Listener.java:71)`,
    holds: ["ommit"],
    lacks: ["2026-03-01", "Listener.java"],
  },
  {
    name: "Java, class missing at start",
    text: `
***************************
APPLICATION FAILED TO START
***************************

Description:

Failed to configure a DataSource: 'url' attribute is not specified and no embedded datasource could be configured.

Reason: Failed to determine a suitable driver class


Action:

Consider the following:
	If you want an embedded database (H2, HSQL or Derby), please put it on the classpath.`,
    holds: ["Failed to configure a DataSource"],
    lacks: ["***", "Consider"],
  },
  {
    name: "Python, gunicorn",
    text: `[2026-03-01 02:54:42 +0000] [7] [CRITICAL] WORKER TIMEOUT (pid:31)
[2026-03-01 02:54:42 +0000] [31] [INFO] Worker exiting (pid: 31)
[2026-03-01 02:54:43 +0000] [7] [ERROR] Worker (pid:31) was sent SIGKILL! Perhaps out of memory?
[2026-03-01 02:54:43 +0000] [44] [INFO] Booting worker with pid: 44`,
    holds: ["pid:31"],
    lacks: ["2026-03-01", "+0000", "Booting"],
  },
  {
    name: "Python, KeyError in a task queue",
    text: `[2026-03-01 02:55:12,001: INFO/MainProcess] Task shop.tasks.invoice[6a1f] received
[2026-03-01 02:55:12,345: ERROR/ForkPoolWorker-2] Task shop.tasks.invoice[6a1f] raised unexpected: KeyError('vat_id')
Traceback (most recent call last):
  File "/usr/lib/python3/dist-packages/celery/app/trace.py", line 451, in trace_task
    R = retval = fun(*args, **kwargs)
  File "/app/shop/tasks.py", line 33, in invoice
    vat = customer["vat_id"]
KeyError: 'vat_id'`,
    holds: ["KeyError", "vat_id"],
    lacks: ["Traceback", "ForkPoolWorker", "line 33"],
  },
  {
    name: "Node, unhandled rejection with a cause",
    text: `TypeError: fetch failed
    at node:internal/deps/undici/undici:13185:13
    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)
    at async loadRates (/app/rates.js:9:15) {
  [cause]: Error: getaddrinfo EAI_AGAIN rates.internal
      at GetAddrInfoReqWrap.onlookupall [as oncomplete] (node:dns:120:26) {
    errno: -3001,
    code: 'EAI_AGAIN',
    syscall: 'getaddrinfo',
    hostname: 'rates.internal'
  }
}`,
    holds: ["fetch failed", "getaddrinfo EAI_AGAIN rates.internal"],
    lacks: ["undici", "errno"],
  },
  {
    name: "Go, structured fatal",
    text: `2026/03/01 02:55:10 connecting to amqp://broker:5672
2026/03/01 02:55:12 main.go:58: dial broker: dial tcp: lookup broker on 10.96.0.10:53: no such host
exit status 1`,
    holds: ["lookup broker on 10.96.0.10:53: no such host"],
    lacks: ["2026/03/01", "exit status"],
  },
  {
    name: "Rust, anyhow",
    text: `Error: failed to load configuration

Caused by:
    0: could not read /etc/indexer/config.toml
    1: Permission denied (os error 13)

Stack backtrace:
   0: anyhow::error::<impl core::convert::From<E> for anyhow::Error>::from
   1: indexer::main`,
    holds: ["failed to load configuration", "Permission denied (os error 13)"],
    lacks: ["backtrace", "anyhow::"],
  },
  {
    name: ".NET logger",
    text: `fail: Microsoft.AspNetCore.Server.Kestrel[13]
      Connection id "0HN1", Request id "0HN1:00000002": An unhandled exception was thrown by the application.
      System.TimeoutException: The operation has timed out.
         at Shop.Stock.StockClient.GetAsync(String sku) in /src/StockClient.cs:line 44
         at Shop.Api.Items.Get(String sku) in /src/Items.cs:line 12`,
    holds: ["The operation has timed out"],
    lacks: ["StockClient.cs", "Kestrel[13]"],
  },
  {
    name: "PHP",
    text: `[01-Mar-2026 02:55:12 UTC] PHP Fatal error:  Uncaught PDOException: SQLSTATE[HY000] [2002] Connection refused in /var/www/html/src/Db.php:18
Stack trace:
#0 /var/www/html/src/Db.php(18): PDO->__construct()
#1 /var/www/html/index.php(7): App\\Db->connect()
#2 {main}
  thrown in /var/www/html/src/Db.php on line 18`,
    holds: ["PDOException: SQLSTATE[HY000] [2002] Connection refused"],
    lacks: ["01-Mar", "#0", "thrown in"],
  },
  {
    name: "C++",
    text: `terminate called after throwing an instance of 'std::system_error'
  what():  Resource temporarily unavailable: pthread_create failed
Aborted (core dumped)`,
    holds: ["pthread_create failed"],
    lacks: ["core dumped"],
  },
  {
    name: "Elixir",
    text: `02:55:12.345 [error] GenServer Shop.Stock terminating
** (DBConnection.ConnectionError) connection not available and request was dropped from queue after 2950ms
    (db_connection 2.6.0) lib/db_connection.ex:1014: DBConnection.run/6
    (shop 1.0.0) lib/shop/stock.ex:40: Shop.Stock.handle_info/2
Last message: :refresh`,
    holds: ["connection not available and request was dropped from queue after 2950ms"],
    lacks: ["02:55:12", "stock.ex"],
  },
  {
    name: "kubectl describe, image pull",
    text: `Name:           report-28498920-7kqzt
Namespace:      billing
Controlled By:  Job/report-28498920
Containers:
  report:
    Image:          registry.shop/report:9.9.9
    State:          Waiting
      Reason:       ImagePullBackOff
    Ready:          False
Events:
  Type     Reason     Age                From               Message
  ----     ------     ----               ----               -------
  Normal   Scheduled  3m21s              default-scheduler  Successfully assigned billing/report-28498920-7kqzt to worker-1
  Warning  Failed     2m (x4 over 3m)    kubelet            Failed to pull image "registry.shop/report:9.9.9": rpc error: code = NotFound desc = failed to pull and unpack image: registry.shop/report:9.9.9: not found
  Warning  Failed     2m (x4 over 3m)    kubelet            Error: ErrImagePull`,
    holds: ["report-28498920-7kqzt", 'Failed to pull image "registry.shop/report:9.9.9"'],
    lacks: ["kubelet", "Namespace", "x4 over"],
  },
  {
    name: "kubectl describe node",
    text: `Name:               worker-2
Roles:              <none>
Labels:             kubernetes.io/arch=amd64
Taints:             node.kubernetes.io/disk-pressure:NoSchedule
Unschedulable:      false
Conditions:
  Type             Status  LastHeartbeatTime                 Reason                       Message
  ----             ------  -----------------                 ------                       -------
  MemoryPressure   False   Sun, 01 Mar 2026 02:54:40 +0000   KubeletHasSufficientMemory   kubelet has sufficient memory available
  DiskPressure     True    Sun, 01 Mar 2026 02:54:40 +0000   KubeletHasDiskPressure       kubelet has disk pressure
  Ready            True    Sun, 01 Mar 2026 02:54:40 +0000   KubeletReady                 kubelet is posting ready status
Capacity:
  cpu:                4
  memory:             16393244Ki`,
    holds: ["worker-2", "isk"],
    lacks: ["Roles:", "amd64"],
  },
  {
    name: "kubectl events",
    text: `LAST SEEN   TYPE      REASON             OBJECT                          MESSAGE
4m12s       Normal    Scheduled          pod/cart-6f7d8c9b5-9xk2v        Successfully assigned shop/cart-6f7d8c9b5-9xk2v to worker-1
2m          Warning   FailedMount        pod/cart-6f7d8c9b5-9xk2v        MountVolume.SetUp failed for volume "tls" : secret "cart-tls" not found
90s         Normal    Pulled             pod/web-5d4c3b2a1-abcde         Container image already present`,
    holds: ['secret "cart-tls" not found'],
    lacks: ["LAST SEEN", "Normal"],
  },
  {
    name: "kubectl apply",
    text: `ops@bastion:~/shop$ kubectl apply -f deploy.yaml
Error from server (Forbidden): error when creating "deploy.yaml": deployments.apps is forbidden: User "system:serviceaccount:ci:deployer" cannot create resource "deployments" in API group "apps" in the namespace "shop"
ops@bastion:~/shop$ `,
    holds: ["deployments.apps is forbidden"],
    lacks: ["ops@bastion", "kubectl apply"],
  },
  {
    name: "docker ps -a with names last",
    text: `CONTAINER ID   IMAGE              COMMAND       CREATED        STATUS                        PORTS      NAMES
b1c2d3e4f5a6   shop/worker:2.1    "./worker"    10 minutes ago Exited (137) 2 minutes ago               invoice-worker
c2d3e4f5a6b7   postgres:16        "docker-e…"   3 weeks ago    Up 3 weeks (healthy)          5432/tcp   shop-db`,
    holds: ["invoice-worker", "Exited (137)"],
    lacks: ["CONTAINER ID", "shop-db"],
  },
  {
    name: "journal of a mount",
    text: `Mar 01 02:55:10 files-1 kernel: EXT4-fs (sdb1): mounted filesystem with ordered data mode
Mar 01 02:55:11 files-1 kernel: blk_update_request: I/O error, dev sdb, sector 2048 op 0x0:(READ)
Mar 01 02:55:12 files-1 kernel: EXT4-fs (sdb1): Remounting filesystem read-only
Mar 01 02:55:12 files-1 rsyslogd[611]: action 'action-0' suspended, next retry is Sun Mar  1 02:55:42 2026`,
    holds: ["sdb"],
    lacks: ["files-1", "Mar 01", "kernel:"],
  },
  {
    name: "JSON log of a Java service, pretty",
    text: `{
  "@timestamp": "2026-03-01T02:55:12.345Z",
  "log.level": "ERROR",
  "message": "Circuit breaker 'inventory' is OPEN and does not permit further calls",
  "service.name": "checkout",
  "process.thread.name": "http-nio-8080-exec-2",
  "error.type": "io.github.resilience4j.circuitbreaker.CallNotPermittedException"
}`,
    holds: ["Circuit breaker 'inventory' is OPEN and does not permit further calls"],
    lacks: ["@timestamp", "process.thread"],
  },
  {
    name: "JSON lines with a nested error",
    text: `{"level":30,"time":1772333712000,"pid":1,"hostname":"api-7d9f","msg":"request start"}
{"level":50,"time":1772333712345,"pid":1,"hostname":"api-7d9f","err":{"type":"MongoServerSelectionError","message":"getaddrinfo ENOTFOUND mongo-0.mongo","stack":"MongoServerSelectionError: getaddrinfo ENOTFOUND mongo-0.mongo\\n    at Timeout._onTimeout (/app/node_modules/mongodb/lib/sdam/topology.js:278:38)"},"msg":"cannot reach the database"}`,
    holds: ["cannot reach the database", "getaddrinfo ENOTFOUND mongo-0.mongo"],
    lacks: ["hostname", "topology.js", "{"],
  },
  {
    name: "nginx error log",
    text: `2026/03/01 02:55:12 [error] 31#31: *48211 upstream timed out (110: Connection timed out) while reading response header from upstream, client: 10.0.9.3, server: shop.example, request: "GET /api/stock HTTP/1.1", upstream: "http://10.0.4.23:8080/api/stock"
2026/03/01 02:55:13 [error] 31#31: *48215 upstream timed out (110: Connection timed out) while reading response header from upstream, client: 10.0.9.9, server: shop.example, request: "GET /api/stock HTTP/1.1", upstream: "http://10.0.4.23:8080/api/stock"`,
    holds: ["upstream timed out (110: Connection timed out)"],
    lacks: ["31#31", "2026/03/01"],
  },
  {
    name: "Apache error log",
    text: `[Sun Mar 01 02:55:12.345678 2026] [proxy:error] [pid 4711:tid 140213] (111)Connection refused: AH00957: HTTP: attempt to connect to 127.0.0.1:8009 (localhost:8009) failed
[Sun Mar 01 02:55:12.345701 2026] [proxy_http:error] [pid 4711:tid 140213] [client 10.0.9.3:51122] AH01114: HTTP: failed to make connection to backend: localhost`,
    holds: ["onnect"],
    lacks: ["pid 4711", "Sun Mar"],
  },
  {
    name: "load balancer log",
    text: `Mar  1 02:55:12 lb-1 haproxy[1211]: 10.0.9.3:51122 [01/Mar/2026:02:55:12.001] fe_https be_api/<NOSRV> 0/-1/-1/-1/0 503 217 - - SC-- 12/12/0/0/0 0/0 "GET /api/items HTTP/1.1"
Mar  1 02:55:12 lb-1 haproxy[1211]: backend be_api has no server available!`,
    holds: ["backend be_api has no server available"],
    lacks: ["haproxy[1211]", "lb-1"],
  },
  {
    name: "MySQL client",
    text: `mysql> update stock set qty = qty - 1 where sku = 'A17';
ERROR 1205 (HY000): Lock wait timeout exceeded; try restarting transaction
mysql> `,
    holds: ["Lock wait timeout exceeded"],
    lacks: ["mysql>", "update stock"],
  },
  {
    name: "MySQL server log",
    text: `2026-03-01T02:55:10.000000Z 0 [System] [MY-010116] [Server] /usr/sbin/mysqld (mysqld 8.0.36) starting as process 1
2026-03-01T02:55:12.345678Z 1 [ERROR] [MY-012574] [InnoDB] Unable to lock ./ibdata1 error: 11
2026-03-01T02:55:12.345699Z 1 [ERROR] [MY-010334] [Server] Failed to initialize DD Storage Engine
2026-03-01T02:55:12.345720Z 0 [ERROR] [MY-010119] [Server] Aborting`,
    holds: ["lock ./ibdata1"],
    lacks: ["2026-03-01", "starting as"],
  },
  {
    name: "cargo",
    text: `   Compiling indexer v0.3.1 (/src/indexer)
error[E0382]: borrow of moved value: \`batch\`
  --> src/flush.rs:41:20
   |
38 |     let batch = queue.take();
   |         ----- move occurs because \`batch\` has type \`Vec<Event>\`
41 |     metrics.count(batch.len());
   |                   ^^^^^ value borrowed here after move

For more information about this error, try \`rustc --explain E0382\`.
error: could not compile \`indexer\` (bin "indexer") due to 1 previous error`,
    holds: ["E0382", "borrow of moved value: `batch`"],
    lacks: ["Compiling", "-->"],
  },
  {
    name: "Maven",
    text: `[INFO] Scanning for projects...
[INFO] Building checkout 1.42.0
[INFO] ------------------------------------------------------------------------
[INFO] BUILD FAILURE
[INFO] ------------------------------------------------------------------------
[ERROR] Failed to execute goal on project checkout: Could not resolve dependencies for project com.shop:checkout:jar:1.42.0: Could not find artifact com.shop:common:jar:3.0.1 in central (https://repo.maven.apache.org/maven2) -> [Help 1]
[ERROR] To see the full stack trace of the errors, re-run Maven with the -e switch.`,
    holds: ["Could not resolve dependencies for project com.shop:checkout:jar:1.42.0"],
    lacks: ["[INFO]", "re-run"],
  },
  {
    name: "failing test of a pipeline",
    text: `$ pytest -q
............F..                                                          [100%]
=================================== FAILURES ===================================
________________________________ test_total_vat ________________________________

    def test_total_vat():
>       assert total(items, "DE") == 119
E       assert 120 == 119

tests/test_total.py:14: AssertionError
=========================== short test summary info ============================
FAILED tests/test_total.py::test_total_vat - assert 120 == 119
1 failed, 14 passed in 0.31s`,
    holds: ["test_total", "120 == 119"],
    lacks: ["$ pytest", "===="],
  },
  {
    name: "git push",
    text: `$ git push origin main
To github.com:shop/checkout.git
 ! [rejected]        main -> main (non-fast-forward)
error: failed to push some refs to 'github.com:shop/checkout.git'
hint: Updates were rejected because the tip of your current branch is behind`,
    holds: ["failed to push some refs"],
    lacks: ["$ git", "hint:"],
  },
  {
    name: "Ansible",
    text: `TASK [Install nginx] ***********************************************************
fatal: [web-1]: FAILED! => {"changed": false, "msg": "No package matching 'nginx-extras2' is available"}

PLAY RECAP *********************************************************************
web-1                      : ok=3    changed=0    unreachable=0    failed=1    skipped=0`,
    holds: ["No package matching 'nginx-extras2' is available"],
    lacks: ["PLAY RECAP", "****"],
  },
  {
    name: "Helm",
    text: `Error: UPGRADE FAILED: another operation (install/upgrade/rollback) is in progress
helm.go:84: [debug] another operation (install/upgrade/rollback) is in progress`,
    holds: ["another operation (install/upgrade/rollback) is in progress"],
    lacks: ["helm.go"],
  },
  {
    name: "SSH",
    text: `OpenSSH_9.6p1, OpenSSL 3.0.13 30 Jan 2024
debug1: Connecting to web-1 [10.0.4.31] port 22.
debug1: Connection established.
debug1: Offering public key: /home/ops/.ssh/id_ed25519
debug1: No more authentication methods to try.
ops@web-1: Permission denied (publickey).`,
    holds: ["Permission denied (publickey)"],
    lacks: ["debug1", "OpenSSH"],
  },
  {
    name: "a person's line without punctuation",
    text: `we cannot log in to the admin panel anymore since yesterday
[2026-03-01T02:55:12.345Z] ERROR LdapService: LDAP: error code 49 - 80090308: data 52e
[2026-03-01T02:55:13.001Z] INFO  LdapService: bind retry`,
    holds: ["we cannot log in to the admin panel anymore since yesterday"],
    lacks: ["LdapService"],
  },
  {
    name: "a short introduction",
    text: `logs:
level=error ts=2026-03-01T02:55:12Z caller=compact.go:488 component=tsdb msg="compaction failed" err="write compaction: no space left on device"`,
    holds: ["compaction failed", "no space left on device"],
    lacks: ["logs:", "caller="],
  },
  {
    name: "a chat message with a code fence",
    text: "The nightly backup failed again\n```\npg_dump: error: query failed: ERROR:  permission denied for table audit_log\npg_dump: detail: Query was: LOCK TABLE public.audit_log IN ACCESS SHARE MODE\n```\n",
    holds: ["The nightly backup failed again"],
    lacks: ["```"],
  },
  {
    name: "disk usage",
    text: `root@db-2:~# df -h
Filesystem      Size  Used Avail Use% Mounted on
udev            7.8G     0  7.8G   0% /dev
/dev/sda1        98G   93G     0 100% /
/dev/sdb1       492G  201G  266G  44% /var/lib/postgresql`,
    holds: ["100%", "/dev/sda1"],
    lacks: ["root@", "Filesystem", "sdb1"],
  },
];
