// Graded questions that measure the recall of the project's own runbooks. They are written from the topics of the runbooks,
// in the language of tired engineers and alerting systems. A question stays although recall misses its runbook.

import { APPLICATION_QUERIES } from "./seed-queries/application.ts";
import { CONTAINER_AND_POSTGRES_QUERIES } from "./seed-queries/containers-and-postgres.ts";
import { HOST_QUERIES } from "./seed-queries/host.ts";
import { INFRASTRUCTURE_QUERIES } from "./seed-queries/infrastructure.ts";
import { KAFKA_QUERIES } from "./seed-queries/kafka.ts";
import { KUBERNETES_WORKLOAD_QUERIES } from "./seed-queries/kubernetes-workloads.ts";
import { MYSQL_QUERIES } from "./seed-queries/mysql.ts";
import { NGINX_QUERIES } from "./seed-queries/nginx.ts";
import { PLATFORM_SERVICES_QUERIES } from "./seed-queries/platform-services.ts";
import { RABBITMQ_QUERIES } from "./seed-queries/rabbitmq.ts";
import { REDIS_QUERIES } from "./seed-queries/redis.ts";
import { type GradedQueries, labelsOf, type SeedQuestion } from "./seed-queries/seed-query.ts";

export { GRADES, type Grade, type SeedQuery, type SeedQuestion } from "./seed-queries/seed-query.ts";

const ALL: readonly GradedQueries[] = [
  CONTAINER_AND_POSTGRES_QUERIES,
  KUBERNETES_WORKLOAD_QUERIES,
  HOST_QUERIES,
  APPLICATION_QUERIES,
  NGINX_QUERIES,
  REDIS_QUERIES,
  KAFKA_QUERIES,
  RABBITMQ_QUERIES,
  MYSQL_QUERIES,
  INFRASTRUCTURE_QUERIES,
  PLATFORM_SERVICES_QUERIES,
];

export const SEED_QUERIES: GradedQueries = {
  easy: ALL.flatMap(({ easy }) => easy),
  medium: ALL.flatMap(({ medium }) => medium),
  hard: ALL.flatMap(({ hard }) => hard),
  misspelt: ALL.flatMap(({ misspelt }) => misspelt),
  codes: ALL.flatMap(({ codes }) => codes),
  "in passing": ALL.flatMap((queries) => queries["in passing"]),
  trap: ALL.flatMap(({ trap }) => trap),
};

/** What no runbook answers: the honest answer is that nothing is known. */
export const UNANSWERABLE: readonly SeedQuestion[] = [
  // Nothing of the kind.
  { title: "The coffee machine on the third floor leaks" },
  { title: "How do I rotate the signing key of our OAuth provider?" },
  { title: "Stripe webhooks are answered with signature mismatch" },
  { title: "iOS app crashes on launch since version 8.2" },
  { title: "Laptop does not connect to the office Wi-Fi" },
  { title: "Invoices in Swiss francs are one centime too high since January" },
  { title: "Customers still see the old logo in their e-mails" },
  // A technology without runbooks.
  { title: "Cassandra nodetool status shows two nodes as DN, reads at QUORUM fail" },
  { title: "S3 bucket returns AccessDenied for the analytics role" },
  { title: "Pulumi: the stack is currently locked by 1 lock" },
  { title: "Git push rejected, pre-receive hook declined" },
  { title: "MongoServerError: not primary and secondaryOk=false" },
  { title: "Keycloak answers every login with invalid_grant since the realm was imported" },
  { title: "Consul: rpc error making call: No cluster leader" },
  { title: "Cisco core switch: port Gi1/0/14 err-disabled by bpduguard" },
  {
    title:
      "ClickHouse: Code: 252. DB::Exception: Too many parts (300). Merges are processing significantly slower than inserts",
  },
  { title: "strongSwan: retransmit 5 of request with message ID 0, peer not responding, tunnel down" },
  // A technology with runbooks, but another failure.
  { title: "podman generate kube writes YAML without my annotations" },
  {
    title:
      "secrets is forbidden: User jane cannot list resource secrets in API group in the namespace shop, kubernetes",
  },
  { title: "ingress answers 404 for the new host name", labels: labelsOf("kubernetes") },
  { title: 'kubectl apply: no matches for kind "Certificate" in version "cert-manager.io/v1"' },
  { title: "ERROR: duplicate key value violates unique constraint users_email_key (23505)" },
  { title: "postgres: permission denied for table invoices, SQLSTATE 42501" },
  { title: "how do I create a read-only user in postgres?" },
  { title: "redis XREADGROUP: NOGROUP No such key jobs or consumer group workers" },
  { title: "WRONGTYPE Operation against a key holding the wrong kind of value, redis" },
  {
    title: "ReplyError: ERR unknown command 'JSON.SET', with args beginning with: 'cart:12'",
    labels: labelsOf("redis"),
  },
  { title: "Kafka Streams: InvalidTopologyException: Processor prices is already added" },
  { title: "org.apache.kafka.common.errors.SerializationException: Error deserializing Avro message for id 71" },
  { title: "kafka RecordTooLargeException: The message is 1572931 bytes when serialized" },
  { title: "kafka-topics: Topic 'clicks' already exists", labels: labelsOf("kafka") },
  { title: "nginx add_header is missing on error pages" },
  { title: "nginx rewrite sends visitors of /de to the French start page" },
  { title: "how do I switch on HTTP/3 in nginx?" },
  { title: "NOT_FOUND - no exchange 'invoices.v2' in vhost '/'", labels: labelsOf("rabbitmq") },
  { title: "how can I rename a rabbitmq virtual host?" },
  { title: "ACCESS_REFUSED - Login was refused using authentication mechanism PLAIN", labels: labelsOf("rabbitmq") },
  { title: "rabbitmq shovel moves messages in the wrong order" },
  { title: "ERROR 1054 (42S22): Unknown column 'vat' in 'field list'", labels: labelsOf("mysql") },
  { title: "mysql ERROR 1146 (42S02): Table 'shop.ordrs' doesn't exist" },
  { title: "MySQL 1366 Incorrect string value: '\\xF0\\x9F\\x98\\x80' for column 'comment'" },
  { title: "ben is not in the sudoers file. This incident will be reported.", labels: labelsOf("host") },
  { title: "apt-get update: GPG error, NO_PUBKEY 7FCC7D46ACCC4CF8" },
  { title: "printer queue on the print server shows every page twice", labels: labelsOf("host") },
  { title: "date format of the CSV export is American since yesterday", labels: labelsOf("application") },
  { title: "search box of the shop does not find umlauts", labels: labelsOf("application") },
];
