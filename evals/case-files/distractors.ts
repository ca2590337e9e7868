// Unrelated past incidents and answers that are stored before a case that expects a memory hit. On an empty database the
// expected record would be the only one to recall, so the case would prove nothing.

import type { EvalCase, SetupStep } from "./case-schema.ts";

/** The steps to run before those of the case itself; empty unless the case expects an incident or a past answer. */
export function distractorsFor({ domain, expect }: Pick<EvalCase, "domain" | "expect">): readonly SetupStep[] {
  if (expect.incident === undefined && expect.past_answer === undefined) return [];
  const labels = LABELS[domain] ?? { domain };
  const { incidents, question } = DISTRACTORS[domain] ?? DISTRACTORS_OF_ANY_DOMAIN;
  return [
    ...incidents.map(
      ([target, title, resolution]): SetupStep => ({
        report: { title, target, labels },
        resolved: { resolution, worked: true },
      }),
    ),
    { report: { question, labels }, rating: "up" },
  ];
}

interface Distractors {
  readonly incidents: readonly (readonly [target: string, title: string, resolution: string])[];
  readonly question: string;
}

/** Labels that decide for the domain, where it is not the label `domain`. */
const LABELS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  docker: { container_runtime: "docker" },
  podman: { container_runtime: "podman" },
  kubernetes: { container_runtime: "kubernetes" },
  postgres: { source_type: "database" },
};

const DISTRACTORS_OF_ANY_DOMAIN: Distractors = {
  incidents: [
    [
      "parcel-labels",
      "parcel labels come out without a bar code since the template change",
      "Put the bar code font back into the template.",
    ],
    [
      "loyalty-sync",
      "loyalty points of yesterday are missing in the app",
      "Ran the missed import of the partner's file by hand.",
    ],
    [
      "gift-cards",
      "gift cards are refused in the stores of one region",
      "Added the region's new card range to the allow list.",
    ],
  ],
  question: "where do I see which partner file the loyalty import read last?",
};

