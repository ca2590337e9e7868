// Podman domain: cues to recognise the domain and its incident types, and first commands for an unknown cause.

import { cue, type Domain } from "./domain.ts";

export const podman: Domain = {
  name: "podman",
  label: { key: "container_runtime", value: "podman" },
  cues: [
    cue(/\bpodman\b/, 3),
    cue(/\bquadlet\b|\bnetavark\b|\baardvark(-dns)?\b|\bslirp4netns\b|\bbuildah\b|\bsubuid\b|\bsubgid\b/, 3),
    cue(/\brootless\b|\bconmon\b|\bpasta\b/, 2),
  ],
  incidentTypes: [
    {
      name: "oom_killed",
      cues: [
        cue(/\b(exit(ed)?|code|status)\b[^\n]{0,20}\b137\b/, 3),
        cue(/\boom[- _]?kill|\bout of memory\b|\boomkilled\b/, 3),
        cue(/\bmemory limit\b|\btoo much memory\b|\bmemory\.max\b/, 2),
      ],
    },
    {
      name: "restart_loop",
      cues: [
        cue(/\bstart-limit-hit\b|\bstart request repeated too quickly\b|\brestart(ing)?[- ]loop|\bcrash[- ]?loop/, 3),
        cue(/\b(keeps|constantly|repeatedly) (restarting|crashing|exiting)|\brestarting\b/, 2),
      ],
    },
    {
      name: "rootless_permission",
      cues: [
        cue(
          /\bsub[ug]id\b|\bnewuidmap\b|\buser namespaces?\b|\binsufficient UIDs\b|\benough IDs\b|\bkeep-id\b|\blchown\b/,
          3,
        ),
        cue(/\bpermission denied\b|\brootless\b|\bEACCES\b/, 1),
      ],
    },
    { name: "selinux_denied", cues: [cue(/\bselinux\b|\bavc:?\s+denied\b|\bcontainer_file_t\b|\bausearch\b/, 3)] },
    {
      name: "systemd_unit",
      cues: [
        cue(/\bquadlet\b|\.container\b|\blinger\b|\bsystemctl --user\b|\bunit\b[^\n]{0,30}\bnot (be )?found\b/, 3),
        cue(/\blog(s|ged)?[- ]?out\b|\bsystemd\b|\bunit\b/, 2),
      ],
    },
    {
      name: "pod_failure",
      cues: [cue(/\binfra container\b|\bpodman pod\b|\bpod\b[^\n]{0,30}\bdegraded\b/, 3), cue(/\bpod\b/, 1)],
    },
    {
      name: "storage",
      cues: [
        cue(/\blayer not known\b|\bgraphroot\b|\bno space left on device\b|\boverlay\b|\bENOSPC\b/, 3),
        cue(/\bstorage\b|\bdisk (is )?full\b|\bpodman system (check|reset|prune)\b/, 2),
      ],
    },
    {
      name: "dns",
      cues: [
        cue(/\baardvark(-dns)?\b|\bname resolution\b|\bcould not resolve\b|\bEAI_AGAIN\b/, 3),
        cue(/\bno such host\b|\b(not|cannot|fail\w*) (to )?resolve\b|\bdns\b|\bnxdomain\b/, 2),
      ],
    },
    {
      name: "networking",
      cues: [
        cue(/\bnetavark\b|\bfirewalld?\b|\bslirp4netns\b|\bpasta\b|\bpublished port\b|\bnftables\b/, 3),
        cue(/\bconnection (refused|timed out|reset)|\bunreachable\b|\bnetwork\b/, 1),
      ],
    },
    {
      name: "image_pull",
      cues: [
        cue(/\bshort[- ]name\b|\bregistries\.conf\b|\bauth\.json\b|\bmanifest unknown\b|\btoomanyrequests\b/, 3),
        cue(/\b(pull|pulling)\b[^\n]{0,40}\bimage\b|\bimage\b[^\n]{0,40}\bpull|\bregistry\b/, 2),
      ],
    },
    { name: "api_socket", cues: [cue(/\bpodman\.sock(et)?\b|\bDOCKER_HOST\b|\bapi socket\b|\bunix socket\b/, 3)] },
  ],
  firstLooks: [
    { text: "See which containers stopped or restart, and with which exit code.", command: "podman ps --all" },
    {
      text: "Read why the container ended, and whether the kernel killed it.",
      command: "podman inspect --format '{{json .State}}' <container>",
    },
    { text: "Read the end of its log.", command: "podman logs --tail 100 --timestamps <container>" },
    { text: "See what happened in the last half hour.", command: "podman events --since 30m --stream=false" },
    { text: "See whether the unit that runs it failed.", command: "systemctl --user status <unit>" },
  ],
};
