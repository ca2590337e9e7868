// Descriptions, listings and dumps of objects.

import type { Sample } from "./sample.ts";

const POD = (state: string, events: string) => `Name:             api-7f9c6d5b8-x2x9z
Namespace:        shop
Node:             node-2/10.0.0.2
Labels:           app=api
                  error-budget=strict
Annotations:      checksum/config: failed0invalid
Status:           Running
Containers:
  api:
    Image:          registry.example/shop/api:1.4
${state}
    Liveness:       http-get http://:8080/healthz delay=10s timeout=1s period=10s #success=1 #failure=3
    Environment:
      ERROR_REPORTING_TIMEOUT:  30
Conditions:
  Type              Status
  Initialized       True
  Ready             False
  PodScheduled      True
QoS Class:                   Burstable
Node-Selectors:              <none>
Tolerations:                 node.kubernetes.io/not-ready:NoExecute op=Exists for 300s
                             node.kubernetes.io/unreachable:NoExecute op=Exists for 300s
Events:
  Type     Reason     Age                From               Message
  ----     ------     ----               ----               -------
${events}`;

export const OBJECT_SAMPLES: readonly Sample[] = [
  {
    name: "a described pod that was killed",
    headline: "Pod is crash looping",
    target: "api-7f9c6d5b8-x2x9z",
    logs: POD(
      `    State:          Waiting
      Reason:       CrashLoopBackOff
    Last State:     Terminated
      Reason:       OOMKilled
      Exit Code:    137
    Ready:          False
    Restart Count:  6`,
      `  Normal   Pulled     2m                 kubelet            Successfully pulled image "api:1.4"
  Warning  BackOff    1m (x9 over 2m)    kubelet            Back-off restarting failed container api in pod api-7f9c6d5b8-x2x9z`,
    ),
    decisive: ["OOMKilled", "Exit Code:    137", "Back-off restarting"],
    absent: ["NoExecute", "#failure", "error-budget", "checksum", "ERROR_REPORTING", "Successfully", "Initialized"],
  },
  {
    name: "a described pod that cannot mount",
    target: "api",
    logs: POD(
      "    State:          Waiting\n      Reason:       ContainerCreating",
      `  Warning  FailedMount  12s (x7 over 3m)  kubelet  MountVolume.SetUp failed for volume "tls" : secret "api-tls" not found`,
    ),
    decisive: ['secret "api-tls" not found'],
    absent: ["NoExecute"],
  },
  {
    name: "a described pod whose probe fails",
    target: "api",
    logs: POD(
      "    State:          Running\n    Last State:     Terminated\n      Reason:       Error\n      Exit Code:    143",
      `  Warning  Unhealthy  12s (x7 over 3m)  kubelet  Liveness probe failed: Get "http://10.0.2.7:8080/healthz": dial tcp 10.0.2.7:8080: connect: connection refused
  Normal   Killing    11s               kubelet  Container api failed liveness probe, will be restarted`,
    ),
    decisive: ["connect: connection refused"],
  },
  {
    name: "an event that names its fault in other words",
    target: "worker",
    logs: `LAST SEEN   TYPE      REASON             OBJECT            MESSAGE
3m          Normal    Scheduled          pod/cache-0       Successfully assigned shop/cache-0 to node-1
2m          Warning   FailedScheduling   pod/worker-5d8    0/3 nodes are available: 3 Insufficient memory.
1m          Warning   BackOff            pod/mailer-9f7    Back-off pulling image "mailer:9"`,
    decisive: ["3 Insufficient memory"],
    absent: ["mailer", "cache-0"],
  },
  {
    name: "a listing in which others fail",
    target: "checkout",
    logs: `NAME                      READY   STATUS             RESTARTS   AGE
checkout-6c8d9f-abcde     0/1     ErrImagePull       0          2m
mailer-9f7d5c-zzzzz       0/1     CrashLoopBackOff   41         3h
cache-0                   1/1     Running            0          9d`,
    decisive: ["checkout-6c8d9f-abcde"],
    absent: ["mailer", "cache-0", "READY"],
  },
  {
    name: "a listing without a target",
    logs: `NAMESPACE   NAME                  READY   STATUS             RESTARTS   AGE
shop        mailer-9f7d5c-zzzzz   0/1     CrashLoopBackOff   41         3h
shop        cache-0               1/1     Running            0          9d`,
    decisive: ["mailer-9f7d5c-zzzzz"],
    absent: ["cache-0"],
  },
  {
    name: "a described node",
    target: "node-2",
    logs: `Name:               node-2
Taints:             node.kubernetes.io/disk-pressure:NoSchedule
Unschedulable:      false
Conditions:
  Type             Status  LastHeartbeatTime                 Reason                       Message
  ----             ------  -----------------                 ------                       -------
  MemoryPressure   False   Sat, 21 Nov 2026 03:00:00 +0000   KubeletHasSufficientMemory   kubelet has sufficient memory available
  DiskPressure     True    Sat, 21 Nov 2026 03:00:00 +0000   KubeletHasDiskPressure       kubelet has disk pressure
  Ready            True    Sat, 21 Nov 2026 03:00:00 +0000   KubeletReady                 kubelet is posting ready status`,
    decisive: ["kubelet has disk pressure", "disk-pressure:NoSchedule"],
    absent: ["MemoryPressure", "Unschedulable", "posting ready"],
  },
  {
    name: "a described claim",
    target: "data-0",
    logs: `Name:          data-0
StorageClass:  fast
Status:        Pending
Volume:
Events:
  Type     Reason              Age                From                         Message
  Warning  ProvisioningFailed  5s (x12 over 2m)   persistentvolume-controller  storageclass.storage.k8s.io "fast" not found`,
    decisive: ['"fast" not found'],
  },
  {
    name: "an object's conditions in YAML",
    target: "worker",
    logs: `apiVersion: v1
kind: Pod
metadata:
  annotations:
    note: failed
  labels:
    app: error-page
spec:
  containers:
  - image: worker:1
    terminationMessagePolicy: FallbackToLogsOnError
    livenessProbe:
      failureThreshold: 3
status:
  conditions:
  - lastTransitionTime: "2026-11-21T03:00:00Z"
    message: '0/3 nodes are available: 3 node(s) had untolerated taint {dedicated: gpu}.'
    reason: Unschedulable
    status: "False"
    type: PodScheduled
  phase: Pending`,
    decisive: ["untolerated taint", "reason: Unschedulable"],
    absent: ["error-page", "note: failed", "failureThreshold", "FallbackToLogsOnError"],
  },
  {
    name: "an object in JSON",
    logs: `{
  "kind": "Deployment",
  "error": null,
  "status": {
    "failures": 0,
    "conditions": [
      {
        "type": "ReplicaFailure",
        "status": "True",
        "reason": "FailedCreate",
        "message": "pods \\"api-1\\" is forbidden: exceeded quota: compute, requested: cpu=2, used: cpu=9, limited: cpu=10"
      }
    ]
  }
}`,
    decisive: ["exceeded quota", '"reason": "FailedCreate"'],
    absent: ['"error": null', '"failures": 0'],
  },
  {
    name: "one line of JSON with many objects",
    logs: JSON.stringify({
      items: Array.from({ length: 60 }, (_, i) => ({
        name: `task-${i}`,
        error: null,
        note: i === 31 ? "volume vol-8 is already attached to another instance: attach refused" : "done",
      })),
    }),
    decisive: ["attach refused"],
    absent: ["task-12"],
  },
  {
    name: "an inspected container",
    logs: `[
    {
        "Id": "4b1f7c2a9e",
        "State": {
            "Status": "exited",
            "OOMKilled": false,
            "Dead": false,
            "ExitCode": 127,
            "Error": "exec: \\"serve\\": executable file not found in $PATH"
        },
        "HostConfig": {
            "OomKillDisable": false
        }
    }
]`,
    decisive: ["executable file not found", '"ExitCode": 127'],
    absent: ["OOMKilled", "Dead", "OomKillDisable"],
  },
  {
    name: "sections of a broker's status",
    logs: `Cluster status of node rabbit@mq-0 ...
Alarms

Memory alarm on node rabbit@mq-1

Network Partitions

Node rabbit@mq-2 cannot communicate with rabbit@mq-0

Maintenance status

Node: rabbit@mq-0, status: not under maintenance`,
    decisive: ["cannot communicate with", "Memory alarm on node"],
    absent: ["Maintenance status"],
  },
  {
    name: "lags of a consumer group",
    logs: `GROUP     TOPIC     PARTITION  CURRENT-OFFSET  LOG-END-OFFSET  LAG     CONSUMER-ID
billing   invoices  0          81231           81240           9       c-1
billing   invoices  1          1044            918231          917187  -`,
    decisive: ["917187"],
    absent: ["81231", "CURRENT-OFFSET"],
  },
  {
    name: "a full filesystem",
    logs: `Filesystem      Size  Used Avail Use% Mounted on
/dev/sda1        50G   21G   29G  42% /
/dev/sdb1       200G  200G     0 100% /var/lib/data`,
    decisive: ["/var/lib/data"],
    absent: ["/dev/sda1"],
  },
  {
    name: "an application that is out of sync",
    logs: `Name:               shop
Sync Status:        OutOfSync from main (4f1c2aa)
Health Status:      Missing
CONDITION        MESSAGE                                                       LAST TRANSITION
SyncError        Failed sync attempt: namespaces "shop-prd" not found          2026-11-21 03:00:00 +0000 UTC`,
    decisive: ['namespaces "shop-prd" not found', "OutOfSync"],
  },
  {
    name: "a job that gave up",
    logs: `Name:           export
Pods Statuses:  0 Active (0 Ready) / 0 Succeeded / 4 Failed
Events:
  Type     Reason                Age   From            Message
  Warning  BackoffLimitExceeded  1m    job-controller  Job has reached the specified backoff limit

### logs of export-x7
curl: (6) Could not resolve host: warehouse.internal`,
    decisive: ["Could not resolve host: warehouse.internal", "specified backoff limit"],
  },
];
