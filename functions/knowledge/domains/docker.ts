// Docker domain: cues to recognise the domain and its incident types, and first commands for an unknown cause.

import { cue, type Domain } from "./domain.ts";

// The default domain: its cues only have to win against another domain's.
export const docker: Domain = {
  name: "docker",
  label: { key: "container_runtime", value: "docker" },
  cues: [
    cue(/\bdocker(d|file|-compose| compose)?\b/, 3),
    cue(/\b(docker\.sock|overlay2|containerd-shim|json-file)\b/, 3),
    cue(/\bcontainers?\b/, 1),
    // Alerts about Dejavu itself have no domain of their own: their runbooks are in the default domain.
    cue(/\bdejavu/, 3),
  ],
  incidentTypes: [
    {
      name: "oom_killed",
      cues: [
        cue(/\b(exit(ed)?|code|status)\b[^\n]{0,20}\b137\b/, 3),
        cue(/\boom[- _]?kill|\bout of memory\b|\boomkilled\b/, 3),
        cue(/\bsigkill\b|\bmemory limit\b|\btoo much memory\b/, 2),
      ],
    },
    {
      name: "restart_loop",
      cues: [
        cue(/\brestart(ing)?[- ]loop|\bcrash[- ]?loop|\brestarting \(\d+\)/, 3),
        cue(/\b(keeps|constantly|repeatedly) (restarting|crashing|exiting)|\brestart(s|ing|ed)\b/, 2),
        cue(/\bexit(ed)?( with)? (code|status) (1|2|126|127|139|143)\b/, 1),
      ],
    },
    {
      name: "logging",
      cues: [
        cue(/\bjson\.log\b|\blog(ging)?[- ](driver|rotation)\b/, 3),
        cue(/\blogs? (files? )?(is |are )?(growing|missing|empty|huge|too big|filling)|\bno logs?\b/, 2),
      ],
    },
    {
      name: "dns",
      cues: [
        cue(
          /\b127\.0\.0\.11\b|\bresolv\.conf\b|\bname resolution\b|\bcould not resolve\b|\bEAI_AGAIN\b|\bENOTFOUND\b/,
          3,
        ),
        cue(
          /\bno such host\b|\b(not|cannot|fail\w*) (to )?resolve\b|\bdns\b|\bnxdomain\b|\bservfail\b|\bunknown host\b/,
          2,
        ),
      ],
    },
    {
      name: "networking",
      cues: [
        cue(/\bdocker0\b|\biptables\b|\bno route to host\b|\bpublished port\b|\bbridge network\b/, 3),
        cue(/\bconnection (refused|timed out|reset)|\bunreachable\b|\bnetwork\b|\boutbound\b/, 1),
      ],
    },
    {
      name: "disk_full",
      cues: [
        cue(/\bno space left on device\b|\bENOSPC\b|\bdisk (is )?(full|pressure)|\binodes?\b/, 3),
        cue(/\/var\/lib\/docker\b|\bdisk (usage|space)\b|\bfilesystem\b/, 2),
      ],
    },
    {
      name: "image_pull",
      cues: [
        cue(/\btoomanyrequests\b|\bmanifest (unknown|for)\b|\bpull access denied\b|\bpull rate limit\b/, 3),
        cue(/\b(pull|pulling)\b[^\n]{0,40}\bimage\b|\bimage\b[^\n]{0,40}\bpull|\bregistry\b|\bx509\b/, 2),
      ],
    },
    {
      name: "health_check",
      cues: [cue(/\bunhealthy\b|\bhealth[- ]?checks?\b/, 3), cue(/\bhealth\b/, 1)],
    },
    {
      name: "daemon_down",
      cues: [
        cue(/\bcannot connect to the docker daemon\b|\bis the docker daemon running\b|\bdockerd\b/, 3),
        cue(/\bdocker daemon\b|\bdocker\.service\b|\bdocker\.sock\b/, 2),
      ],
    },
    {
      name: "port_conflict",
      cues: [
        cue(/\bport is already allocated\b|\baddress already in use\b|\bEADDRINUSE\b/, 3),
        cue(/\bport (conflict|clash)\b|\bport\b[^\n]{0,20}\bin use\b/, 2),
      ],
    },
    {
      name: "volume_permission",
      cues: [
        cue(
          /\b(volume|bind[- ]mount|mount)\b[^\n]{0,60}\bpermission|\bpermission denied\b[^\n]{0,60}\b(volume|mount|data)/,
          3,
        ),
        cue(/\bpermission denied\b|\bEACCES\b|\bread-only file system\b/, 2),
      ],
    },
    { name: "dejavu", cues: [cue(/\bdejavu/, 3)] },
  ],
  firstLooks: [
    { text: "See which containers stopped or restart, and with which exit code.", command: "docker ps --all" },
    {
      text: "Read why the container ended, and whether the kernel killed it.",
      command: "docker inspect --format '{{json .State}}' <container>",
    },
    { text: "Read the end of its log.", command: "docker logs --tail 100 --timestamps <container>" },
    { text: "See what happened on the host in the last half hour.", command: "docker events --since 30m --until 0s" },
    { text: "See whether the host is out of disk.", command: "df -h /var/lib/docker" },
  ],
};
