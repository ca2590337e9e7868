// A model's answer against the evidence: quotes of error lines, commands of the sources, and what the critic sees.

import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createHarness, deleteIncidents, workerEnv } from "../support/harness.ts";
import { loadFreshRunbooks } from "../support/inventory.ts";
import { draftOf, json, scriptedModel } from "../support/servers/scripted-model.ts";

const OOM = { title: "api-gateway docker container exited with code 137", target: "api-gateway", severity: "critical" };

beforeAll(() => loadFreshRunbooks(createHarness().services, workerEnv));
beforeEach(() => deleteIncidents(createHarness().services));

describe("a model's answer", () => {
  it("names no cause from a line of the log that shows no failure", async () => {
    const logs = `10:00:01 INFO cache warmed in 12 ms\n${"10:00:02 INFO ok\n".repeat(20)}10:00:03 FATAL Out of memory: Killed process 4242\n`;
    const evidenceOf = (quote: string) => draftOf({ evidence: [{ quote, citations: ["R1"], text: "It shows it." }] });
    await using model = await scriptedModel({
      synthesise: [json(evidenceOf("cache warmed in 12 ms")), json(evidenceOf("Out of memory: Killed process"))],
    });
    const harness = createHarness(model.env());
    const boilerplate = await harness.triage({ ...OOM, logs });
    const [prompt = ""] = model.prompts("synthesise");
    expect(prompt).toContain(
      "<error_lines>\nL1 (line 22, at 10:00:03): 10:00:03 FATAL Out of memory: Killed process 4242",
    );
    expect(boilerplate.outcome).toBe("possible");
    const [criticised = ""] = model.prompts("critique");
    expect(criticised).toMatch(/<cited_sources>\nR1: probability 0\.\d\d/);
    expect(criticised).toContain("<unexplained_lines>\nL1 (line 22, at 10:00:03)");
    expect((await harness.triage({ ...OOM, logs })).outcome).toBe("cause");
    expect(model.prompts("critique")[1]).not.toContain("<unexplained_lines>\nL1");
  });

  it("marks a command that stands in no source", async () => {
    const [step] = draftOf().mitigate;
    const mitigate = step ? [step, { ...step, text: "Remove it.", command: "docker rm -f api-gateway" }] : [];
    await using model = await scriptedModel({ synthesise: json(draftOf({ mitigate })) });
    const { answer } = await createHarness(model.env()).triage(OOM);
    expect(answer.mitigate.map(({ supported, from_source }) => [supported, from_source])).toEqual([
      [true, true],
      [false, false],
    ]);
  });
});
