// Graded questions about the runbooks of RabbitMQ.

import { type GradedQueries, labelled, plain } from "./seed-query.ts";

export const RABBITMQ_QUERIES: GradedQueries = {
  easy: [
    plain("rabbitmq/memory-alarm-publishers-blocked", "RabbitMQ memory alarm, publishers are blocked"),
    plain(
      "rabbitmq/disk-alarm-free-space-low",
      "RabbitmqFreeDiskSpaceAlarm: free disk space of rabbit@mq-2 is below disk_free_limit",
    ),
    plain(
      "rabbitmq/network-partition",
      "rabbitmqctl cluster_status reports network partitions: rabbit@mq-1, rabbit@mq-3",
    ),
    plain("rabbitmq/queue-backlog-no-consumers", "rabbitmq queue orders.created has 480000 messages ready and grows"),
    plain(
      "rabbitmq/unacked-messages-consumer-timeout",
      "RabbitMQ: PRECONDITION_FAILED - delivery acknowledgement on channel 1 timed out. Timeout value used: 1800000 ms",
    ),
  ],
  medium: [
    labelled(
      "rabbitmq/memory-alarm-publishers-blocked",
      "nothing can be published since noon, the management page shows the high watermark in red for mq-1",
    ),
    labelled(
      "rabbitmq/queue-backlog-no-consumers",
      "workers take 50 jobs a second, 300 come in, waiting ones pile up since the campaign",
    ),
    plain(
      "rabbitmq/network-partition",
      "after a short network break two rabbitmq nodes each believe that the other one is dead",
    ),
    labelled(
      "rabbitmq/unacked-messages-consumer-timeout",
      "everything has been handed out to the consumers, nothing gets confirmed, the counter stands at 20000",
    ),
    plain(
      "rabbitmq/quorum-queue-lost-majority",
      "quorum queue invoices has no leader since the rabbitmq nodes were replaced one after another",
    ),
    plain(
      "rabbitmq/connections-channels-file-descriptors-exhausted",
      "rabbitmq: a client library opens a new connection for each message, sockets_used near the limit",
    ),
  ],
  hard: [
    plain(
      "rabbitmq/disk-alarm-free-space-low",
      "order mails stopped at 02:00, all apps say they are connected",
      "2026-02-14 02:00:41.118Z [info] <0.512.0> Free disk space is insufficient. Free bytes: 48211968. Limit: 50000000\n2026-02-14 02:00:41.119Z [warning] <0.509.0> disk resource limit alarm set on node rabbit@mq-2.",
    ),
    plain(
      "rabbitmq/network-partition",
      "two halves of the shop see different stock since the switch was replaced",
      "Mnesia('rabbit@mq-1'): ** ERROR ** mnesia_event got {inconsistent_database, running_partitioned_network, 'rabbit@mq-3'}",
    ),
    labelled(
      "rabbitmq/queue-backlog-no-consumers",
      "confirmation mails arrive three hours late, the mail servers are bored",
    ),
    plain(
      "rabbitmq/node-down-will-not-start",
      "mq-2 does not come up again after the reboot",
      "BOOT FAILED\nERROR: distribution port 25672 in use by another node: rabbit@mq-2",
    ),
    labelled(
      "rabbitmq/quorum-queue-lost-majority",
      "orders can neither be sent nor read since two of the three machines are down, the third says it is running",
    ),
  ],
  misspelt: [
    plain("rabbitmq/memory-alarm-publishers-blocked", "rabitmq memmory alarm, publishrs blockd"),
    plain("rabbitmq/network-partition", "rabbitmq netwrok partiton, split brian"),
    plain("rabbitmq/disk-alarm-free-space-low", "rabitmq disk fre limit alarm"),
    plain("rabbitmq/queue-backlog-no-consumers", "rabbitmq que groing, mesages ready"),
  ],
  codes: [
    labelled("rabbitmq/memory-alarm-publishers-blocked", "vm_memory_high_watermark"),
    labelled("rabbitmq/network-partition", "running_partitioned_network"),
    plain("rabbitmq/disk-alarm-free-space-low", "disk_free_limit"),
    labelled("rabbitmq/unacked-messages-consumer-timeout", "consumer_timeout"),
    plain("rabbitmq/node-down-will-not-start", "BOOT FAILED"),
    plain("rabbitmq/connections-channels-file-descriptors-exhausted", "RabbitmqFileDescriptorsNearLimit"),
  ],
  "in passing": [
    plain(
      "rabbitmq/memory-alarm-publishers-blocked",
      "morning, the shop can't send anything into rabbitmq, connections show as blocking, somebody said something about a watermark?",
    ),
    plain(
      "rabbitmq/queue-backlog-no-consumers",
      "one of our rabbit queues has half a million messages in it since the weekend and I'm afraid to purge it, what should I look at first",
    ),
    plain(
      "rabbitmq/unacked-messages-consumer-timeout",
      "the new video worker holds on to its rabbitmq messages for an hour and then they come back and another worker does it all again",
    ),
    plain(
      "rabbitmq/network-partition",
      "we lost the link between the two server rooms for a minute and rabbitmq has been weird since, ui shows a red box about a partition",
    ),
  ],
  trap: [
    labelled(
      "rabbitmq/memory-alarm-publishers-blocked",
      "pod rabbitmq-0 is close to its memory limit, not killed yet, publishers hang",
    ),
    labelled(
      "rabbitmq/disk-alarm-free-space-low",
      "no space left on device soon: node's disk 96 %, producers are refused",
    ),
    labelled(
      "rabbitmq/queue-backlog-no-consumers",
      "consumer lag grows: 2 million messages wait, the topic exchange is fine",
    ),
    labelled(
      "rabbitmq/connections-channels-file-descriptors-exhausted",
      "too many clients already, file descriptors used up by connections",
    ),
  ],
};
