// Graded questions about the runbooks of hosts: disk, memory, CPU, network, clock, TLS, DNS.

import { type GradedQueries, labelled, plain } from "./seed-query.ts";

export const HOST_QUERIES: GradedQueries = {
  easy: [
    plain("host/filesystem-full-enospc", "NodeFilesystemAlmostOutOfSpace: / on vm-web-4 has 2 % left"),
    plain(
      "host/kernel-oom-killer",
      "kernel on vm-batch-2: Out of memory: Killed process 2211 (python3), oom_score_adj 0",
    ),
    plain("host/clock-not-synchronised", "NodeClockNotSynchronising on vm-db-1, chronyc tracking: Not synchronised"),
    plain("host/tls-certificate-expired-or-untrusted", "TLS certificate of shop.example.com expires in 3 days"),
    plain("host/dns-resolution-failing", "dig on vm-app-7: connection timed out; no servers could be reached"),
    plain("host/systemd-unit-failed", "Systemd service backup-sync.service has entered failed state at vm-nas-1:9100"),
    plain("host/high-load-cpu-steal", "HostHighCpuLoad: load average of vm-calc-3 is 64 on 8 cores"),
  ],
  medium: [
    labelled(
      "host/inodes-exhausted",
      "touch says No space left on device, df shows 60 % free, millions of tiny session files",
    ),
    labelled("host/high-load-cpu-steal", "top shows 35 % steal on the rented machine, everything on it crawls"),
    labelled(
      "host/disk-slow-or-failing",
      "processes sit in state D, CPU mostly waits for the storage, writes take half a second",
    ),
    labelled(
      "host/host-unreachable",
      "vm-mail-1 gives no answer, neither ping nor ssh, last sample of its exporter at 02:10",
    ),
    plain(
      "host/conntrack-table-full",
      "firewall machine drops new connections: nf_conntrack: table full, dropping packet",
    ),
    labelled(
      "host/filesystem-remounted-read-only",
      "all services on vm-files-1 complain that they cannot write, mount shows ro since the storage hiccup",
    ),
  ],
  hard: [
    labelled("host/clock-not-synchronised", "two-factor codes are rejected for everybody on the new machine only"),
    plain(
      "host/kernel-oom-killer",
      "the import job vanishes half way through, exit status 9, its own log ends in mid-sentence",
      "Feb 14 04:11:20 vm-batch-2 kernel: oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=/,mems_allowed=0,global_oom,task=importer,pid=7719",
    ),
    plain(
      "host/tls-certificate-expired-or-untrusted",
      "partner cannot call our API since midnight, nothing was deployed",
      "curl: (60) SSL certificate problem: certificate has expired",
    ),
    labelled(
      "host/dns-resolution-failing",
      "ssh to the machine takes 20 seconds to ask for the password, sudo hangs as well",
    ),
    labelled(
      "host/network-packet-loss",
      "downloads from this machine crawl at 2 MB/s since it was moved to the other rack, RX errors of eth0 go up",
    ),
    labelled("host/filesystem-full-enospc", "du adds up to 20 GB, df insists on 95 GB used"),
  ],
  misspelt: [
    plain("host/filesystem-full-enospc", "linux server disc ful, no spase left on root filesytem"),
    plain("host/tls-certificate-expired-or-untrusted", "ssl certifcate expird on the website"),
    plain("host/clock-not-synchronised", "server clok drift, ntp not sincronized"),
    labelled("host/dns-resolution-failing", "dns dosnt resolv on server, tempory failure in name resoluton"),
    plain("host/high-load-cpu-steal", "linux server hihg load avarage, cpu at 100"),
  ],
  codes: [
    labelled("host/filesystem-full-enospc", "ENOSPC"),
    labelled("host/too-many-open-files", "EMFILE"),
    plain("host/clock-not-synchronised", "NodeClockSkewDetected"),
    plain("host/tls-certificate-expired-or-untrusted", "CERT_HAS_EXPIRED"),
    labelled("host/filesystem-remounted-read-only", "EROFS"),
    plain("host/network-packet-loss", "NodeNetworkReceiveErrs"),
  ],
  "in passing": [
    plain(
      "host/filesystem-full-enospc",
      "the ftp server is full again, /var this time, I have removed what I dared to, what else can safely go on a plain linux box?",
    ),
    plain(
      "host/tls-certificate-expired-or-untrusted",
      "customer on the phone says the browser shows a big red warning about our certificate, did it run out?",
    ),
    plain(
      "host/clock-not-synchronised",
      "weird one: log lines of vm-app-3 are four minutes ahead of all the others, and logins with tokens fail there",
    ),
    plain(
      "host/high-load-cpu-steal",
      "could somebody look at vm-calc-3, fans are howling, typing in ssh takes ages, load of 70 or so",
    ),
  ],
  trap: [
    labelled(
      "host/filesystem-full-enospc",
      "images and logs of docker fill /var, no space left on device on the whole machine",
    ),
    labelled("host/kernel-oom-killer", "postgres backend terminated by signal 9: Killed, dmesg: Out of memory"),
    labelled(
      "host/dns-resolution-failing",
      "no pods here, plain VM: Temporary failure in name resolution for every internal name",
    ),
    labelled(
      "host/systemd-unit-failed",
      "service restarts until Start request repeated too quickly, no container involved",
    ),
    labelled("host/clock-not-synchronised", "tokens rejected by kube-apiserver: not valid yet, time of the VM is off"),
  ],
};
