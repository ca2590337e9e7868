// Texts as people paste them, with the parts that a good headline has and lacks. The rules were tuned on these.

import type { PastedSample } from "./pasted-sample.ts";

export const TUNING_SAMPLES: readonly PastedSample[] = [
  {
    name: "Java, nested causes",
    text: `2026-03-01 02:55:12.345 ERROR 1 --- [nio-8080-exec-7] c.s.checkout.api.OrderController : Request failed
com.shop.checkout.OrderException: could not place order 4711
	at com.shop.checkout.OrderService.place(OrderService.java:88)
	at com.shop.checkout.api.OrderController.post(OrderController.java:41)
Caused by: org.springframework.dao.DataAccessResourceFailureException: Unable to acquire JDBC Connection
	at org.springframework.orm.jpa.vendor.HibernateJpaDialect.convert(HibernateJpaDialect.java:277)
	... 31 more
Caused by: java.sql.SQLTransientConnectionException: HikariPool-1 - Connection is not available, request timed out after 30000ms.
	at com.zaxxer.hikari.pool.HikariPool.createTimeoutException(HikariPool.java:696)
	... 44 more`,
    holds: ["could not place order 4711", "HikariPool-1 - Connection is not available"],
    lacks: ["nio-8080", "\tat ", "31 more"],
  },
  {
    name: "Java, heap space",
    text: `Exception in thread "http-nio-8080-exec-3" java.lang.OutOfMemoryError: Java heap space
	at java.base/java.util.Arrays.copyOf(Arrays.java:3745)
	at java.base/java.io.ByteArrayOutputStream.grow(ByteArrayOutputStream.java:120)`,
    holds: ["java.lang.OutOfMemoryError: Java heap space"],
    lacks: ["Arrays"],
  },
  {
    name: "Python traceback",
    text: `Traceback (most recent call last):
  File "/app/worker.py", line 61, in run
    cursor.execute(query)
  File "/usr/lib/python3/dist-packages/psycopg2/extras.py", line 236, in execute
    return super().execute(query, vars)
psycopg2.errors.DeadlockDetected: deadlock detected
DETAIL:  Process 4711 waits for ShareLock on transaction 991; blocked by process 4712.
HINT:  See server log for query details.`,
    holds: ["DeadlockDetected: deadlock detected"],
    lacks: ["Traceback", "worker.py"],
  },
  {
    name: "Python, chained",
    text: `Traceback (most recent call last):
  File "/app/cache.py", line 12, in get
    return self.client.get(key)
redis.exceptions.ConnectionError: Error 111 connecting to cache:6379. Connection refused.

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/app/api.py", line 80, in handler
    cart = load_cart(user)
app.errors.CartUnavailable: cart of user 17 cannot be loaded`,
    holds: ["cart of user 17 cannot be loaded", "Error 111 connecting to cache:6379"],
    lacks: ["Traceback", "During handling"],
  },
  {
    name: "Node, module missing",
    text: `node:internal/modules/cjs/loader:1228
  throw err;
  ^

Error: Cannot find module '/app/dist/main.js'
    at Module._resolveFilename (node:internal/modules/cjs/loader:1225:15)
    at Module._load (node:internal/modules/cjs/loader:1051:27) {
  code: 'MODULE_NOT_FOUND',
  requireStack: []
}

Node.js v22.11.0`,
    holds: ["Cannot find module '/app/dist/main.js'"],
    lacks: ["node:internal", "throw err"],
  },
  {
    name: "Go panic",
    text: `panic: runtime error: invalid memory address or nil pointer dereference
[signal SIGSEGV: segmentation violation code=0x1 addr=0x18 pc=0x6f2b31]

goroutine 1 [running]:
main.(*Server).handle(0x0, {0x7b2a40, 0xc0000b6000})
	/src/server.go:42 +0x31
main.main()
	/src/main.go:17 +0x8a
exit status 2`,
    holds: ["nil pointer dereference"],
    lacks: ["goroutine", "server.go"],
  },
  {
    name: "Rust panic over two lines",
    text: `thread 'tokio-runtime-worker' panicked at src/consumer.rs:118:42:
called \`Result::unwrap()\` on an \`Err\` value: BrokerTransportFailure (Local: Broker transport failure)
note: run with \`RUST_BACKTRACE=1\` environment variable to display a backtrace`,
    holds: ["BrokerTransportFailure (Local: Broker transport failure)"],
    lacks: ["RUST_BACKTRACE"],
  },
  {
    name: ".NET, inner exception",
    text: `Unhandled exception. System.InvalidOperationException: An exception has been raised that is likely due to a transient failure.
 ---> Npgsql.NpgsqlException (0x80004005): Failed to connect to 10.0.4.12:5432
 ---> System.Net.Sockets.SocketException (111): Connection refused
   at Npgsql.Internal.NpgsqlConnector.Connect(NpgsqlTimeout timeout)
   --- End of inner exception stack trace ---
   at Shop.Program.Main(String[] args) in /src/Program.cs:line 21`,
    holds: ["likely due to a transient failure", "Connection refused"],
    lacks: ["End of inner", "Program.cs"],
  },
  {
    name: "kubectl describe, crash loop",
    text: `Name:             checkout-7d9f8b6c5-x2x4z
Namespace:        shop
Priority:         0
Service Account:  default
Node:             worker-3/10.0.4.23
Start Time:       Sun, 01 Mar 2026 02:41:08 +0000
Labels:           app=checkout
                  pod-template-hash=7d9f8b6c5
Status:           Running
Containers:
  app:
    Image:          registry.shop/checkout:1.42.0
    State:          Waiting
      Reason:       CrashLoopBackOff
    Last State:     Terminated
      Reason:       OOMKilled
      Exit Code:    137
    Ready:          False
    Restart Count:  7
    Limits:
      memory:  256Mi
Conditions:
  Type              Status
  Ready             False
Events:
  Type     Reason   Age                  From     Message
  ----     ------   ----                 ----     -------
  Normal   Pulled   12m (x5 over 14m)    kubelet  Container image already present on machine
  Warning  BackOff  2m (x52 over 13m)    kubelet  Back-off restarting failed container app in pod checkout-7d9f8b6c5-x2x4z`,
    holds: ["checkout-7d9f8b6c5-x2x4z", "OOMKilled"],
    lacks: ["Namespace:", "kubelet", "x52"],
  },
  {
    name: "kubectl get pods with a prompt",
    text: `$ kubectl get pods -n shop
NAME                        READY   STATUS             RESTARTS      AGE
checkout-7d9f8b6c5-x2x4z    1/1     Running            0             4d
payments-5c8b9d7f4-lm2qp    0/1     ImagePullBackOff   0             6m12s
cart-6f7d8c9b5-9xk2v        1/1     Running            2 (3d ago)    4d`,
    holds: ["payments-5c8b9d7f4-lm2qp", "ImagePullBackOff"],
    lacks: ["$ kubectl", "READY", "checkout"],
  },
  {
    name: "docker ps",
    text: `CONTAINER ID   IMAGE          COMMAND                  CREATED       STATUS                          PORTS     NAMES
3f2a1b0c9d8e   shop/api:1.4   "docker-entrypoint.s…"   2 hours ago   Restarting (1) 14 seconds ago             api-gateway
9e8d7c6b5a4f   redis:7        "docker-entrypoint.s…"   5 days ago    Up 5 days                       6379/tcp  cache`,
    holds: ["api-gateway", "Restarting (1)"],
    lacks: ["CONTAINER ID", "Up 5 days"],
  },
  {
    name: "systemctl status",
    text: `● nginx.service - A high performance web server and a reverse proxy server
     Loaded: loaded (/lib/systemd/system/nginx.service; enabled; preset: enabled)
     Active: failed (Result: exit-code) since Sun 2026-03-01 02:55:12 UTC; 3min ago
    Process: 4711 ExecStartPre=/usr/sbin/nginx -t -q -g daemon on; (code=exited, status=1/FAILURE)
        CPU: 21ms

Mar 01 02:55:12 web-1 systemd[1]: Starting nginx.service - A high performance web server...
Mar 01 02:55:12 web-1 nginx[4711]: nginx: [emerg] host not found in upstream "checkout" in /etc/nginx/conf.d/shop.conf:12
Mar 01 02:55:12 web-1 systemd[1]: nginx.service: Control process exited, code=exited, status=1/FAILURE
Mar 01 02:55:12 web-1 systemd[1]: Failed to start nginx.service - A high performance web server.`,
    holds: ['host not found in upstream "checkout"'],
    lacks: ["Loaded:", "Mar 01", "web-1"],
  },
  {
    name: "journalctl",
    text: `-- Boot 3f2a1b0c9d8e7f6a5b4c3d2e1f0a9b8c --
Mar 01 02:54:58 db-2 systemd[1]: Started PostgreSQL Cluster 16-main.
Mar 01 02:55:03 db-2 postgresql@16-main[811]: Error: /usr/lib/postgresql/16/bin/pg_ctl start failed
Mar 01 02:55:03 db-2 postgresql@16-main[811]: PANIC:  could not write to file "pg_wal/xlogtemp.812": No space left on device
Mar 01 02:55:03 db-2 systemd[1]: postgresql@16-main.service: Failed with result 'protocol'.`,
    holds: ["No space left on device"],
    lacks: ["Boot", "db-2", "Mar 01"],
  },
  {
    name: "JSON lines",
    text: `{"level":"info","ts":"2026-03-01T02:55:10.001Z","caller":"server/main.go:31","msg":"listening","port":8080}
{"level":"error","ts":"2026-03-01T02:55:12.345Z","caller":"db/pool.go:88","msg":"query failed","error":"pq: remaining connection slots are reserved for non-replication superuser connections","trace_id":"4bf92f3577b34da6a3ce929d0e0e4736"}
{"level":"info","ts":"2026-03-01T02:55:12.346Z","msg":"request done","status":500,"path":"/orders"}`,
    holds: ["query failed", "remaining connection slots are reserved"],
    lacks: ['"level"', "{", "trace_id"],
  },
  {
    name: "logfmt",
    text: `time=2026-03-01T02:55:11.100Z level=info msg="scrape started" target=node
time=2026-03-01T02:55:12.345Z level=error component=remote msg="non-recoverable error" count=500 err="server returned HTTP status 429 Too Many Requests: ingestion rate limit exceeded"`,
    holds: ["non-recoverable error", "ingestion rate limit exceeded"],
    lacks: ["time=", "level=", "component="],
  },
  {
    name: "access log",
    text: `10.0.1.7 - - [01/Mar/2026:02:55:10 +0000] "GET /health HTTP/1.1" 200 2 "-" "kube-probe/1.29"
10.0.9.3 - - [01/Mar/2026:02:55:11 +0000] "POST /api/orders HTTP/1.1" 502 157 "https://shop.example/cart" "Mozilla/5.0 (X11; Linux x86_64)"
10.0.9.4 - - [01/Mar/2026:02:55:12 +0000] "POST /api/orders HTTP/1.1" 502 157 "https://shop.example/cart" "Mozilla/5.0 (Macintosh)"
10.0.9.5 - - [01/Mar/2026:02:55:12 +0000] "GET /api/items HTTP/1.1" 200 8841 "-" "Mozilla/5.0"`,
    holds: ["POST /api/orders", "502"],
    lacks: ["Mozilla", "10.0.9.3", "01/Mar"],
  },
  {
    name: "dmesg",
    text: `[1482931.118274] java invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=936
[1482931.118290] CPU: 3 PID: 4711 Comm: java Not tainted 6.1.0-18-amd64 #1
[1482931.118512] Memory cgroup out of memory: Killed process 4711 (java) total-vm:4194304kB, anon-rss:1048064kB, file-rss:0kB`,
    holds: ["Memory cgroup out of memory: Killed process 4711 (java)"],
    lacks: ["[1482931", "CPU: 3"],
  },
  {
    name: "SQL client",
    text: `shop=# insert into orders (id, customer) values (17, 4);
ERROR:  duplicate key value violates unique constraint "orders_pkey"
DETAIL:  Key (id)=(17) already exists.
shop=#`,
    holds: ['duplicate key value violates unique constraint "orders_pkey"'],
    lacks: ["insert into", "shop=#"],
  },
  {
    name: "TypeScript compiler",
    text: `> shop-web@2.4.0 build
> tsc -p tsconfig.json

src/cart/total.ts(31,9): error TS2322: Type 'string | undefined' is not assignable to type 'string'.
  Type 'undefined' is not assignable to type 'string'.
Found 1 error in src/cart/total.ts:31`,
    holds: ["TS2322: Type 'string | undefined' is not assignable to type 'string'"],
    lacks: ["> shop-web", "Found 1 error"],
  },
  {
    name: "GitHub Actions",
    text: `2026-03-01T02:55:01.1234567Z ##[group]Run npm ci
2026-03-01T02:55:01.1234999Z npm ci
2026-03-01T02:55:01.1265312Z shell: /usr/bin/bash -e {0}
2026-03-01T02:55:01.1265555Z ##[endgroup]
2026-03-01T02:55:19.4471018Z npm error code ERESOLVE
2026-03-01T02:55:19.4473390Z npm error ERESOLVE unable to resolve dependency tree
2026-03-01T02:55:19.4474101Z npm error Could not resolve dependency: peer react@"^18" from react-beautiful-dnd@13.1.1
2026-03-01T02:55:19.5120031Z ##[error]Process completed with exit code 1.`,
    holds: ["resolve", "dependency"],
    lacks: ["2026-03-01", "##[", "exit code 1"],
  },
  {
    name: "a person's line above a log",
    text: `checkout is slow since the deploy this morning, log below:
2026-03-01T02:55:12Z WARN  pool exhausted, waiting
2026-03-01T02:55:42Z ERROR timeout acquiring connection`,
    holds: ["checkout is slow since the deploy this morning"],
    lacks: ["pool exhausted", "2026"],
  },
  {
    name: "an empty introduction above an error",
    text: `Hi team, can someone help? Getting this:

Error response from daemon: driver failed programming external connectivity on endpoint web (3f2a): Bind for 0.0.0.0:80 failed: port is already allocated`,
    holds: ["port is already allocated"],
    lacks: ["Hi team"],
  },
  {
    name: "a question above a log",
    text: `Why does the payments pod restart every hour?
Last State: Terminated
  Reason: OOMKilled
  Exit Code: 137`,
    holds: ["Why does the payments pod restart every hour?"],
    lacks: ["Last State"],
  },
  {
    name: "colours",
    text: "\u001b[31m2026-03-01 02:55:12\u001b[0m \u001b[1mERROR\u001b[0m [worker-1] upload failed: \u001b[33mAccessDenied\u001b[0m: Access Denied for bucket shop-media\n\u001b[32mINFO\u001b[0m retrying in 5s\n",
    holds: ["upload failed: AccessDenied: Access Denied for bucket shop-media"],
    lacks: ["\u001b", "[31m", "worker-1"],
  },
  {
    name: "Terraform",
    text: `aws_s3_bucket.logs: Creating...
╷
│ Error: creating S3 Bucket (shop-logs): operation error S3: CreateBucket, https response error StatusCode: 409, BucketAlreadyExists
│ 
│   with aws_s3_bucket.logs,
│   on main.tf line 12, in resource "aws_s3_bucket" "logs":
│   12: resource "aws_s3_bucket" "logs" {
│ 
╵`,
    holds: ["creating S3 Bucket (shop-logs)", "BucketAlreadyExists"],
    lacks: ["│", "Creating..."],
  },
  {
    name: "Kubernetes component log",
    text: `I0301 02:55:10.001312       1 leaderelection.go:250] attempting to acquire leader lease kube-system/kube-scheduler...
E0301 02:55:12.345678       1 leaderelection.go:332] error retrieving resource lock kube-system/kube-scheduler: Get "https://10.0.4.1:6443/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-scheduler": context deadline exceeded`,
    holds: ["error retrieving resource lock kube-system/kube-scheduler"],
    lacks: ["E0301", "leaderelection.go"],
  },
  {
    name: "docker compose logs",
    text: `db-1       | 2026-03-01 02:55:10.100 UTC [1] LOG:  database system is ready to accept connections
api-1      | > node server.js
api-1      | Error: connect ECONNREFUSED 127.0.0.1:5432
api-1      |     at TCPConnectWrap.afterConnect [as oncomplete] (node:net:1607:16)
api-1 exited with code 1`,
    holds: ["connect ECONNREFUSED 127.0.0.1:5432"],
    lacks: ["TCPConnectWrap", "|"],
  },
  {
    name: "curl -v",
    text: `* Host api.shop.example:443 was resolved.
*   Trying 203.0.113.7:443...
* Connected to api.shop.example (203.0.113.7) port 443
* TLSv1.3 (OUT), TLS handshake, Client hello (1):
* TLSv1.3 (OUT), TLS alert, certificate expired (557):
* SSL certificate problem: certificate has expired
curl: (60) SSL certificate problem: certificate has expired`,
    holds: ["certificate has expired"],
    lacks: ["Trying", "* "],
  },
  {
    name: "Postgres server log",
    text: `2026-03-01 02:55:11.200 UTC [4711] app@shop LOG:  duration: 12.1 ms
2026-03-01 02:55:12.345 UTC [4712] app@shop FATAL:  sorry, too many clients already
2026-03-01 02:55:12.346 UTC [4713] app@shop FATAL:  sorry, too many clients already`,
    holds: ["sorry, too many clients already"],
    lacks: ["4712", "UTC"],
  },
  {
    name: "Ruby",
    text: `/app/lib/mailer.rb:31:in \`deliver': 535 5.7.8 Error: authentication failed (Net::SMTPAuthenticationError)
	from /app/lib/jobs/welcome.rb:12:in \`perform'
	from /usr/lib/ruby/gems/sidekiq-7.2.0/lib/sidekiq/processor.rb:202:in \`execute_job'`,
    holds: ["535 5.7.8 Error: authentication failed"],
    lacks: ["from /app"],
  },
  {
    name: "several lines of prose",
    text: `Customers report that the search page returns no results.
It started around 02:30 after we moved the index to the new nodes.
The nodes look fine, CPU is at 20 %.`,
    holds: ["Customers report that the search page returns no results"],
    lacks: ["CPU is at"],
  },
  {
    name: "a single line",
    text: "api-gateway container exited with code 137",
    holds: ["api-gateway container exited with code 137"],
    lacks: [],
  },
];
