// Texts as systems print them, with the names in them that may not leave.

export interface NameSample {
  readonly text: string;
  readonly names: readonly string[];
}

export const NAME_SAMPLES: readonly NameSample[] = [
  {
    text: "Target: checkout\nLabels: pod=checkout-7c9f8d6b5-x2x4z, namespace=shop, node=gke-eu-pool-3-a1b2, job=tills",
    names: ["checkout", "shop", "gke-eu-pool-3-a1b2", "tills"],
  },
  {
    text: "dial tcp: lookup ledger-db.fintech.svc.cluster.local on 10.96.0.10:53: no such host",
    names: ["ledger-db", "fintech", "10.96.0.10"],
  },
  {
    text: "NAMESPACE   NAME        READY   STATUS    RESTARTS   AGE\nfintech     ledger-0    0/1     Error     12         3h",
    names: ["fintech", "ledger-0"],
  },
  {
    text: "NAME              STATUS     ROLES    AGE   VERSION\nworker-berlin-2   NotReady   <none>   90d   v1.29.2",
    names: ["worker-berlin-2"],
  },
  {
    text: "Nov 23 03:12:44 tiller-west sshd[1234]: Failed password for invalid user alice from 10.9.8.7 port 4242 ssh2",
    names: ["tiller-west", "alice", "10.9.8.7"],
  },
  { text: 'FATAL:  password authentication failed for user "alice"', names: ["alice"] },
  {
    text: "Access denied for user 'bob'@'crm-01.corp.acme.com' (using password: YES)",
    names: ["bob", "crm-01", "acme.com"],
  },
  {
    text: "open /home/alice/app/config: permission denied; C:\\Users\\bob.smith\\x.log",
    names: ["alice", "bob.smith"],
  },
  { text: "rsync carol@vault-west:/data failed", names: ["carol", "vault-west"] },
  {
    text: "postgres://svc_ledger@ledger-db.acme.internal:5432/ledgerbook?sslmode=require refused",
    names: ["svc_ledger", "ledger-db", "acme", "ledgerbook"],
  },
  {
    text: "arn:aws:iam::123456789012:role/tills-deployer may not read arn:aws:s3:::acme-invoices/2024",
    names: ["123456789012", "tills-deployer", "acme-invoices"],
  },
  { text: "i-0abcdef1234567890 in vpc-0abc12345678 stopped", names: ["i-0abcdef1234567890", "vpc-0abc12345678"] },
  { text: "the tills-api pods restart; service `ledger` is down", names: ["tills-api"] },
  { text: "kubectl -n fintech rollout restart deployment/ledger", names: ["fintech", "ledger"] },
  {
    text: '{"kubernetes":{"pod_name":"ledger-0","namespace_name":"fintech","host":"ip-10-0-1-2.eu-west-1.compute.internal"}}',
    names: ["ledger-0", "fintech", "ip-10-0-1-2"],
  },
  {
    text: 'level=error svc=ledger user=carol msg="GET http://invoicer:8080/v1/x failed"',
    names: ["ledger", "carol", "invoicer"],
  },
  {
    text: 'upstream timed out, client: 10.1.2.3, server: tills.acme.com, upstream: "http://10.4.5.6:8080/"',
    names: ["10.1.2.3", "tills", "acme", "10.4.5.6"],
  },
  { text: "system:serviceaccount:fintech:ledger-reader cannot list secrets", names: ["fintech", "ledger-reader"] },
  { text: "no route to host fe80::1ff:fe23:4567:890a", names: ["fe80::1ff:fe23:4567:890a"] },
  { text: "replica fd00:12::7 left; disk full on ledger-03", names: ["fd00:12::7", "ledger-03"] },
  { text: "uid=1000(alice) gid=1000(alice)", names: ["alice"] },
  { text: "sudo:    carol : TTY=pts/0 ; PWD=/srv ; USER=root ; COMMAND=/bin/ls", names: ["carol"] },
  { text: "DB_HOST=ledgerdb DB_USER=ledgerapp DB_NAME=ledgerbook", names: ["ledgerdb", "ledgerapp", "ledgerbook"] },
  { text: "app.kubernetes.io/name: ledger\nservice.namespace: fintech", names: ["ledger", "fintech"] },
  { text: "Container tills-worker-2 exited with code 137", names: ["tills-worker-2"] },
  {
    text: "pod fintech/ledger-7c9f8d6b5-x2x4z on worker-berlin-2 lost 10.4.7.9, user alice",
    names: ["fintech", "ledger", "worker-berlin-2", "10.4.7.9", "alice"],
  },
  { text: "Back-off restarting app in pod ledger-7d9c4b6f5-abcde_fintech(3f2a)", names: ["ledger", "fintech"] },
  { text: "GRANT ALL ON shopdb.* TO 'jane'@'%'; docker restart tills_web_1", names: ["jane", "tills_web_1"] },
  {
    text: 'host db-primary-2 lost; service "ledger" and `tills`; role "svc_backup"',
    names: ["db-primary-2", "ledger", "svc_backup"],
  },
  { text: "getaddrinfo ENOTFOUND invoicer", names: ["invoicer"] },
];

/** Texts without a name: every word of them is needed, or public. */
export const NAMELESS: readonly string[] = [
  "container exited with code 137, OOMKilled, restart back-off, CrashLoopBackOff",
  "FATAL: sorry, too many clients already",
  "FATAL: remaining connection slots are reserved for roles with the SUPERUSER attribute",
  "nginx 1.25.3: upstream prematurely closed connection while reading response header from upstream",
  "namespace kube-system, namespace default, namespace monitoring, service account default",
  "docker pull docker.io/library/redis:7.2.4 and registry.k8s.io/pause:3.9 failed",
  "java.util.concurrent.TimeoutException at com.zaxxer.hikari.pool.HikariPool",
  "kernel 5.15.0-91, version 27.3.1.4, sha256:abcdef0123456789, 127.0.0.1:5432, 0.0.0.0:80, 169.254.169.254",
  "ERROR 1213 (40001): Deadlock found when trying to get lock; SQLSTATE 40P01; ORA-00060",
  "kubectl logs <pod> -n <namespace> --previous",
  "kubectl get pods -n kube-system; systemctl --user restart x",
  "SELECT pid, state FROM pg_stat_activity WHERE state = 'active'",
  "status: failed, error: timeout, service: unavailable, host: unreachable, user: unknown",
  "2026-11-23T03:12:44Z ERROR Main.java:42 exit:1 read-only file system, out-of-memory, utf-8, sha-256",
  'curl -H "content-type: application/json" -H "x-api-key: $KEY" https://kubernetes.io/docs',
  "[REDACTED_IP] connected as [REDACTED_USER]",
];
