// Kubernetes domain: cues to recognise the domain and its incident types, and first commands for an unknown cause.

import { cue, type Domain } from "./domain.ts";

export const kubernetes: Domain = {
  name: "kubernetes",
  label: { key: "container_runtime", value: "kubernetes" },
  cues: [
    cue(/\bkubectl\b|\bkubernetes\b|\bk8s\b|\bkube-?[a-z]+\b|\bkubelet\b/, 3),
    cue(/\bcrash ?loop ?back ?off\b|\bimagepullbackoff\b|\berrimagepull\b|\bcreatecontainerconfigerror\b/, 3),
    cue(
      /\bpoddisruptionbudget\b|\bpersistentvolumeclaim\b|\bfailedscheduling\b|\bprogressdeadlineexceeded\b|\bcoredns\b/,
      3,
    ),
    cue(/\b(replicaset|statefulset|daemonset|deployment|namespace|pvc|hpa|pdb)s?\b/, 2),
    cue(/\bpods?\b|\bnot ?ready\b|\bevicted\b|\breadiness\b|\bliveness\b/, 2),
    cue(/\bnodes?\b(?!\.js)|\bcluster\b|\brollout\b/, 1),
  ],
  incidentTypes: [
    {
      name: "oom_killed",
      cues: [
        cue(/\boom[- _]?kill(ed|ing)?\b|\bout of memory\b/, 3),
        cue(/\b(exit(ed)?|code|status)\b[^\n]{0,20}\b137\b/, 3),
        cue(/\bmemory limit\b|\btoo much memory\b/, 2),
      ],
    },
    {
      name: "image_pull",
      cues: [
        cue(/\bimagepullbackoff\b|\berrimagepull\b|\bimagepullsecrets?\b|\bmanifest unknown\b/, 3),
        cue(/\b(pull|pulling)\b[^\n]{0,40}\bimage\b|\bimage\b[^\n]{0,40}\bpull|\bregistry\b/, 2),
      ],
    },
    {
      name: "crash_loop",
      cues: [
        cue(/\bcrash ?loop ?back ?off\b|\bcrash[- ]?loop(ing)?\b|\bback-off restarting failed container\b/, 3),
        cue(/\bcrash(es|ed|ing)?\b|\bkeeps restarting\b|\brestarting\b|\brestart count\b/, 2),
      ],
    },
    {
      name: "eviction",
      cues: [
        cue(/\bevict(ed|ion|ing)\b|\b(disk|memory|pid)pressure\b|\bephemeral[- ]storage\b/, 3),
        cue(/\bnode was low on resource\b|\bpressure\b/, 2),
      ],
    },
    {
      name: "rollout_stuck",
      cues: [
        cue(
          /\bprogressdeadlineexceeded\b|\bexceeded its progress deadline\b|\bnot progressing\b|\brollout\b[^\n]{0,30}\b(stuck|stalled|hang|not)/,
          3,
        ),
        cue(/\brollout\b|\bdeployment (replicas )?mismatch\b|\bnew replica ?set\b/, 2),
      ],
    },
    {
      name: "quota_exceeded",
      cues: [cue(/\bexceeded quota\b|\bresource ?quotas?\b|\blimit ?range\b/, 3), cue(/\bquota\b|\bforbidden\b/, 2)],
    },
    {
      name: "disruption_budget",
      cues: [
        cue(/\bpoddisruptionbudget\b|\bpdb\b|\bdisruption budget\b/, 3),
        cue(/\bcannot evict pod\b|\bdrain(ing)?\b/, 3),
      ],
    },
    {
      name: "node_not_ready",
      cues: [
        cue(/\bnode\b[^\n]{0,40}\bnot[ -]?ready\b|\bkubelet stopped posting\b|\bPLEG\b/, 3),
        cue(/\bnot ?ready\b|\bnode\b[^\n]{0,20}\b(down|unreachable)\b|\bkubelet\b/, 2),
      ],
    },
    {
      name: "volume",
      cues: [
        cue(/\bpersistent ?volume( ?claim)?s?\b|\bpvcs?\b|\bfailedmount\b|\bfailedattachvolume\b|\bmulti-attach\b/, 3),
        cue(/\bvolumes?\b|\bmount\b|\bstorage ?class\b/, 2),
      ],
    },
    {
      name: "dns",
      cues: [
        cue(/\bcoredns\b|\bkube-dns\b|\bndots\b|\bname resolution\b|\bcould not resolve\b|\bEAI_AGAIN\b/, 3),
        cue(/\bdns\b|\bno such host\b|\b(not|cannot|fail\w*) (to )?resolve\b|\bnxdomain\b|\bservfail\b/, 2),
      ],
    },
    {
      name: "autoscaling",
      cues: [
        cue(/\bhpa\b|\bhorizontal ?pod ?autoscal/, 3),
        cue(/\bautoscal|\bmetrics-server\b|\bscal(e|ing)[- ](up|out|down)\b|\bnot scaling\b/, 2),
      ],
    },
    {
      name: "scheduling",
      cues: [
        cue(/\bfailedscheduling\b|\bunschedulable\b|\binsufficient (cpu|memory)\b|\btaints?\b|\bnode affinity\b/, 3),
        cue(/\bpending\b|\bschedul/, 2),
      ],
    },
    {
      name: "probe_failure",
      cues: [
        cue(/\b(liveness|readiness|startup)( ?probes?)?\b|\bprobe failed\b/, 3),
        cue(/\bprobes?\b|\bunhealthy\b|\bhealth ?checks?\b/, 2),
      ],
    },
  ],
  firstLooks: [
    {
      text: "See which pods are not ready, and how often they restarted.",
      command: "kubectl get pods --namespace <namespace> --output wide",
    },
    {
      text: "Read the events of the namespace, the newest last.",
      command: "kubectl get events --namespace <namespace> --sort-by=.lastTimestamp",
    },
    {
      text: "Read the pod's conditions, its containers' last state and its events.",
      command: "kubectl describe pod <pod> --namespace <namespace>",
    },
    {
      text: "Read what the container logged before it restarted.",
      command: "kubectl logs <pod> --namespace <namespace> --previous --tail=100",
    },
    { text: "See whether the nodes are ready.", command: "kubectl get nodes" },
  ],
};
