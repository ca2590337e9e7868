// Failure modes of Docker hosts for the incident families.

import type { FailureMode } from "./failure-mode.ts";

export const DOCKER_FAILURES: readonly FailureMode[] = [
  {
    name: "heap-over-limit",
    runbook: "docker/exit-137-out-of-memory.md",
    reports: [
      "{service} container exited with code 137",
      "JVM of {service} [gets|is] OOM killed {since}, limit is {mb}m",
      "ContainerOOMEvents: {service} on {host} hit its memory ceiling {n} times in 1h",
      "{service} [gone|down] again",
      "the heap of {service} grows past what we give the container, kernel shoots it every {n} minutes",
    ],
    logs: [
      "kernel: Memory cgroup out of memory: Killed process {pid} (java) total-vm:{big}kB\nkernel: oom-kill:constraint=CONSTRAINT_MEMCG,task=java",
      "Picked up JAVA_TOOL_OPTIONS: -Xmx{mb}m\nERROR container {id} died: exitCode=137 OOMKilled=true",
      "WARN heap usage {pct}% of max after full GC\nKilled",
    ],
    fixes: [
      "Set -XX:MaxRAMPercentage=70 so that the heap stays below the container limit",
      "Removed the fixed -Xmx and sized the JVM heap by the cgroup limit",
      "Heap was bigger than the container: lowered Xmx, raised mem_limit",
    ],
    lookAlikes: [
      {
        report: "{service} container exited with code 137 during the deploy",
        log: "Container {id} failed to exit within 10s of signal 15 - using the force\nERROR container died: exitCode=137 OOMKilled=false",
        fix: "It ignored SIGTERM: added a handler and stop_grace_period 40s",
      },
      {
        report: "{service} killed with 137 on {host}, other containers as well",
        log: "kernel: Out of memory: Killed process {pid} (ffmpeg)\nkernel: oom-kill:constraint=CONSTRAINT_NONE",
        fix: "Host was overcommitted by a batch job without a limit; gave it one",
      },
    ],
  },
  {
    name: "pull-rate-limit",
    runbook: "docker/image-pull-failure.md",
    reports: [
      "image pull fails with toomanyrequests for {service}",
      "Docker Hub throttles us, [deploys|rollouts] of {service} stuck on {host}",
      "HTTP 429 from registry-1.docker.io while pulling {service}:{version}",
      "deploy of {service} [red|broken] {since}",
      "all runners behind the NAT ran into the anonymous pull quota, {service} can't be updated",
    ],
    logs: [
      "Error response from daemon: toomanyrequests: You have reached your unauthenticated pull rate limit.",
      "ERROR pulling layer {id}: received unexpected HTTP status: 429 Too Many Requests\nERROR deploy step pull failed",
    ],
    fixes: [
      "docker login on every host with the service account, so pulls are not anonymous",
      "Put a pull-through cache in front of Docker Hub",
      "Authenticated pulls plus registry mirror in daemon.json",
    ],
    lookAlikes: [
      {
        report: "image pull fails with unauthorized for {service}",
        log: "Error response from daemon: unauthorized: authentication required\nERROR no basic auth credentials",
        fix: "The ECR token was older than 12 hours; installed the credential helper",
      },
      {
        report: "pull of {service}:{version} from the registry fails on {host}",
        log: "Error response from daemon: manifest for {service}:{version} not found: manifest unknown",
        fix: "The build had failed and the tag never existed; pushed it",
      },
    ],
  },
  {
    name: "arch-mismatch",
    runbook: "docker/container-restart-loop.md",
    reports: [
      "{service} stuck in a restart loop, exec format error",
      "{service} {version} doesn't start on the new arm hosts",
      "ContainerRestarting {service} {n} restarts in 10m on {host} (graviton)",
      "{service} [keeps restarting|bounces] after the release",
      "image of {service} was built on somebody's laptop and is for the wrong CPU",
    ],
    logs: [
      "exec /usr/local/bin/entrypoint: exec format error",
      "standard_init_linux.go:228: exec user process caused: exec format error\nERROR container die exitCode=255",
    ],
    fixes: ["Rebuilt the image for linux/amd64 and linux/arm64 with buildx", "Published a multi-platform image"],
    lookAlikes: [
      {
        report: "{service} stuck in a restart loop right after start",
        log: "exec /entrypoint.sh: no such file or directory\nERROR container die exitCode=127",
        fix: "Entrypoint script had Windows line endings; converted to LF",
      },
      {
        report: "{service} keeps restarting after the release on {host}",
        log: "FATAL config: required variable PAYMENT_URL is not set\nERROR container die exitCode=1",
        fix: "The env file lacked PAYMENT_URL; added it",
      },
    ],
  },
  {
    name: "images-pile-up",
    runbook: "docker/host-disk-full.md",
    reports: [
      "no space left on device on {host}, /var/lib/docker at {pct}%",
      "NodeFilesystemAlmostOutOfSpace {host} ({pct}% of overlay2)",
      "can't deploy {service}, host disk is full of old images",
      "{service} won't start on {host}",
      "{n} hundred dangling image versions eat the disk of {host}",
    ],
    logs: [
      "failed to register layer: write /usr/lib/libicudata.so: no space left on device",
      "docker system df: Images {n}00 active 12 size {big}MB reclaimable ({pct}%)\nERROR ENOSPC while extracting layer {id}",
    ],
    fixes: [
      "docker image prune --all --filter until=168h, scheduled nightly from now on",
      "Removed unused images and put the prune into cron",
    ],
    lookAlikes: [
      {
        report: "no space left on device on {host}, /var/lib/docker filling up",
        log: "du: {big}MB /var/lib/docker/containers/{id}/{id}-json.log\nERROR ENOSPC",
        fix: "A container log without rotation; set max-size and max-file",
      },
      {
        report: "disk of {host} full, df and du disagree",
        log: "lsof +L1: {service} {pid} deleted {big}MB\nERROR write: no space left on device",
        fix: "A deleted file was kept open; restarted the process that held it",
      },
    ],
  },
  {
    name: "no-log-rotation",
    runbook: "docker/container-logs-growing-or-missing.md",
    reports: [
      "json.log of {service} is {n} GB and growing",
      "{service} floods stdout, container log file has no limit on {host}",
      "log driver json-file: file of {service} over threshold ({big} MB)",
      "{host} loses {pct}% of disk per hour because of {service}",
      "someone left debug on in {service} {since} and nothing rotates the container's output",
    ],
    logs: [
      "DEBUG {service} cache miss key={id}\nDEBUG {service} cache miss key={id}x\nWARN /var/lib/docker/containers/{id}-json.log size={big}M",
      "WARN LogConfig json-file without max-size, file is {big}MB",
    ],
    fixes: [
      "Set max-size=50m and max-file=3 in daemon.json and recreated the container",
      "Log level back to info, rotation switched on for the json-file driver",
    ],
    lookAlikes: [
      {
        report: "docker logs of {service} show nothing, log file is empty on {host}",
        log: "WARN configured logging driver does not support reading",
        fix: "The remote driver had its cache disabled; enabled it again",
      },
      {
        report: "{service} hangs when it writes to its container log",
        log: "ERROR fluentd logger: connect: connection refused, buffer full\nWARN write to stdout blocked {n}s",
        fix: "Collector was slow: switched the log driver to mode=non-blocking",
      },
    ],
  },
  {
    name: "default-bridge-dns",
    runbook: "docker/container-dns-failure.md",
    reports: [
      "{service} cannot resolve hostname of its database container",
      "getaddrinfo ENOTFOUND db in {service} {since}",
      "name lookup of peers fails in {service}, addresses are fine",
      "{service} [errors|500s] after we started it by hand on {host}",
      "containers outside of compose can't find each other by name, {service} among them",
    ],
    logs: [
      "Error: getaddrinfo ENOTFOUND db\nresolv.conf: nameserver 10.0.0.2",
      'could not translate host name "db" to address: Name or service not known\nWARN network mode: bridge (default)',
    ],
    fixes: [
      "Attached both containers to one user-defined network",
      "It ran on the default bridge, which has no name service: moved it to the app network",
    ],
    lookAlikes: [
      {
        report: "{service} cannot resolve hostnames, neither peers nor the internet",
        log: "dockerd: [resolver] failed to query external DNS server: read udp 10.0.0.2:53: i/o timeout",
        fix: "The upstream DNS server was down; listed a second one in daemon.json",
      },
      {
        report: "getaddrinfo EAI_AGAIN in {service} since the VPN reconnected",
        log: "Error: getaddrinfo EAI_AGAIN api.stripe.com\nWARN resolv.conf lists 172.20.0.1 which is gone",
        fix: "Stale resolver of the old VPN; restarted the container",
      },
    ],
  },
  {
    name: "firewall-flush",
    runbook: "docker/container-networking-broken.md",
    reports: [
      "published port {port} of {service} is unreachable after firewall reload",
      "iptables: DOCKER chain is missing on {host}, {service} [cut off|offline]",
      "probe of {service}:{port} times out, all containers of {host} affected",
      "{service} not reachable from outside",
      "Ansible run restarted firewalld on {host} and since then nothing gets to our containers",
    ],
    logs: [
      "driver failed programming external connectivity on endpoint {service}: iptables: No chain/target/match by that name",
      "firewalld[{pid}]: reload\nERROR iptables -t nat -L DOCKER: No chain/target/match by that name",
    ],
    fixes: [
      "Restarted docker so that it writes its chains anew; firewall script keeps them now",
      "systemctl restart docker after each firewall reload",
    ],
    lookAlikes: [
      {
        report: "published port {port} of {service} is unreachable from other hosts",
        log: "ss: LISTEN 127.0.0.1:{port} users:(({service}))\nWARN connection refused from 10.1.4.7",
        fix: "The program listened on loopback inside the container; bound it to 0.0.0.0",
      },
      {
        report: "containers of {host} lost their network after hardening, {service} too",
        log: "WARNING: IPv4 forwarding is disabled. Networking will not work.",
        fix: "A sysctl file had set net.ipv4.ip_forward=0; set it to 1",
      },
    ],
  },
  {
    name: "leftover-port",
    runbook: "docker/port-already-allocated.md",
    reports: [
      "Bind for 0.0.0.0:{port} failed: port is already allocated ({service})",
      "{service} stays in Created, its port is taken by the old release",
      "deploy {service} {version}: address already in use {port}",
      "{service} didn't come up after the compose project was renamed",
      "an orphan of the former stack still holds {port} so the new {service} can't bind",
    ],
    logs: [
      "Error response from daemon: driver failed programming external connectivity: Bind for 0.0.0.0:{port} failed: port is already allocated",
      "docker ps --filter publish={port}: old_{service}_1 Up {n} days\nERROR failed to bind host port 0.0.0.0:{port}/tcp",
    ],
    fixes: [
      "Removed the leftover container, deploys use --remove-orphans now",
      "docker rm -f of the old release's container; project name is fixed in the compose file",
    ],
    lookAlikes: [
      {
        report: "Bind for 0.0.0.0:{port} failed for {service}: address already in use",
        log: 'ss: LISTEN 0.0.0.0:{port} users:(("nginx",pid={pid}))',
        fix: "An nginx of the host listened there; disabled the host service",
      },
      {
        report: "{service} port {port} already in use, only now and then",
        log: "ss: ESTAB 10.0.0.4:{port} 10.2.0.9:443\nERROR failed to bind host port {port}",
        fix: "An outgoing connection used the port; reserved it in ip_local_reserved_ports",
      },
    ],
  },
  {
    name: "uid-mismatch",
    runbook: "docker/volume-permission-denied.md",
    reports: [
      "{service}: permission denied on its data volume",
      "EACCES open /data/state.db in {service} since image {version}",
      "{service} can't write to the bind mount, runs as uid {n} now",
      "{service} crashes on start after the base image update",
      "new image of {service} drops root and the files on {host} still belong to the old user",
    ],
    logs: [
      "Error: EACCES: permission denied, open '/data/state.db'",
      "[Errno 13] Permission denied: '/data/wal'\nINFO running as uid={n} gid={n}",
    ],
    fixes: [
      "chown of the volume to the image's new user id",
      "Pinned the uid in the image and changed the owner of the mounted directory",
    ],
    lookAlikes: [
      {
        report: "{service}: permission denied on its data volume on the RHEL host",
        log: "audit: avc: denied { write } for comm={service} tcontext=user_home_t",
        fix: "SELinux label was missing; mounted with :Z",
      },
      {
        report: "{service} can't write to its volume any more",
        log: "EROFS: read-only file system, open '/data/state.db'\nkernel: EXT4-fs error, remounting filesystem read-only",
        fix: "The disk had failed and was remounted read-only; replaced the disk",
      },
    ],
  },
  {
    name: "daemon-json",
    runbook: "docker/docker-daemon-down.md",
    reports: [
      "Docker daemon down on {host}",
      "Cannot connect to the Docker daemon on {host} after a config change",
      "dockerd fails to start ({host}), unit in failed state",
      "all containers of {host} incl. {service} are gone since the maintenance",
      "a trailing comma in daemon.json keeps docker from coming up on {host}",
    ],
    logs: [
      "unable to configure the Docker daemon with file /etc/docker/daemon.json: invalid character '}' looking for beginning of object key string",
      "dockerd[{pid}]: daemon.json: invalid character\ndocker.service: Start request repeated too quickly.",
    ],
    fixes: [
      "Corrected the JSON in /etc/docker/daemon.json and started docker",
      "Reverted the broken daemon.json; CI validates it now",
    ],
    lookAlikes: [
      {
        report: "Docker daemon down on {host} after the upgrade",
        log: 'failed to dial "/run/containerd/containerd.sock": connect: no such file or directory',
        fix: "containerd was not running; started containerd.service first",
      },
      {
        report: "Cannot connect to the Docker daemon on {host} as user ci",
        log: "permission denied while trying to connect to the Docker daemon socket",
        fix: "The user was not allowed to open the socket; runs with sudo",
      },
    ],
  },
  {
    name: "probe-tool-missing",
    runbook: "docker/container-unhealthy.md",
    reports: [
      "{service} container is unhealthy since the slim image",
      "health check of {service} exits 127",
      "compose: dependency failed to start, {service} is unhealthy ({version})",
      "{service} marked red on {host} though it serves traffic",
      "switching {service} to alpine took curl away and with it the healthcheck",
    ],
    logs: [
      "Health check: /bin/sh: curl: not found",
      'OCI runtime exec failed: exec: "curl": executable file not found in $PATH\nhealth_status: unhealthy',
    ],
    fixes: ["Probe uses the app's own healthcheck command instead of curl", "Installed curl in the slim image again"],
    lookAlikes: [
      {
        report: "{service} container is unhealthy for the first minutes",
        log: "Health check exceeded timeout (30s)\nINFO warming caches {pct}%",
        fix: "Slow start: set start_period to 120s",
      },
      {
        report: "{service} unhealthy together with all its siblings",
        log: "Health check: GET /health 503 database unavailable",
        fix: "The probe checked the database; it tests only the process now",
      },
    ],
  },
];
