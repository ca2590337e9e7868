// Reports that no runbook covers, beside those that one covers, over the runbooks that ship.

import { beforeAll, describe, expect, it } from "vitest";
import { seedRunbooks } from "../../../cli/seed-runbooks.ts";
import type { TriageRequest } from "../../../functions/incidents/create-incident.ts";
import { createHarness, deleteIncidents, emptyStores, workerEnv } from "../support/harness.ts";

const harness = createHarness();

beforeAll(async () => {
  await emptyStores(harness.services);
  await seedRunbooks({ env: workerEnv });
});

/** Each incident is deleted: the next report must not recall it. */
async function triage(request: TriageRequest) {
  const result = await harness.triage(request);
  await deleteIncidents(harness.services);
  return result;
}

describe("a report that no runbook covers", () => {
  it.each<TriageRequest>([
    { title: "What is the capital of France?" },
    { title: "How do I bake sourdough bread?" },
    { title: "Who won the match yesterday?" },
    { title: "Our office Wi-Fi is unreachable" },
    { title: "The dishwasher leaks and the kitchen is full of water" },
    { title: "The pod of whales left the bay" },
    { title: "Book a table for two at eight" },
    { title: "My laptop keeps restarting" },
    { title: "Windows update restarts my machine" },
    { title: "The printer is out of memory" },
    { title: "The browser tab keeps crashing" },
    { title: "The health check at the doctor's is due" },
    { title: "Who ate my lunch?", incident_type: "oom_killed" },
    { title: "Windows laptop restarts", incident_type: "restart_loop" },
  ])("gets no cause: %j", async (request) => {
    const { outcome, answer } = await triage(request);
    expect(["possible", "unknown"]).toContain(outcome);
    expect([answer.likely_causes, answer.mitigate]).toEqual([[], []]);
  });
});

describe("a report that a runbook covers", () => {
  it.each([
    ["docker: api-gateway container exited with code 137", "docker/exit-137-out-of-memory.md"],
    ["container keeps restarting", "docker/container-restart-loop.md"],
    ["docker: no space left on device", "docker/host-disk-full.md"],
    ["pod in CrashLoopBackOff", "kubernetes/crash-loop-back-off.md"],
    ["podman container exited with status 137", "podman/exit-137-out-of-memory.md"],
    ["deadlock detected while updating orders", "postgres/deadlock-detected-40p01.md"],
  ])("is answered from it: %j", async (title, source) => {
    const { outcome, sources } = await triage({ title });
    expect(outcome).toBe("cause");
    expect(new Set(sources.map((each) => each.source))).toEqual(new Set([source]));
  });
});
