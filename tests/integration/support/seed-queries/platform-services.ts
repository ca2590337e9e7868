// Graded questions about the runbooks of search, secrets, monitoring, background jobs and Workers.

import { type GradedQueries, plain } from "./seed-query.ts";

export const PLATFORM_SERVICES_QUERIES: GradedQueries = {
  easy: [
    plain(
      "elasticsearch-opensearch/flood-stage-watermark-read-only-index",
      "Elasticsearch: index blocked, disk usage exceeded flood-stage watermark",
    ),
    plain(
      "elasticsearch-opensearch/circuit-breaking-exception-data-too-large",
      "elasticsearch circuit_breaking_exception, parent: Data too large",
    ),
    plain(
      "elasticsearch-opensearch/maximum-shards-open-per-node",
      "this action would add [2] shards, but this cluster currently has [3000]/[3000] maximum normal shards open",
    ),
    plain(
      "elasticsearch-opensearch/unassigned-shards-cluster-red-or-yellow",
      "Elasticsearch cluster health is red, 14 unassigned shards",
    ),
    plain(
      "elasticsearch-opensearch/vm-max-map-count-too-low",
      "max virtual memory areas vm.max_map_count [65530] is too low, increase to at least [262144]",
    ),
    plain(
      "elasticsearch-opensearch/master-not-discovered",
      "elasticsearch master_not_discovered_exception, status 503",
    ),
    plain("vault-openbao/sealed", "Vault is sealed after the restart, 503 on every secret"),
    plain("vault-openbao/permission-denied-or-invalid-token", "vault answers 403 permission denied, invalid token"),
    plain("vault-openbao/kubernetes-login-refused", "vault auth/kubernetes/login: service account name not authorized"),
    plain("vault-openbao/no-active-node-quorum-lost", "vault: local node not active but active cluster node not found"),
    plain("vault-openbao/audit-device-blocks-requests", "vault: no audit backend succeeded in logging the request"),
    plain(
      "vault-openbao/auto-unseal-key-unreachable",
      "Error parsing Seal configuration: error fetching AWS KMS wrapping key information",
    ),
    plain("prometheus-alertmanager/out-of-order-samples", "Prometheus: Error on ingesting out-of-order samples"),
    plain(
      "prometheus-alertmanager/out-of-memory-high-cardinality",
      "Prometheus is OOMKilled while Replaying WAL, too many series",
    ),
    plain(
      "prometheus-alertmanager/wal-corruption",
      "Prometheus: Encountered WAL read error, attempting repair, corruption in segment",
    ),
    plain(
      "prometheus-alertmanager/scrape-context-deadline-exceeded",
      'TargetDown: Get "http://10.0.4.17:9100/metrics": context deadline exceeded',
    ),
    plain(
      "prometheus-alertmanager/query-too-many-samples",
      "query processing would load too many samples into memory in query execution",
    ),
    plain(
      "prometheus-alertmanager/alertmanager-notifications-fail",
      "Alertmanager: Notify for alerts failed, unexpected status code 404",
    ),
    plain(
      "celery-sidekiq/celery-worker-lost-sigkill",
      "celery WorkerLostError: Worker exited prematurely: signal 9 (SIGKILL) Job: 0.",
    ),
    plain(
      "celery-sidekiq/celery-tasks-run-twice-visibility-timeout",
      "celery with redis runs tasks twice, visibility timeout exceeded",
    ),
    plain(
      "celery-sidekiq/celery-unregistered-task",
      "celery: Received unregistered task of type 'shop.tasks.send_invoice'",
    ),
    plain(
      "celery-sidekiq/celery-stops-consuming-after-broker-reconnect",
      "celery: Connection to broker lost, worker stops consuming after the reconnection",
    ),
    plain("celery-sidekiq/sidekiq-queue-latency", "Sidekiq queue latency is 40 minutes"),
    plain("celery-sidekiq/sidekiq-dead-jobs", "Sidekiq: 400 dead jobs, retries exhausted"),
    plain("cloudflare-workers/exceeded-cpu-time-limit-1102", "Cloudflare Error 1102: Worker exceeded CPU time limit"),
    plain("cloudflare-workers/threw-exception-1101", "Cloudflare Error 1101: Worker threw exception"),
    plain(
      "cloudflare-workers/too-many-subrequests",
      "Cloudflare Worker: Too many subrequests by single Worker invocation",
    ),
    plain("cloudflare-workers/durable-object-overloaded", "Durable Object is overloaded. Too many requests queued."),
    plain(
      "cloudflare-workers/wrangler-authentication-error-10000",
      "wrangler deploy: Authentication error [code: 10000]",
    ),
    plain("cloudflare-workers/exceeded-memory-limit", "Cloudflare Worker exceeded memory limit"),
  ],
  medium: [
    plain(
      "elasticsearch-opensearch/flood-stage-watermark-read-only-index",
      "opensearch takes no more documents, the data disks are at 96 %",
    ),
    plain(
      "elasticsearch-opensearch/circuit-breaking-exception-data-too-large",
      "elasticsearch refuses searches by turns because its heap is nearly full",
    ),
    plain(
      "elasticsearch-opensearch/maximum-shards-open-per-node",
      "elasticsearch cannot create today's index, there are too many small indices",
    ),
    plain(
      "elasticsearch-opensearch/unassigned-shards-cluster-red-or-yellow",
      "elasticsearch is yellow ever since one of its nodes was swapped",
    ),
    plain(
      "elasticsearch-opensearch/vm-max-map-count-too-low",
      "elasticsearch does not start on the new host, a bootstrap check about memory maps fails",
    ),
    plain(
      "elasticsearch-opensearch/master-not-discovered",
      "two of three opensearch master nodes were drained together and none is elected now",
    ),
    plain("vault-openbao/sealed", "vault needs its unseal keys again since the VM was rebooted"),
    plain(
      "vault-openbao/permission-denied-or-invalid-token",
      "our worker can read vault for 32 days after its start and not longer",
    ),
    plain(
      "vault-openbao/kubernetes-login-refused",
      "pods of the new namespace cannot log in to vault with their service account",
    ),
    plain(
      "vault-openbao/no-active-node-quorum-lost",
      "all vault nodes are standby since two of three were patched together",
    ),
    plain("vault-openbao/audit-device-blocks-requests", "vault hangs on everything, the disk of its audit log is full"),
    plain(
      "vault-openbao/auto-unseal-key-unreachable",
      "vault crash-loops since its role lost the right to use the KMS key",
    ),
    plain("prometheus-alertmanager/out-of-order-samples", "prometheus drops samples of a target that two jobs scrape"),
    plain(
      "prometheus-alertmanager/out-of-memory-high-cardinality",
      "prometheus needs twice the memory since a new label with user ids was added",
    ),
    plain(
      "prometheus-alertmanager/wal-corruption",
      "prometheus does not start after the node crashed, its write-ahead log is damaged",
    ),
    plain(
      "prometheus-alertmanager/scrape-context-deadline-exceeded",
      "prometheus cannot scrape the exporter within ten seconds",
    ),
    plain(
      "prometheus-alertmanager/query-too-many-samples",
      "the 30 day prometheus dashboard stays empty, a week works",
    ),
    plain(
      "prometheus-alertmanager/alertmanager-notifications-fail",
      "alertmanager shows firing alerts and the Slack channel is silent since the webhook was renewed",
    ),
    plain(
      "celery-sidekiq/celery-worker-lost-sigkill",
      "celery's children are killed for want of memory when they build the large report",
    ),
    plain(
      "celery-sidekiq/celery-tasks-run-twice-visibility-timeout",
      "celery tasks that take longer than an hour are started again by another worker",
    ),
    plain(
      "celery-sidekiq/celery-unregistered-task",
      "the celery worker throws tasks away that it does not know since the module was renamed",
    ),
    plain(
      "celery-sidekiq/celery-stops-consuming-after-broker-reconnect",
      "celery workers are alive and take nothing since redis failed over, a restart helps",
    ),
    plain(
      "celery-sidekiq/sidekiq-queue-latency",
      "sidekiq jobs wait for an hour because an import floods the default queue",
    ),
    plain(
      "celery-sidekiq/sidekiq-dead-jobs",
      "sidekiq has given up on webhook jobs after 25 tries, can we run them again",
    ),
    plain(
      "cloudflare-workers/exceeded-cpu-time-limit-1102",
      "our cloudflare worker is stopped for computing too long when it renders large pages",
    ),
    plain(
      "cloudflare-workers/threw-exception-1101",
      "the cloudflare worker's code hung and would never generate a response",
    ),
    plain(
      "cloudflare-workers/too-many-subrequests",
      "our cloudflare cron worker stops in the middle, it makes a fetch for each of 300 customers",
    ),
    plain("cloudflare-workers/durable-object-overloaded", "one durable object for all rooms cannot keep up"),
    plain(
      "cloudflare-workers/wrangler-authentication-error-10000",
      "wrangler cannot deploy from the pipeline since the API token was rolled",
    ),
    plain(
      "cloudflare-workers/exceeded-memory-limit",
      "our worker on cloudflare dies with 128 MB when somebody uploads a large video",
    ),
  ],
  hard: [
    plain(
      "elasticsearch-opensearch/flood-stage-watermark-read-only-index",
      "no log lines newer than 02:40 in Kibana, Logstash retries the same batch",
      '[logstash.outputs.elasticsearch] retrying failed action with response code: 429 ({"type"=>"cluster_block_exception", "reason"=>"index [logs-2026.11.20] blocked by: [TOO_MANY_REQUESTS/12/disk usage exceeded flood-stage watermark, index has read-only-allow-delete block];"})',
    ),
    plain(
      "elasticsearch-opensearch/maximum-shards-open-per-node",
      "since midnight UTC nothing of today can be found in the log search, yesterday is there",
      "illegal_argument_exception: Validation Failed: 1: this action would add [4] shards, but this cluster currently has [2999]/[3000] maximum normal shards open;",
    ),
    plain(
      "vault-openbao/permission-denied-or-invalid-token",
      "invoice job lost its database password last night, a restart helps",
      "URL: PUT https://vault.corp.example:8200/v1/auth/token/renew-self\nCode: 403. Errors:\n\n* 2 errors occurred:\n\t* permission denied\n\t* invalid token",
    ),
    plain(
      "vault-openbao/kubernetes-login-refused",
      "payments pods hang in Init:0/1",
      "URL: PUT http://vault.vault.svc:8200/v1/auth/kubernetes/login\nCode: 403. Errors:\n\n* namespace not authorized",
    ),
    plain(
      "vault-openbao/audit-device-blocks-requests",
      "vault is unsealed and idle, and still every call ends in 500",
      '[ERROR] audit: backend failed to log request: backend=file/ error="write /var/log/vault/audit.log: no space left on device"',
    ),
    plain(
      "vault-openbao/auto-unseal-key-unreachable",
      "vault-0 restarts since the IAM clean-up",
      "Error parsing Seal configuration: error fetching AWS KMS wrapping key information: AccessDeniedException: not authorized to perform: kms:DescribeKey",
    ),
    plain(
      "prometheus-alertmanager/out-of-memory-high-cardinality",
      "all our graphs have had gaps since Tuesday's release of the gateway",
      'level=info component=tsdb msg="Replaying WAL, this may take a while"\nlast state: OOMKilled, exit code 137',
    ),
    plain(
      "prometheus-alertmanager/scrape-context-deadline-exceeded",
      "the database exporter's up is 0 every few minutes under load",
      'lastError: Get "http://10.0.4.17:9187/metrics": context deadline exceeded',
    ),
    plain(
      "celery-sidekiq/celery-tasks-run-twice-visibility-timeout",
      "customers get the same newsletter once an hour",
      "Task shop.tasks.newsletter[82b3ff71-e5ec-4a5c-915a-ba102ff51c11] received\nTask shop.tasks.newsletter[82b3ff71-e5ec-4a5c-915a-ba102ff51c11] received",
    ),
    plain(
      "celery-sidekiq/sidekiq-queue-latency",
      "password mails arrive an hour late",
      "WARN: Your Redis network connection is performing extremely poorly.\nLast RTT readings were [98213, 99120, 101224, 97800, 98111]",
    ),
  ],
  misspelt: [],
  codes: [
    plain("elasticsearch-opensearch/circuit-breaking-exception-data-too-large", "circuit_breaking_exception"),
    plain("elasticsearch-opensearch/unassigned-shards-cluster-red-or-yellow", "ElasticsearchClusterRed"),
    plain("elasticsearch-opensearch/vm-max-map-count-too-low", "vm.max_map_count"),
    plain("elasticsearch-opensearch/master-not-discovered", "master not discovered or elected yet"),
    plain("vault-openbao/sealed", "VaultSealed"),
    plain("vault-openbao/no-active-node-quorum-lost", "storage.raft: entering candidate state"),
    plain("prometheus-alertmanager/out-of-order-samples", "PrometheusDuplicateTimestamps"),
    plain("prometheus-alertmanager/wal-corruption", "opening storage failed: repair corrupted WAL"),
    plain("prometheus-alertmanager/query-too-many-samples", "query processing would load too many samples"),
    plain("prometheus-alertmanager/alertmanager-notifications-fail", "AlertmanagerFailedToSendAlerts"),
    plain("celery-sidekiq/celery-worker-lost-sigkill", "WorkerLostError"),
    plain("celery-sidekiq/celery-unregistered-task", "The message has been ignored and discarded."),
    plain(
      "celery-sidekiq/celery-stops-consuming-after-broker-reconnect",
      "Connection to broker lost. Trying to re-establish the connection...",
    ),
    plain("celery-sidekiq/sidekiq-dead-jobs", "Adding dead ReportJob job 2c5f7a9e1b3d4f6a8c0e2d4b"),
    plain("cloudflare-workers/exceeded-cpu-time-limit-1102", "exceededCpu"),
    plain("cloudflare-workers/threw-exception-1101", "Error 1101 Ray ID: 8f1c2d3e4f5a6b7c Worker threw exception"),
    plain("cloudflare-workers/too-many-subrequests", "Too many subrequests"),
    plain(
      "cloudflare-workers/durable-object-overloaded",
      "Durable Object is overloaded. Requests queued for too long.",
    ),
    plain(
      "cloudflare-workers/wrangler-authentication-error-10000",
      "A request to the Cloudflare API failed. Authentication error [code: 10000]",
    ),
    plain("cloudflare-workers/exceeded-memory-limit", "exceededMemory"),
  ],
  "in passing": [],
  trap: [],
};
