import { describe, expect, it } from "vitest";
import { classifyIncident } from "../../../../functions/knowledge/domains/classify-incident.ts";
import { DOMAINS } from "../../../../functions/knowledge/domains/index.ts";
import { DOMAIN_NAMES, type DomainName } from "../../../../functions/schemas/domain.ts";

/** What an alert or an engineer would say, for every type of every domain. */
const HEADLINES: Readonly<Record<DomainName, readonly (readonly [type: string, headline: string])[]>> = {
  docker: [
    ["oom_killed", "api-gateway container exited with code 137"],
    ["oom_killed", "worker was OOMKilled on host-3"],
    ["restart_loop", "container keeps restarting after the deploy"],
    ["restart_loop", "docker ps shows Restarting (1) 5 seconds ago"],
    ["restart_loop", "api container restarts every minute"],
    ["logging", "docker logs are empty for the api container"],
    ["logging", "container log files growing without rotation"],
    ["dns", "container cannot resolve db: getaddrinfo EAI_AGAIN"],
    ["networking", "no route to host from the bridge network"],
    ["disk_full", "no space left on device while building an image"],
    ["image_pull", "pull access denied for registry.example/app"],
    ["image_pull", "toomanyrequests: you have reached your pull rate limit"],
    ["health_check", "container api is unhealthy"],
    ["daemon_down", "Cannot connect to the Docker daemon at unix:///var/run/docker.sock"],
    ["port_conflict", "Bind for 0.0.0.0:8080 failed: port is already allocated"],
    ["port_conflict", "port 8080 in use"],
    ["volume_permission", "permission denied when writing to the mounted volume"],
    ["dejavu", "Dejavu does not answer"],
    ["dejavu", "dejavu_outbox_oldest_seconds is over 3600"],
  ],
  podman: [
    ["oom_killed", "podman container exited with status 137"],
    ["restart_loop", "service failed: start request repeated too quickly"],
    ["rootless_permission", "there might not be enough IDs available in the namespace, check subuid"],
    ["selinux_denied", "SELinux denies the container access to its volume"],
    ["systemd_unit", "quadlet unit web.service not found"],
    ["systemd_unit", "rootless containers stop when I log out"],
    ["pod_failure", "podman pod web is Degraded"],
    ["storage", "layer not known after a power cut"],
    ["dns", "containers cannot resolve each other by name, aardvark-dns"],
    ["networking", "published port is not reachable, netavark error"],
    ["image_pull", "short-name resolution enforced, cannot pull the image"],
    ["api_socket", "cannot connect to podman.sock"],
  ],
  kubernetes: [
    ["oom_killed", "container OOMKilled in pod api-7d9"],
    ["oom_killed", "pod terminated with exit code 137"],
    ["image_pull", "pod is in ImagePullBackOff"],
    ["crash_loop", "pod api-7d9 in CrashLoopBackOff"],
    ["eviction", "pods evicted because of DiskPressure"],
    ["rollout_stuck", "deployment exceeded its progress deadline"],
    ["rollout_stuck", "deployment not progressing"],
    ["quota_exceeded", "pods is forbidden: exceeded quota: compute"],
    ["disruption_budget", "drain blocked: cannot evict pod as it would violate the disruption budget"],
    ["node_not_ready", "node worker-3 is NotReady"],
    ["volume", "pod cannot start: FailedMount, PVC not bound"],
    ["dns", "CoreDNS returns SERVFAIL in the cluster"],
    ["autoscaling", "HPA does not scale the deployment"],
    ["scheduling", "pod is Pending: 0/5 nodes are available, insufficient cpu"],
    ["probe_failure", "readiness probe failed with status 503"],
  ],
  postgres: [
    ["connection_exhaustion", "FATAL: sorry, too many clients already"],
    ["connection_exhaustion", "remaining connection slots are reserved (53300)"],
    ["connection_exhaustion", "too many open connections to the database"],
    ["deadlock", "deadlock detected while updating orders"],
    ["lock_contention", "ALTER TABLE waits: canceling due to lock timeout"],
    ["lock_contention", "table locked for an hour"],
    ["wraparound", "database is not accepting commands to avoid wraparound"],
    ["bloat", "table orders is bloated, millions of dead tuples"],
    ["query_cancelled", "canceling statement due to statement timeout"],
    ["replication_lag", "replication lag on the standby is 20 minutes"],
    ["disk_full", "pg_wal fills the disk: no space left on device"],
    ["slow_query", "slow queries since the release, sequential scan on orders"],
    ["corruption", "invalid page in block 42 of relation base/16384/24576"],
    ["failover", "primary is down, should we promote the standby?"],
    ["oom_killed", "server process was terminated by signal 9: Killed"],
  ],
};

for (const domain of DOMAIN_NAMES) {
  describe(domain, () => {
    it.each(HEADLINES[domain])("recognises %s in %j", (type, headline) => {
      expect(classifyIncident(domain, headline, "").name).toBe(type);
    });

    it("has a test headline for each of its types", () => {
      const covered = new Set(HEADLINES[domain].map(([type]) => type));
      expect([...covered].sort()).toEqual(DOMAINS[domain].incidentTypes.map(({ name }) => name).sort());
    });

    it("has unique types in snake_case, without `unknown`", () => {
      const names = DOMAINS[domain].incidentTypes.map(({ name }) => name);
      expect(new Set(names).size).toBe(names.length);
      for (const name of names) expect(name).toMatch(/^(?!unknown$)[a-z][a-z0-9]*(_[a-z0-9]+)*$/);
    });
  });
}

describe("classifyIncident", () => {
  it("names the deciding cues", () => {
    expect(classifyIncident("postgres", "Deadlock detected", "")).toEqual({
      name: "deadlock",
      rule: 'text cue "Deadlock"',
    });
  });

  it("returns unknown without a strong cue", () => {
    const unknown = { name: "unknown", rule: "no cue was strong enough" };
    expect(classifyIncident("docker", "something is odd", "")).toEqual(unknown);
    expect(classifyIncident("docker", "", "")).toEqual(unknown);
    expect(classifyIncident("docker", "the network feels strange", "")).toEqual(unknown);
  });

  it("uses the details only if the headline has no strong cue", () => {
    expect(classifyIncident("postgres", "deadlock", "no space left on device 53100 pg_wal").name).toBe("deadlock");
    expect(classifyIncident("postgres", "checkout is down", "ERROR: deadlock detected")).toEqual({
      name: "deadlock",
      rule: 'cue in labels or logs "deadlock"',
    });
  });

  it("prefers the type with the higher weight", () => {
    expect(classifyIncident("docker", "exit code 137: out of memory, then restarted", "").name).toBe("oom_killed");
  });

  it("prefers the first listed type at equal weights", () => {
    const [first, second] = DOMAINS.docker.incidentTypes;
    expect([first?.name, second?.name]).toEqual(["oom_killed", "restart_loop"]);
    expect(classifyIncident("docker", "crash loop, oom-killed", "").name).toBe("oom_killed");
  });

  it("uses the types of its own domain only", () => {
    expect(classifyIncident("docker", "deadlock detected", "").name).toBe("unknown");
  });
});
