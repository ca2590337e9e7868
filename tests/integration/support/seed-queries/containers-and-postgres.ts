// Graded questions about the runbooks of Docker, Podman, Kubernetes and PostgreSQL.

import { type GradedQueries, labelled, plain } from "./seed-query.ts";

export const CONTAINER_AND_POSTGRES_QUERIES: GradedQueries = {
  easy: [
    labelled("docker/exit-137-out-of-memory", "Container exited with code 137, OOMKilled is true"),
    plain("docker/container-restart-loop", "docker ps shows Restarting (1) 5 seconds ago for payments-api"),
    plain("docker/port-already-allocated", "Bind for 0.0.0.0:8080 failed: port is already allocated"),
    plain("docker/host-disk-full", "no space left on device, /var/lib/docker is at 100%"),
    plain("docker/docker-daemon-down", "Cannot connect to the Docker daemon at unix:///var/run/docker.sock"),
    plain("docker/container-unhealthy", "docker compose up: dependency failed to start: container db is unhealthy"),
    plain("podman/quadlet-unit-not-generated", "Quadlet generator: unsupported key 'HealthCmdd' in group 'Container'"),
    plain("podman/pod-degraded", "podman pod ps shows the pod as Degraded"),
    plain("podman/storage-full-or-damaged", "podman: layer not known, storage may be corrupted"),
    plain("kubernetes/crash-loop-back-off", "Pod checkout-6d4b is in CrashLoopBackOff"),
    plain("kubernetes/pod-pending-failed-scheduling", "FailedScheduling: 0/5 nodes are available: 5 Insufficient cpu"),
    plain("kubernetes/node-not-ready", "Node ip-10-0-3-17 is NotReady, kubelet stopped posting node status"),
    plain(
      "kubernetes/pod-disruption-budget-blocks-drain",
      "kubectl drain: Cannot evict pod, would violate disruption budget",
    ),
    plain("kubernetes/volume-not-mounted", "Multi-Attach error for volume pvc-3f1c, FailedAttachVolume"),
    plain("postgres/deadlock-detected-40p01", "ERROR: deadlock detected on table orders"),
    plain("postgres/connection-slots-exhausted-53300", "FATAL: sorry, too many clients already"),
    plain("postgres/transaction-id-wraparound", "database is not accepting commands to avoid wraparound data loss"),
    plain("postgres/streaming-replication-lag", "Postgres replica: requested WAL segment has already been removed"),
  ],
  medium: [
    labelled("docker/exit-137-out-of-memory", "Memory of recommender hit its ceiling and the kernel ended the process"),
    plain("docker/image-pull-failure", "Deploy failed on 14 hosts, Docker Hub answers 429 to every pull"),
    labelled(
      "docker/container-logs-growing-or-missing",
      "One container wrote 80 GB of stdout since Friday, no rotation set",
    ),
    labelled(
      "docker/volume-permission-denied",
      "grafana cannot write to its data directory since the image was upgraded",
    ),
    labelled(
      "docker/container-dns-failure",
      "worker container can't find host redis by name, pinging the address works",
    ),
    labelled(
      "docker/container-networking-broken",
      "After reloading the firewall none of our containers is reachable from outside",
    ),
    labelled(
      "podman/logout-stops-rootless-containers",
      "All services of user deploy go down once the SSH session ends",
    ),
    labelled(
      "podman/selinux-volume-denied",
      "container gets EPERM on a mounted folder although chmod 777, AVC records in audit.log",
    ),
    labelled(
      "podman/rootless-permission-denied",
      "no entry in /etc/subuid for the new LDAP account, every image fails to unpack",
    ),
    plain(
      "podman/api-socket-unavailable",
      "docker-compose against podman says it can't talk to the daemon, podman ps is fine",
    ),
    labelled(
      "kubernetes/container-oomkilled-exit-137",
      "search-indexer restarted 6 times in 1h, last reason: memory limit reached",
    ),
    labelled("kubernetes/probe-failure", "Service has no ready endpoints, /healthz returns 503 on all pods"),
    labelled("kubernetes/hpa-not-scaling", "autoscaler stuck at max replicas while CPU is 95%"),
    labelled(
      "kubernetes/resource-quota-exceeded",
      "ReplicaSet cannot create pods, namespace team-a used up its memory allowance",
    ),
    labelled("kubernetes/stuck-rollout-progress-deadline", "helm upgrade timed out waiting for the condition"),
    plain(
      "kubernetes/cluster-dns-failure",
      "Half of the services in the cluster report lookup errors for internal names",
    ),
    labelled(
      "postgres/table-bloat-autovacuum",
      "events table doubled in size but the row count did not, dead rows above 40%",
    ),
    labelled(
      "postgres/blocked-ddl-lock-queue-55p03",
      "ALTER TABLE hangs since 10 minutes and all reads of users hang behind it",
    ),
    labelled("postgres/primary-down-failover", "writes fail with read-only transaction after last night's switch-over"),
    plain(
      "postgres/disk-full-pg-wal-53100",
      "archive_command keeps failing and the WAL directory grows by 2 GB an hour",
    ),
    labelled(
      "postgres/queries-suddenly-slow",
      "planner picks a sequential scan since the nightly import, p99 went from 20 ms to 4 s",
    ),
  ],
  hard: [
    labelled(
      "docker/exit-137-out-of-memory",
      "report-builder dies around noon every day, nothing in its log, it just stops",
      "2026-02-11T11:58:02Z INFO rendering page 812 of 4000\n2026-02-11T11:58:09Z INFO rendering page 813 of\nKilled",
    ),
    labelled("docker/container-networking-broken", "small requests are fine, uploads and TLS hang, only over the VPN"),
    labelled(
      "docker/host-disk-full",
      "builds fail everywhere on ci-07",
      "#14 exporting layers\n#14 ERROR: failed to solve: write /tmp/buildkit-mount: ENOSPC\nUse% 100% /",
    ),
    labelled(
      "docker/container-restart-loop",
      "new release never comes up, worked on my laptop (M2)",
      "standard_init_linux.go:228: exec user process caused: exec format error",
    ),
    labelled(
      "docker/container-dns-failure",
      "checkout throws errors since we changed VPN provider, recreated containers are ok",
      "Error: getaddrinfo EAI_AGAIN billing\n    at GetAddrInfoReqWrap.onlookup [as oncomplete]",
    ),
    labelled(
      "podman/logout-stops-rootless-containers",
      "server was rebooted at 3, app stayed away until I logged in to look",
    ),
    labelled(
      "podman/published-port-unreachable",
      "site answers with curl on the box itself, from anywhere else nothing",
    ),
    labelled("podman/systemd-restart-loop", "new container ID each time I look, logs say no such container"),
    labelled("podman/image-pull-failure", "registry login worked yesterday, after the reboot it is gone"),
    labelled(
      "kubernetes/pod-evicted-node-pressure",
      "pods moved by themselves to other nodes, old ones left with status Error",
      "The node was low on resource: ephemeral-storage. Threshold quantity: 2136092Ki, available: 1045212Ki.",
    ),
    labelled("kubernetes/cluster-dns-failure", "every outbound call takes exactly 5 seconds longer, sometimes 10"),
    labelled(
      "kubernetes/container-oomkilled-exit-137",
      "graph of the pod looks like a saw blade, customers see 502 at each drop",
    ),
    labelled(
      "kubernetes/pod-disruption-budget-blocks-drain",
      "node upgrade waits on one node for two hours, service itself is fine",
    ),
    labelled("kubernetes/volume-not-mounted", "statefulset pod sits in ContainerCreating after its node died"),
    labelled(
      "postgres/corrupted-index-xx002",
      "login by e-mail says user unknown but a full scan finds the row, since the OS upgrade",
    ),
    labelled(
      "postgres/backend-killed-out-of-memory-53200",
      "all clients were disconnected at once, ten seconds later it works again",
      "LOG:  server process (PID 31337) was terminated by signal 9: Killed\nLOG:  terminating any other active server processes",
    ),
    labelled("postgres/query-cancelled-57014", "the monthly report on the read replica is killed after 30 seconds"),
    labelled(
      "postgres/connection-slots-exhausted-53300",
      "after scaling from 10 to 40 instances nobody can log in any more",
    ),
    labelled(
      "postgres/data-corruption-invalid-page-xx001",
      "nightly dump stops at the same table every time since the power cut",
    ),
  ],
  misspelt: [
    plain("kubernetes/crash-loop-back-off", "pod in crashlopbackoff"),
    plain("postgres/connection-slots-exhausted-53300", "postgress conection slots all used"),
    labelled("kubernetes/image-pull-failure", "imagepulbackof in k8s"),
    labelled("docker/exit-137-out-of-memory", "contianer oom kiled, memmory limit"),
    plain("docker/docker-daemon-down", "canot conect to docker deamon"),
    plain("docker/host-disk-full", "no spce left on devise docker host"),
    plain("docker/port-already-allocated", "docker port alredy alocated"),
    plain("docker/container-unhealthy", "docker helthcheck fails, contaner unhealty"),
    plain("podman/rootless-permission-denied", "podman rotless permision denied subuid ranges"),
    plain("podman/quadlet-unit-not-generated", "podman quadlt unit not genrated"),
    labelled("kubernetes/pod-pending-failed-scheduling", "pod pendding, failedschedling insuficient memory"),
    plain("kubernetes/pod-evicted-node-pressure", "kubernetes pods evictd because of disk presure"),
    plain("kubernetes/node-not-ready", "k8s node notredy kublet not responding"),
    plain("postgres/deadlock-detected-40p01", "postgres dedlock detcted"),
    plain("postgres/streaming-replication-lag", "postgresql replicaton lagg on standy"),
    plain("postgres/transaction-id-wraparound", "postgres wraprond warning, vacum needed"),
  ],
  codes: [
    labelled("docker/exit-137-out-of-memory", "exit 137"),
    labelled("kubernetes/container-oomkilled-exit-137", "OOMKilled"),
    labelled("podman/exit-137-out-of-memory", "137"),
    labelled("docker/container-dns-failure", "EAI_AGAIN"),
    labelled("docker/port-already-allocated", "EADDRINUSE"),
    labelled("docker/host-disk-full", "ENOSPC"),
    labelled("docker/image-pull-failure", "toomanyrequests"),
    labelled("podman/systemd-restart-loop", "start-limit-hit"),
    labelled("podman/quadlet-unit-not-generated", "status=217/USER"),
    plain("kubernetes/stuck-rollout-progress-deadline", "ProgressDeadlineExceeded"),
    plain("kubernetes/image-pull-failure", "ErrImagePull"),
    labelled("kubernetes/volume-not-mounted", "FailedMount"),
    labelled("kubernetes/hpa-not-scaling", "FailedGetResourceMetric"),
    plain("postgres/connection-slots-exhausted-53300", "53300"),
    plain("postgres/deadlock-detected-40p01", "SQLSTATE 40P01"),
    plain("postgres/query-cancelled-57014", "57014"),
    plain("postgres/disk-full-pg-wal-53100", "53100"),
    plain("postgres/backend-killed-out-of-memory-53200", "SQLSTATE 57P02"),
    labelled("postgres/primary-down-failover", "25006"),
    plain("postgres/blocked-ddl-lock-queue-55p03", "55P03"),
    plain("postgres/data-corruption-invalid-page-xx001", "XX001"),
  ],
  "in passing": [
    labelled(
      "docker/exit-137-out-of-memory",
      "hey, since the deploy this morning the image resizer container gets killed with 137 whenever someone uploads a big tiff, any idea?",
    ),
    labelled(
      "docker/container-restart-loop",
      "sorry to bother you again, the mailer container on host 4 just keeps restarting over and over since I changed its env file",
    ),
    plain(
      "docker/image-pull-failure",
      "is anybody else seeing that docker pull says unauthorized: authentication required? was fine before lunch",
    ),
    plain(
      "docker/container-logs-growing-or-missing",
      "quick one: docker logs prints nothing at all for nginx but it is clearly serving, where do I look",
    ),
    plain(
      "podman/container-name-resolution",
      "so we moved the app over to podman and now web can't find db by its name any more, both are up though",
    ),
    plain(
      "podman/published-port-unreachable",
      "Paul ran firewall-cmd --reload a minute ago and I think that took our podman port 8443 off the net, can someone check",
    ),
    plain(
      "kubernetes/image-pull-failure",
      "morning all, new namespace is set up in the cluster but its pods get pull access denied, did we forget some secret there?",
    ),
    plain(
      "kubernetes/probe-failure",
      "our java pod in k8s is restarted again and again before it has finished booting, takes it about two minutes, liveness thing I guess",
    ),
    plain(
      "kubernetes/pod-pending-failed-scheduling",
      "we added the gpu taint last night and now nothing of team blue gets placed on any kubernetes node",
    ),
    plain(
      "kubernetes/hpa-not-scaling",
      "not sure whom to ask, kubectl get hpa says <unknown>/80% for all of ours since the metrics-server upgrade",
    ),
    plain(
      "postgres/blocked-ddl-lock-queue-55p03",
      "I started a small migration on the prod postgres and now the whole shop hangs, it only adds a column, should I kill it?",
    ),
    plain(
      "postgres/table-bloat-autovacuum",
      "finance left a transaction open over the weekend and now autovacuum seems to get nowhere on the ledger table",
    ),
    plain(
      "postgres/disk-full-pg-wal-53100",
      "we switched off the debezium connector last week, could that be why the postgres disk fills up with wal?",
    ),
    plain(
      "postgres/queries-suddenly-slow",
      "everything in postgres feels sluggish since we did pg_upgrade on sunday, no errors whatsoever",
    ),
  ],
  trap: [
    labelled("podman/image-pull-failure", "docker pull says toomanyrequests: You have reached your pull rate limit"),
    labelled("kubernetes/container-oomkilled-exit-137", "docker inspect reports OOMKilled true and ExitCode 137"),
    labelled("docker/exit-137-out-of-memory", "kubectl describe pod style output: Reason OOMKilled, Exit Code 137"),
    labelled("docker/container-restart-loop", "looks like a CrashLoopBackOff: exec format error right after start"),
    labelled("podman/systemd-restart-loop", "crash loop: container starts and exits, Restarting (1) again and again"),
    labelled("postgres/backend-killed-out-of-memory-53200", "container OOMKilled, exit code 137, pod postgres-0"),
    labelled(
      "postgres/disk-full-pg-wal-53100",
      "no space left on device in the database container, docker volume full",
    ),
    labelled(
      "kubernetes/crash-loop-back-off",
      "postgres pod keeps restarting, log ends with FATAL: data directory has wrong ownership",
    ),
    labelled("kubernetes/volume-not-mounted", "postgres data volume does not attach, database down"),
    labelled(
      "podman/container-name-resolution",
      "coredns or whatever it is called does not answer: Temporary failure in name resolution",
    ),
    labelled("docker/container-dns-failure", "SERVFAIL from kube-dns? no: 127.0.0.11 says no such host"),
    labelled("docker/volume-permission-denied", "avc: denied { write } on the bind mount, SELinux enforcing"),
    labelled("podman/storage-full-or-damaged", "/var/lib/docker full? no space left on device while pulling"),
    labelled(
      "kubernetes/pod-evicted-node-pressure",
      "docker host disk full, images and logs pile up in /var/lib/docker",
    ),
  ],
};
