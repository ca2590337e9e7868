// Failure modes of Podman hosts for the incident families.

import type { FailureMode } from "./failure-mode.ts";

export const PODMAN_FAILURES: readonly FailureMode[] = [
  {
    name: "linger-off",
    runbook: "podman/logout-stops-rootless-containers.md",
    reports: [
      "rootless {service} stops when the deploy user logs out",
      "all containers of user svc-{n} [die|vanish] after the ssh session ends on {host}",
      "{service} down after reboot of {host} until somebody logs in",
      "{service} [gone|away] every evening",
      "nobody enabled lingering for the account that runs {service}",
    ],
    logs: [
      "systemd[1]: Stopping User Manager for UID {n}...\nsystemd[1]: Removed slice user-{n}.slice",
      "WARN The cgroupv2 manager is set to systemd but there is no systemd user session available\nhint: loginctl enable-linger {n}",
    ],
    fixes: ["loginctl enable-linger for the service account", "Enabled linger in the playbook that makes the account"],
    lookAlikes: [
      {
        report: "rootless {service} does not come back after reboot of {host}",
        log: "systemctl --user is-enabled podman-restart.service: disabled",
        fix: "podman-restart.service was off for the user; enabled it",
      },
      {
        report: "{service} stops when the session of user svc-{n} ends although linger is on",
        log: "podman: Falling back to --cgroup-manager=cgroupfs\nsystemd: session-{n}.scope: Killing process {pid} (conmon)",
        fix: "Started under su without a user bus; use machinectl shell instead",
      },
    ],
  },
  {
    name: "subuid-missing",
    runbook: "podman/rootless-permission-denied.md",
    reports: [
      "podman pull of {service} fails: no subuid ranges found",
      "potentially insufficient UIDs or GIDs for user svc-{n} on {host}",
      "new LDAP account can't unpack any image ({service})",
      "{service} deploy fails on {host} for the new user",
      "nobody put the account of {service} into /etc/subuid and /etc/subgid",
    ],
    logs: [
      'Error: cannot find UID/GID for user svc-{n}: no subuid ranges found for user "svc-{n}" in /etc/subuid',
      "Error: lchown /etc/gshadow: invalid argument\nhint: potentially insufficient UIDs or GIDs available in user namespace",
    ],
    fixes: [
      "Added ranges for the account to /etc/subuid and /etc/subgid, then podman system migrate",
      "usermod --add-subuids 100000-165535 and migrate",
    ],
    lookAlikes: [
      {
        report: "podman start of {service} fails with a uid map error on {host}",
        log: "newuidmap: write to uid_map failed: Operation not permitted",
        fix: "newuidmap had lost its capability in a restore; reinstalled shadow-utils",
      },
      {
        report: "{service}: permission denied on its mount for user svc-{n}",
        log: "ls: /srv/{service} owner 100998\nError: EACCES: permission denied, mkdir '/srv/{service}/tmp'",
        fix: "Container user differs from the owner; userns keep-id",
      },
    ],
  },
  {
    name: "selinux-no-label",
    runbook: "podman/selinux-volume-denied.md",
    reports: [
      "SELinux denies {service} access to its volume",
      "avc: denied for {service} on {host}, mode bits are right",
      "permission denied in {service} even as root, only with enforcing",
      "{service} can't read its config on {host}",
      "mount of {service} lacks the :Z option and policy blocks it",
    ],
    logs: [
      'type=AVC msg=audit: avc:  denied  { read write } for pid={pid} comm="{service}" scontext=container_t tcontext=user_home_t',
      'audit[{pid}]: AVC avc: denied { open } path="/srv/{service}/conf.yaml" tcontext=default_t permissive=0',
    ],
    fixes: ["Mounted with :Z, label is container_file_t now", "Added :z to the shared mount"],
    lookAlikes: [
      {
        report: "SELinux denies {service} its volume since a second container uses it",
        log: "avc: denied { read } scontext=s0:c12,c{n} tcontext=container_file_t:s0:c44,c{n}",
        fix: "Both used :Z on one directory; changed to :z",
      },
      {
        report: "SELinux blocks {service} on the podman socket",
        log: "avc: denied { connectto } tclass=unix_stream_socket scontext=container_t",
        fix: "A socket, not a volume: label=disable for that container",
      },
    ],
  },
  {
    name: "short-name",
    runbook: "podman/image-pull-failure.md",
    reports: [
      "podman image pull of {service} fails: short-name did not resolve",
      "unit of {service} can't pull, no unqualified-search registries on {host}",
      "short-name resolution enforced, no TTY ({service}:{version})",
      "{service} unit fails at the first start on {host}",
      "the quadlet of {service} names its image without a registry",
    ],
    logs: [
      'Error: short-name "{service}:{version}" did not resolve to an alias and no unqualified-search registries are defined',
      "Error: short-name resolution enforced but cannot prompt without a TTY",
    ],
    fixes: ["Wrote the full image name with its registry", "Fully qualified Image= in the quadlet file"],
    lookAlikes: [
      {
        report: "podman image pull of {service} fails after the reboot of {host}",
        log: "Error: unauthorized: authentication required\nWARN /run/user/{n}/containers/auth.json: no such file",
        fix: "The login lived on tmpfs; logged in with an authfile in the home directory",
      },
      {
        report: "podman can't pull {service}:{version} from the internal registry",
        log: "Error: pinging container registry: tls: x509: certificate signed by unknown authority",
        fix: "Installed the CA under /etc/containers/certs.d",
      },
    ],
  },
  {
    name: "quadlet-key",
    runbook: "podman/quadlet-unit-not-generated.md",
    reports: [
      "Unit {service}.service not found although the quadlet file exists",
      "quadlet drops {service}.container: unsupported key",
      "systemctl start {service} on {host}: unit not found",
      "{service} is absent after the rollout to {host}",
      "older podman on {host} doesn't know an option in our .container file",
    ],
    logs: [
      "quadlet-generator[{pid}]: converting \"{service}.container\": unsupported key 'ReloadCmd' in group 'Container'",
      "Failed to start {service}.service: Unit {service}.service not found.",
    ],
    fixes: [
      "Moved the unknown option to PodmanArgs=, unit is generated again",
      "Upgraded podman; the key was too new for it",
    ],
    lookAlikes: [
      {
        report: "quadlet unit {service}.service fails at its first start",
        log: "{service}.service: start operation timed out. Terminating.\n{service}.service: Failed with result 'timeout'.",
        fix: "The image pull took longer than 90 s; TimeoutStartSec=900",
      },
      {
        report: "quadlet unit of {service} not generated for the user on {host}",
        log: "ls ~/.config/systemd/user/{service}.container\nFailed to start {service}.service: Unit {service}.service not found.",
        fix: "The file lay in the wrong directory; moved to ~/.config/containers/systemd",
      },
    ],
  },
  {
    name: "firewalld-reload",
    runbook: "podman/published-port-unreachable.md",
    reports: [
      "published port {port} of {service} unreachable after firewall-cmd --reload",
      "netavark rules are gone on {host}, no route to host for {service}",
      "blackbox probe {service}:{port} fails {since}, firewalld was restarted",
      "{service} not reachable any more, container runs",
      "each time the firewall is reloaded on {host} our forwards disappear",
    ],
    logs: [
      "firewalld[{pid}]: reloaded\ncurl: (7) Failed to connect to {host} port {port}: No route to host",
      "nft list table inet netavark: Error: No such file or directory\nWARN port {port} not forwarded",
    ],
    fixes: ["Enabled netavark-firewalld-reload.service", "podman network reload --all, and the reload unit is on now"],
    lookAlikes: [
      {
        report: "published port {port} of rootless {service} unreachable from other machines",
        log: "curl 127.0.0.1:{port}: 200 OK\nfirewall-cmd --query-port={port}/tcp: no",
        fix: "Port was closed in the zone; added it permanently",
      },
      {
        report: "port of {service} not published since the upgrade of {host}",
        log: "Error: could not find pasta, the network namespace can't be configured",
        fix: "Installed the package passt",
      },
    ],
  },
  {
    name: "default-network-names",
    runbook: "podman/container-name-resolution.md",
    reports: [
      "{service} cannot resolve the name of its neighbour under podman",
      "Name or service not known: db ({service} on {host})",
      "container names don't resolve on the default network, {service} affected",
      "{service} fails to connect since we left docker",
      "podman's standard network has no DNS so {service} can't look db up",
    ],
    logs: [
      'psycopg.OperationalError: could not translate host name "db" to address: Name or service not known',
      'getaddrinfo ENOTFOUND cache\npodman network inspect podman: "dns_enabled": false',
    ],
    fixes: [
      "Created a network with podman network create and attached both containers",
      "Moved the stack from the default to a named network",
    ],
    lookAlikes: [
      {
        report: "{service} on {host} does not start, name resolution helper fails",
        log: "Error: netavark: aardvark-dns failed to start: failed to bind udp listener on 10.89.0.1:53",
        fix: "dnsmasq held port 53; set dns_bind_port",
      },
      {
        report: "{service} resolves container names but no public ones",
        log: "aardvark-dns[{pid}]: dns request failed: request timed out (api.github.com)",
        fix: "The host's resolver was broken; repaired /etc/resolv.conf",
      },
    ],
  },
  {
    name: "start-limit",
    runbook: "podman/systemd-restart-loop.md",
    reports: [
      "{service}.service start-limit-hit, stays down",
      "systemd gave up on {service} ({host}): Start request repeated too quickly",
      "name of {service} already in use, unit exits 125 in a loop",
      "{service} unit failed on {host}",
      "a stale container blocks the unit of {service}, systemd tried {n} times and stopped",
    ],
    logs: [
      'Error: creating container storage: the container name "{service}" is already in use by {id}\n{service}.service: Main process exited, code=exited, status=125/n/a',
      "{service}.service: Start request repeated too quickly.\n{service}.service: Failed with result 'start-limit-hit'.\nError: the container name \"{service}\" is already in use",
    ],
    fixes: [
      "Removed the stale container, added --replace to the unit",
      "podman rm -f, systemctl reset-failed; unit uses --replace now",
    ],
    lookAlikes: [
      {
        report: "{service}.service start-limit-hit on {host} after the release",
        log: "FATAL missing DATABASE_URL\n{service}.service: Main process exited, code=exited, status=1/FAILURE",
        fix: "A variable was missing in the EnvironmentFile; added it",
      },
      {
        report: "{service} unit restarts for ever, systemd counter at {n}",
        log: "{service}.service: Deactivated successfully.\n{service}.service: Scheduled restart job, restart counter is at {n}.",
        fix: "Main process forks to the background and ends with 0; runs in the foreground now",
      },
    ],
  },
  {
    name: "storage-layer",
    runbook: "podman/storage-full-or-damaged.md",
    reports: [
      "podman: layer not known when starting {service}",
      "container storage of {host} may be corrupted after power loss",
      "{service} image exists but may be corrupted ({host})",
      "{service} won't start since {host} crashed",
      "interrupted pull left half a layer behind, {service} is unusable",
    ],
    logs: [
      'Error: layer not known\nWARN Can\'t read link "/var/lib/containers/storage/overlay/l/{id}" because it does not exist. A storage corruption might have occurred',
      "Error: Image {service} exists in local storage but may be corrupted (remove the image to resolve the issue): layer {id} not found in layer tree",
    ],
    fixes: [
      "podman system check --repair, then pulled the image anew",
      "Removed the damaged image and pulled it again",
    ],
    lookAlikes: [
      {
        report: "podman storage error on {host} when starting {service}",
        log: 'User-selected graph driver "overlay" overwritten by graph driver "vfs" from database',
        fix: "storage.conf had been edited; restored the old driver",
      },
      {
        report: "podman pull of {service} fails half way, storage seems fine",
        log: "Error: writing blob: /var/tmp/storage{n}: no space left on device",
        fix: "/var/tmp was too small; TMPDIR points to the big disk",
      },
    ],
  },
  {
    name: "socket-not-enabled",
    runbook: "podman/api-socket-unavailable.md",
    reports: [
      "Cannot connect to podman.sock for {service} on {host}",
      "docker-compose up of {service}: is the docker daemon running (podman host)",
      "unable to connect to Podman socket, CI job {service}",
      "{service} pipeline fails on {host}",
      "nobody switched the API socket on for the account that builds {service}",
    ],
    logs: [
      "Cannot connect to the Docker daemon at unix:///run/user/{n}/podman/podman.sock. Is the docker daemon running?",
      "unable to connect to Podman socket: dial unix /run/user/{n}/podman/podman.sock: connect: no such file or directory",
    ],
    fixes: ["systemctl --user enable --now podman.socket", "Enabled podman.socket for the CI account"],
    lookAlikes: [
      {
        report: "Cannot connect to podman.sock from {service} on {host}",
        log: "dial unix /run/podman/podman.sock: connect: permission denied",
        fix: "It used root's socket; pointed it at the owner's",
      },
      {
        report: "podman socket of {host} dead, clients of {service} refused",
        log: "podman.socket: Trigger limit hit, refusing further activation.\nError: invalid configuration in containers.conf",
        fix: "A bad containers.conf failed each activation; repaired it",
      },
    ],
  },
];
