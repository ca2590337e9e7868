// Graded questions about the runbooks of Kafka.

import { type GradedQueries, labelled, plain } from "./seed-query.ts";

export const KAFKA_QUERIES: GradedQueries = {
  easy: [
    plain("kafka/consumer-group-lag", "Kafka consumer group orders-sink has a lag of 1.2 million messages"),
    plain(
      "kafka/under-replicated-partitions",
      "KafkaUnderReplicatedPartitions: broker 3 has 214 under-replicated partitions",
    ),
    plain("kafka/offline-partitions-no-leader", "KafkaOfflinePartitions: 6 partitions have no leader"),
    plain(
      "kafka/not-enough-in-sync-replicas",
      "org.apache.kafka.common.errors.NotEnoughReplicasException: Messages are rejected since there are fewer in-sync replicas than required",
    ),
    plain(
      "kafka/authentication-or-authorization-failed",
      "org.apache.kafka.common.errors.TopicAuthorizationException: Not authorized to access topics: [orders]",
    ),
    plain(
      "kafka/producer-timeout-records-expire",
      "org.apache.kafka.common.errors.TimeoutException: Expiring 12 record(s) for clicks-3:120000 ms has passed since batch creation",
    ),
  ],
  medium: [
    labelled(
      "kafka/consumer-group-keeps-rebalancing",
      "members of the group payments leave and join all day, nobody gets anything done in between",
    ),
    labelled(
      "kafka/log-directory-full-or-failed",
      "log dirs of broker 2 at 97 %, growing 40 GB an hour since the retention change",
    ),
    plain(
      "kafka/consumer-group-lag",
      "our kafka readers fall further and further behind the writers since the morning peak",
    ),
    labelled(
      "kafka/isr-shrinking-and-expanding",
      "copies drop out of the ISR and come back every half minute, nobody restarted anything",
    ),
    labelled(
      "kafka/kraft-quorum-no-active-controller",
      "no controller is elected since two of the three controller machines were rebooted together",
    ),
    plain(
      "kafka/authentication-or-authorization-failed",
      "kafka says SASL authentication failed for the new stock service, password copied twice",
    ),
  ],
  hard: [
    plain(
      "kafka/consumer-group-keeps-rebalancing",
      "invoices are processed twice, sometimes three times",
      "[Consumer clientId=inv-3, groupId=invoices] consumer poll timeout has expired. This means the time between subsequent calls to poll() was longer than the configured max.poll.interval.ms\n[Consumer clientId=inv-3, groupId=invoices] Member inv-3-9f1 sending LeaveGroup request to coordinator",
    ),
    plain(
      "kafka/log-directory-full-or-failed",
      "broker shut itself down at 03:12 and does not stay up",
      "ERROR Error while appending records to clicks-17 in dir /data/kafka-1 (org.apache.kafka.storage.internals.log.LogDirFailureChannel)\njava.io.IOException: No space left on device\nERROR Shutdown broker because all log dirs in /data/kafka-1 have failed",
    ),
    labelled(
      "kafka/not-enough-in-sync-replicas",
      "checkout cannot publish order events since we took one machine out for patching, the other two are healthy",
    ),
    plain(
      "kafka/broker-down-or-not-starting",
      "machine 3 of the event cluster does not come back after patching",
      "kafka.common.InconsistentClusterIdException: The Cluster ID qB2x does not match stored clusterId Some(7hXa) in meta.properties. The broker is trying to join the wrong cluster.",
    ),
    labelled(
      "kafka/consumer-group-lag",
      "dashboards show yesterday's figures, no errors anywhere, the writers are happy",
    ),
  ],
  misspelt: [
    plain("kafka/consumer-group-lag", "kafka consumr grup lagg very high"),
    plain("kafka/under-replicated-partitions", "kafka underreplicatd partitons on broker"),
    plain("kafka/consumer-group-keeps-rebalancing", "kafka consumer rebalanceing all the time, max pol intervall"),
    plain("kafka/offline-partitions-no-leader", "kafka ofline partitons no leeder"),
  ],
  codes: [
    labelled("kafka/not-enough-in-sync-replicas", "NOT_ENOUGH_REPLICAS"),
    plain("kafka/kraft-quorum-no-active-controller", "ActiveControllerCount"),
    labelled("kafka/authentication-or-authorization-failed", "TOPIC_AUTHORIZATION_FAILED"),
    labelled("kafka/offline-partitions-no-leader", "LEADER_NOT_AVAILABLE"),
    labelled("kafka/consumer-group-keeps-rebalancing", "CommitFailedException"),
    plain("kafka/consumer-group-lag", "KafkaConsumerGroupLag"),
  ],
  "in passing": [
    plain(
      "kafka/consumer-group-lag",
      "hi, the search index is about two hours behind and the consumer that feeds it from kafka looks alive, what would you check first?",
    ),
    plain(
      "kafka/log-directory-full-or-failed",
      "fyi someone set retention to forever on the click topics and now two kafka brokers are almost out of space, can I just delete files?",
    ),
    plain(
      "kafka/consumer-group-keeps-rebalancing",
      "ever since we added the slow pdf step our kafka consumers get kicked out of the group every five minutes or so",
    ),
    plain(
      "kafka/under-replicated-partitions",
      "I restarted one kafka broker this morning as usual, two hours later its copies still have not caught up and the dashboard is red",
    ),
  ],
  trap: [
    labelled(
      "kafka/consumer-group-lag",
      "replication lag? no: the group is 40 minutes behind its topic, the replicas are in sync",
    ),
    labelled(
      "kafka/log-directory-full-or-failed",
      "no space left on device on pvc of pod kafka-2, broker in CrashLoopBackOff",
    ),
    labelled(
      "kafka/under-replicated-partitions",
      "replication lag: one follower has been behind its leaders since the network change and does not catch up",
    ),
    labelled(
      "kafka/broker-down-or-not-starting",
      "container of the broker keeps restarting, exit code 1, nothing about memory",
    ),
  ],
};
