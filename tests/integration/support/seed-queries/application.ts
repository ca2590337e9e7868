// Graded questions about the runbooks of applications: latency, memory, thread pools, releases, pipelines.

import { type GradedQueries, labelled, plain } from "./seed-query.ts";

export const APPLICATION_QUERIES: GradedQueries = {
  easy: [
    plain("application/jvm-out-of-memory-error", "java.lang.OutOfMemoryError: Java heap space in order-service"),
    plain(
      "application/nodejs-heap-out-of-memory",
      "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory",
    ),
    plain(
      "application/client-connection-pool-exhausted",
      "HikariPool-1 - Connection is not available, request timed out after 30000ms",
    ),
    plain(
      "application/error-rate-after-deploy",
      "HTTP 5xx rate of basket jumped from 0.1 % to 12 % right after the deploy of v412",
    ),
    plain("application/high-latency", "p99 latency of quote-api above 3 s for 15 minutes"),
    plain("application/ci-runner-disk-full", "CI runner build-7: no space left on device during npm install"),
    plain(
      "application/ci-pipeline-failing",
      "pipeline fails on every branch since this morning, the same commit was green yesterday",
    ),
  ],
  medium: [
    labelled(
      "application/event-loop-blocked",
      "every request of the gateway stalls at the same moment, one core at 100 %, sync JSON parsing of a huge body",
    ),
    labelled(
      "application/memory-leak",
      "resident size of the importer climbs 200 MB a day and only falls when somebody restarts it",
    ),
    labelled(
      "application/dependency-failing-circuit-breaker-open",
      "breaker to the tax service stays open, all orders are refused with a fallback message",
    ),
    labelled(
      "application/jvm-out-of-memory-error",
      "service freezes for several seconds again and again, full collections one after another, old generation stays at 98 %",
    ),
    labelled(
      "application/thread-or-worker-pool-exhausted",
      "all 200 request workers are busy, new requests wait in the accept queue and time out",
    ),
    plain(
      "application/error-rate-after-deploy",
      "the version that went live at 16:00 returns errors for one customer in ten, the previous one did not",
    ),
    labelled(
      "application/client-connection-pool-exhausted",
      "every request waits for a free connection although the database itself is idle",
    ),
    labelled(
      "application/nodejs-heap-out-of-memory",
      "our express server grows by 50 MB an hour and dies when V8 cannot allocate more",
    ),
  ],
  hard: [
    labelled(
      "application/configuration-or-secret-wrong",
      "login with the partner fails on the new machines only, same build, the key there is last year's",
    ),
    plain(
      "application/file-descriptor-leak",
      "upload service answers nothing after three days, then works again after a restart",
      "java.net.SocketException: Too many open files\nss -tanp | grep -c CLOSE-WAIT\n16211",
    ),
    plain(
      "application/thread-or-worker-pool-exhausted",
      "API stops answering at lunch, health page included, CPU near zero",
      '"http-nio-8080-exec-200" #311 daemon prio=5 RUNNABLE\n  at java.net.SocketInputStream.socketRead0\nTask rejected from java.util.concurrent.ThreadPoolExecutor[Running, pool size = 200, active threads = 200, queued tasks = 1000]',
    ),
    plain(
      "application/jvm-out-of-memory-error",
      "trading screen stutters every ten seconds",
      "[812.113s][info][gc] GC(4411) Pause Full (G1 Compaction Pause) 7991M->7902M(8192M) 6412.301ms",
    ),
    labelled(
      "application/error-rate-after-deploy",
      "since 16:05 nobody can pay with gift cards, all servers healthy, a new version went out at four",
    ),
    labelled(
      "application/dependency-failing-circuit-breaker-open",
      "checkout got slow the minute the fraud checker got slow, and stayed slow after it recovered, calls to it tripled",
    ),
  ],
  misspelt: [
    plain("application/jvm-out-of-memory-error", "java outofmemoryeror heep space"),
    plain("application/nodejs-heap-out-of-memory", "nodejs javascirpt heap out of memmory"),
    plain("application/error-rate-after-deploy", "erors after deploiment, need to rolback the relase"),
    plain("application/ci-pipeline-failing", "ci pipline faling on main brnach"),
  ],
  codes: [
    plain("application/jvm-out-of-memory-error", "java.lang.OutOfMemoryError"),
    labelled("application/thread-or-worker-pool-exhausted", "RejectedExecutionException"),
    plain("application/client-connection-pool-exhausted", "SQLTransientConnectionException"),
    plain("application/nodejs-heap-out-of-memory", "ERR_WORKER_OUT_OF_MEMORY"),
    plain("application/jvm-out-of-memory-error", "GC overhead limit exceeded"),
    labelled("application/dependency-failing-circuit-breaker-open", "CallNotPermittedException"),
  ],
  "in passing": [
    plain(
      "application/error-rate-after-deploy",
      "we shipped the new basket code half an hour ago and support is getting calls about a blank page, roll back or look first?",
    ),
    plain(
      "application/high-latency",
      "no alert so far but the quote api feels sluggish since yesterday, median fine, the slowest few percent take seconds",
    ),
    plain(
      "application/nodejs-heap-out-of-memory",
      "our little node service restarts about once a day with some heap message from v8, should I just give it more memory?",
    ),
    plain(
      "application/configuration-or-secret-wrong",
      "someone rotated the api key of the sms provider in the new release's settings and since then no codes go out, app says 401, is it a typo in the env?",
    ),
    plain(
      "application/ci-pipeline-failing",
      "nobody can merge since ten, the build server times out somewhere in the install step, same commit was green yesterday",
    ),
  ],
  trap: [
    labelled(
      "application/jvm-out-of-memory-error",
      "container not killed, exit code 3 instead of 137: OutOfMemoryError thrown inside the JVM",
    ),
    labelled(
      "application/client-connection-pool-exhausted",
      "connection slots? no, postgres has plenty: the pool inside the service is used up",
    ),
    labelled(
      "application/error-rate-after-deploy",
      "rollout finished without a problem, all pods ready, and yet errors since the new version",
    ),
    labelled(
      "application/ci-runner-disk-full",
      "docker build on the runner: write /var/lib/docker/tmp: no space left on device, pipeline red",
    ),
    labelled(
      "application/high-latency",
      "queries are fast, the database is fine, still the endpoint takes three seconds at p99",
    ),
  ],
};
