import { describe, expect, it } from "vitest";
import type { EvidenceClient, QueryCall } from "../../../../functions/adapters/evidence/client.ts";
import { DependencyError } from "../../../../functions/dependencies.ts";
import { createEvidenceSession } from "../../../../functions/investigation/live/evidence-session.ts";
import { createRun } from "../../../../functions/investigation/run/run.ts";
import type { QueryResult } from "../../../../lib/checks/scope/query.ts";
import { sampleSource } from "../../evidence-sources/samples.ts";
import { NOW, sampleServices } from "../samples.ts";

describe("the queries of a triage", () => {
  it("keep to its deadline after another triage's query has failed", async () => {
    let now = NOW;
    const services = sampleServices({ now: () => now });
    const definition = sampleSource();
    const other = Promise.withResolvers<QueryResult>();
    const calls: QueryCall[] = [];
    const client: EvidenceClient = {
      definition,
      server: null,
      ping: async () => ({ version: null }),
      linkTo: () => null,
      run: (_, call) => {
        calls.push(call);
        return calls.length === 1 ? other.promise : Promise.resolve({ kind: "series", series: [] });
      },
    };
    const evidenceSources = { ...services.evidenceSources, clientOf: () => ({ state: "ready", client }) as const };
    const ask = () => {
      const own = { ...services, evidenceSources };
      const connection = createEvidenceSession(own, createRun(own, {})).connect(definition);
      if (connection.state !== "ready") throw new Error("The source has no credential.");
      return connection.ask({ language: "promql", expression: "up", at: NOW });
    };
    const both = [ask(), ask()];
    now = new Date(NOW.getTime() + 4_000);
    other.reject(new DependencyError("evidence_source", "cancelled", "the caller disconnected"));
    await Promise.all(both);
    const deadlineMs = services.config.EVIDENCE_BUDGET_MS;
    expect(calls[1]?.timeoutMs).toBe(deadlineMs - 4_000);
  });
});
