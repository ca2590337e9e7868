import { describe, expect, it } from "vitest";
import { describePod } from "../../../../functions/investigation/live/describe-pod.ts";
import { podSchema } from "../../../../functions/investigation/live/object-schemas.ts";
import type { ClusterObject } from "../../../integration/support/servers/cluster-selectors.ts";
import * as failures from "../../../support/cluster-failures.ts";
import { condition, containerStatus, pod } from "../../../support/cluster-objects.ts";

const describeIt = (object: ClusterObject, container: string | null = null) =>
  describePod(podSchema.parse(JSON.parse(JSON.stringify(object))), container);

describe("describePod", () => {
  it.each<[string, ClusterObject, string, string[]]>([
    ["runs", pod(), "Running, ready", ["checkout: requests cpu 100m, memory 128Mi; limits cpu 500m, memory 256Mi"]],
    [
      "crashes again and again",
      failures.crashLoop(),
      "CrashLoopBackOff, not ready, 7 restarts",
      [
        "checkout waits: CrashLoopBackOff: back-off 5m0s",
        "Last termination of checkout: Error, exit code 1, at 2026-03-01T03:00:10Z, after 42 s",
        "Ready is False since 2026-03-01T03:00:12Z: ContainersNotReady: containers with unready status: [checkout]",
      ],
    ],
    [
      "was killed for its memory",
      failures.oomKilled(),
      "OOMKilled, not ready, 1 restart",
      [
        "checkout terminated: OOMKilled, exit code 137, at 2026-03-01T03:00:10Z, after 42 s",
        "Last termination of checkout: OOMKilled, exit code 137, at 2026-03-01T02:50:10Z",
      ],
    ],
    [
      "runs again after it was killed",
      failures.runningAfterOom(),
      "Running, ready, 3 restarts",
      ["Last termination of checkout: OOMKilled, exit code 137"],
    ],
    [
      "has an image that cannot be pulled",
      failures.imagePull(),
      "ImagePullBackOff, not ready",
      ['checkout waits: ImagePullBackOff: Back-off pulling image "registry.example.com/shop/checkout:1.43.0"'],
    ],
    [
      "fits no node",
      failures.unschedulable(),
      "Pending, not scheduled",
      [
        "PodScheduled is False since 2026-03-01T02:00:00Z: Unschedulable: 0/3 nodes are available: 3 Insufficient memory.",
      ],
    ],
    [
      "is evicted",
      failures.evicted(),
      "Evicted, not ready",
      [
        "The node was low on resource: memory.",
        "DisruptionTarget is True since 2026-03-01T02:00:00Z: TerminationByKubelet",
      ],
    ],
    [
      "fails in an init container",
      failures.initFailing(),
      "Init:CrashLoopBackOff, not ready, 4 restarts",
      ["Last termination of migrate: Error, exit code 3, at 2026-03-01T03:00:10Z, after 42 s: relation does not exist"],
    ],
    [
      "has one container that is not ready",
      failures.sidecarNotReady(),
      "Running, 1 of 2 containers ready, 2 restarts",
      [],
    ],
    ["ended as it should", failures.completed(), "Completed", []],
    [
      "ended with a signal",
      pod({
        status: { phase: "Failed", containerStatuses: [containerStatus({ state: { terminated: { signal: 9 } } })] },
      }),
      "Signal:9, ready",
      [],
    ],
    ["has no status yet", { ...pod(), status: undefined }, "Unknown, not ready", []],
  ])("describes a pod that %s", (_, object, state, facts) => {
    const description = describeIt(object);
    expect(description.state).toBe(state);
    for (const fact of facts)
      expect(description.facts).toContainEqual(expect.stringMatching(new RegExp(`^${escaped(fact)}`)));
  });

  it("has no facts about a pod that ended as it should, but its containers and node", () => {
    expect(describeIt(failures.completed())).toEqual({
      state: "Completed",
      owner: "Job backup-28461",
      facts: [
        "checkout: requests cpu 100m, memory 128Mi; limits cpu 500m, memory 256Mi",
        "checkout: image registry.example.com/shop/checkout:1.42.0",
        "On node worker-2",
      ],
    });
  });

  it("is terminating once it is deleted, and unknown if its node is lost", () => {
    const deleted = pod();
    const metadata = { ...deleted.metadata, deletionTimestamp: "2026-03-01T03:00:00Z" };
    expect(describeIt({ ...deleted, metadata }).state).toBe("Terminating, ready");
    const lost = pod({ status: { reason: "NodeLost" } });
    expect(describeIt({ ...lost, metadata }).state).toBe("Unknown, ready");
  });

  it("counts init containers that are not done, and not sidecars that run", () => {
    const spec = { initContainers: [{ name: "proxy", restartPolicy: "Always" }, { name: "migrate" }] };
    const proxy = containerStatus({ name: "proxy" });
    const running = pod({
      spec,
      status: { initContainerStatuses: [proxy, containerStatus({ name: "migrate", started: false })] },
    });
    expect(describeIt(running).state).toMatch(/^Init:1\/2/);
    const done = containerStatus({ name: "migrate", state: { terminated: { exitCode: 0, reason: "Completed" } } });
    expect(describeIt(pod({ spec, status: { initContainerStatuses: [proxy, done] } })).state).toBe("Running, ready");
  });

  it("begins with the container of the alert", () => {
    const waiting = (reason: string) => ({ ready: false, state: { waiting: { reason } } });
    const two = pod({
      status: {
        containerStatuses: [containerStatus(waiting("One")), containerStatus({ name: "proxy", ...waiting("Two") })],
      },
    });
    expect(describeIt(two).facts[0]).toBe("checkout waits: One");
    expect(describeIt(two, "proxy").facts[0]).toBe("proxy waits: Two");
  });

  it("is bounded, each fact on one line", () => {
    const statuses = Array.from({ length: 40 }, (_, i) =>
      containerStatus({ name: `c${i}`, state: { waiting: { reason: "Failed", message: `\n${"x".repeat(5_000)}` } } }),
    );
    const { facts } = describeIt(
      pod({ status: { containerStatuses: statuses, conditions: [condition("Ready", "Unknown")] } }),
    );
    expect(facts).toHaveLength(12);
    for (const fact of facts) expect(fact).toMatch(/^.{1,300}$/);
  });
});

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