const DISTRACTORS: Readonly<Record<string, Distractors>> = {
  docker: {
    incidents: [
      [
        "pdf-render",
        "image pull for pdf-render fails: x509 certificate has expired",
        "Renewed the registry mirror's certificate and reloaded its proxy.",
      ],
      [
        "geocoder",
        "geocoder container unhealthy since base image update",
        "The health check called wget, which the new base lacks: installed it.",
      ],
      [
        "newsletter",
        "containers of newsletter cannot resolve smtp relay",
        "Set the office resolver in daemon.json instead of the one of the old site.",
      ],
    ],
    question: "docker: why does the log of the survey container fill the disk of the host?",
  },
  podman: {
    incidents: [
      [
        "wiki",
        "rootless wiki container cannot write its volume, permission denied",
        "Mounted the volume with :U so that it belongs to the mapped user.",
      ],
      [
        "matrix-bridge",
        "quadlet of matrix-bridge is not generated after edit",
        "A misspelt key; the generator's dry run named the line.",
      ],
      [
        "backup-runner",
        "backup-runner container stops when the operator logs out",
        "Enabled lingering for the service account.",
      ],
    ],
    question: "podman: how can a rootless container of the wiki listen on port 443?",
  },
  kubernetes: {
    incidents: [
      [
        "report-cron",
        "report-cron pods pending, insufficient cpu on all nodes",
        "Lowered the CPU request of the batch jobs to what they use.",
      ],
      [
        "chat-web",
        "image pull of chat-web fails with 401 in the new namespace",
        "Copied the pull secret into the namespace and named it in the service account.",
      ],
      [
        "tariff",
        "readiness probe of tariff fails after every release",
        "Raised failureThreshold, since the cache takes two minutes to warm.",
      ],
    ],
    question: "k8s: how do I find out which quota stops new replicas of chat-web?",
  },
  postgres: {
    incidents: [
      [
        "pg-stock",
        "deadlock detected in stock bookings every evening",
        "The import now updates rows in the order of their keys.",
      ],
      ["pg-archive", "pg-wal volume of pg-archive 95 % full", "Dropped the slot of a decommissioned consumer."],
      [
        "pg-invoices",
        "queries on invoices slow since bulk load",
        "Ran ANALYZE on the loaded tables; the loader does it itself now.",
      ],
    ],
    question: "postgres: what does it mean that autovacuum of stock bookings never finishes?",
  },
  redis: {
    incidents: [
      [
        "redis-carts",
        "redis-carts evicts keys since the sale started",
        "Gave the product images a cache of their own and doubled maxmemory.",
      ],
      [
        "redis-geo",
        "redis-geo replica resyncs in full every few minutes",
        "Raised repl-backlog-size to what the nightly import writes.",
      ],
      [
        "redis-flags",
        "LOADING Redis is loading the dataset in memory for minutes after each restart",
        "Moved the flags that nobody reads any more out of the instance.",
      ],
    ],
    question: "redis: how do I see which client sent KEYS * to redis-geo?",
  },
  kafka: {
    incidents: [
      [
        "audit-sink",
        "consumer group audit-sink lags since the schema change",
        "The sink retried one unreadable record for ever: sent it to the dead letter topic.",
      ],
      ["kafka-2", "broker kafka-2 log dir at 93 %", "Set retention.bytes on the click topics."],
      [
        "price-feed",
        "price-feed producer gets NotLeaderOrFollower after maintenance",
        "Updated the client, which never refreshed its metadata.",
      ],
    ],
    question: "kafka: how many partitions may the topic of the price feed have?",
  },
  nginx: {
    incidents: [
      [
        "edge-3",
        "nginx on edge-3 does not start after the package update, unknown directive",
        "Installed the dynamic module that the package no longer contains.",
      ],
      [
        "docs-site",
        "docs-site answers 403 for every page since the move",
        "Gave the nginx user the right to enter the parent folder.",
      ],
      ["intranet", "intranet upload of scans refused with 413", "Raised client_max_body_size for the upload path."],
    ],
    question: "nginx: which worker_connections does edge-3 need for web sockets?",
  },
  rabbitmq: {
    incidents: [
      [
        "rabbit-mail",
        "rabbit-mail queue outgoing grows, consumers connected but idle",
        "A consumer never acknowledged: lowered its prefetch and fixed the handler.",
      ],
      [
        "rabbit-geo",
        "rabbit-geo node does not rejoin after host rename",
        "Restored the old node name in rabbitmq-env.conf.",
      ],
      [
        "rabbit-scan",
        "rabbit-scan refuses connections: ACCESS_REFUSED for user scanner",
        "Set the permissions of the user on the new virtual host.",
      ],
    ],
    question: "rabbitmq: what does the flow state of the connections of rabbit-mail mean?",
  },
  mysql: {
    incidents: [
      [
        "mysql-blog",
        "mysql-blog replica stopped with a duplicate key",
        "Somebody wrote to the replica: rebuilt it and set super_read_only.",
      ],
      [
        "mysql-shop",
        "Too many connections on mysql-shop every morning at eight",
        "Capped the pool of the report service at ten connections.",
      ],
      [
        "mysql-hr",
        "mysql-hr binlogs fill the volume",
        "Set binlog_expire_logs_seconds to three days, since the backup reads them daily.",
      ],
    ],
    question: "mysql: how do I see which index the slow report of mysql-shop uses?",
  },
  host: {
    incidents: [
      [
        "vm-build-2",
        "load of vm-build-2 above 40, users cannot log in",
        "The virus scanner read the build folder: excluded it.",
      ],
      ["vm-ftp", "/home on vm-ftp is full again", "Moved the scans of the warehouse to the file server."],
      ["vm-lab-5", "vm-lab-5 clock eight seconds behind", "Replaced the retired time server in chrony.conf."],
    ],
    question: "linux: which process on vm-ftp holds a deleted file open?",
  },
  application: {
    incidents: [
      [
        "seat-map",
        "seat-map slow for everybody since the release of Tuesday",
        "A loop asked the price service once a seat: it asks once a plane now.",
      ],
      [
        "voucher",
        "voucher service: java.lang.OutOfMemoryError every Sunday",
        "The export held all rows in a list: it streams them now.",
      ],
      [
        "ci-mobile",
        "pipeline of ci-mobile hangs at the signing step",
        "The signing certificate asked for a password: imported it without one.",
      ],
    ],
    question: "which thread dump shows why the voucher service does not answer?",
  },
};
