import { describe, expect, it } from "vitest";
import { ordersChange } from "../../../../lib/commands/ordered-change.ts";

describe("a change", () => {
  it.each([
    "Restart the pod.",
    "Reboot.",
    "Roll back, resuming first if it is paused.",
    "Scale the deployment to 4 replicas",
    "Delete old snapshots",
    "Free disk space.",
    "Set `max_connections` to 400.",
    "Replace physical cables, change ports.",
    "Fail its service over.",
    "Turn parallel query off until then.",
    "Manually remove the finalizer.",
    "If it hangs, restart it.",
    "When the disk is full, or nearly so, extend the volume.",
    "For in-cluster clients recreate pods, then restart them.",
    "If its load is high then increase the CPU of the node.",
    "Find the writer. Then stop it.",
    "Quota: raise it.",
    "[Cordon and drain node](https://docs.example/drain) and delete it.",
    "Review the quota and adjust it accordingly.",
    "Consider increasing the capacity of the bucket.",
    "If that does not help, try to delete the pod.",
    "If that does not help, you can try restarting it.",
    "Review the limits and consider raising them.",
    "You may need to limit the metrics.",
    "As a last resort, you can safely delete them.",
    "Correct the spec.",
    "The node holds the lease, so restart it.",
    "If the queue is stuck you can delete it.",
    "Connect to the database and kill the query.",
    "Go to the console and restart the instance",
    "Perform a rolling restart of the pods",
    "Trigger a failover.",
    "Failover to the replica",
    "Rollback to the previous version",
  ])("is ordered by %j", (text) => {
    expect(ordersChange(text)).toBe(true);
  });

  it.each([
    "Check whether the pods restart.",
    "Perform a check of the logs.",
    "Look at the rate, compare the counts and read the log.",
    "Verify that the service accounts can create and delete the files.",
    "Ask the owner if old data can be deleted.",
    "Find processes that you can terminate.",
    "If you can delete it, the quota is right.",
    "The probe fails, so restart counts rise.",
    "If it hangs you can have a look at the log.",
    "Wait for the restart to end.",
    "The operator continues to try to restart it.",
    "Do not delete the volume.",
    "Never restart two nodes at once.",
    "Restart count of the container.",
    "Restart loops are common after that.",
    "Change in traffic, such as a campaign.",
    "Free memory is low.",
    "Lower than the limit.",
    "Start with the newest error.",
    "Start looking at the events.",
    "Move on to the next node.",
    "Create a ticket for the storage team.",
    "Open a support case and attach the artifacts of the diagnosis.",
    "Set the range of the dashboard to one hour.",
    "Replace `<pod>` with its name.",
    "Correct values are between 1 and 5.",
    "Restart the pod?",
    "Upgrade:",
    "The operator will restart it.",
    "",
  ])("is not ordered by %j", (text) => {
    expect(ordersChange(text)).toBe(false);
  });

  it.each(["then ", "if you can, and then consider try to ", "always, "])(
    "is found in linear time in many %j",
    (words) => {
      expect(ordersChange(`If ${words.repeat(10_000)}`)).toBe(false);
    },
  );
});
