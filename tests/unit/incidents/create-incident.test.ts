import { describe, expect, it } from "vitest";
import { createIncident, type TriageRequest } from "../../../functions/incidents/create-incident.ts";
import { SHIPPED_CATALOG } from "../../support/domains.ts";
import { NOW } from "../investigation/samples.ts";

function counter(): () => string {
  let count = 0;
  return () => `id-${++count}`;
}

const intake = (request: TriageRequest) =>
  createIncident(request, { catalog: SHIPPED_CATALOG, now: NOW, newId: counter() });

describe("createIncident", () => {
  it("takes an error that the title quotes as the evidence, if there are no logs", () => {
    const title = "checkout is down since 9:00, it says 'FATAL: too many connections for role app'";
    const { logs, evidence } = intake({ title });
    expect(logs).toBe("FATAL: too many connections for role app");
    expect(evidence.lines).toMatchObject([{ text: logs, line: 1 }]);
    expect(intake({ title, logs: "ready" }).logs).toBe("ready");
  });

  it("builds the incident from all that was given", () => {
    expect(
      intake({
        title: "api-gateway exited with code 137",
        question: "Why?",
        target: "api-gateway",
        severity: "critical",
        labels: { container_runtime: "docker", team: "edge" },
        logs: "Killed",
        session_id: "s-1",
      }),
    ).toEqual({
      id: "id-1",
      createdAt: NOW,
      title: "api-gateway exited with code 137",
      question: "Why?",
      searchQuery: null,
      target: "api-gateway",
      severity: "critical",
      labels: { container_runtime: "docker", team: "edge" },
      logs: "Killed",
      evidence: { lines: [{ text: "Killed", line: 1, time: null, count: 1, weight: expect.any(Number) }], state: null },
      runbook: null,
      expression: null,
      reportedBy: null,
      sessionId: "s-1",
      domain: {
        name: "docker",
        rule: "label container_runtime=docker",
        decidedBy: "label",
        limitsSearch: true,
        preferred: { docker: 1 },
        excluded: ["dejavu"],
        isFirm: true,
      },
      type: { name: "oom_killed", rule: 'words "exited with code 137"' },
    });
  });

  it("fills in what was not given", () => {
    expect(intake({ title: "Something broke" })).toEqual({
      id: "id-1",
      createdAt: NOW,
      title: "Something broke",
      question: null,
      searchQuery: null,
      target: null,
      severity: "medium",
      labels: {},
      logs: null,
      evidence: { lines: [], state: null },
      runbook: null,
      expression: null,
      reportedBy: null,
      sessionId: "id-2",
      domain: {
        name: "general",
        rule: "undecided: no label and no word chose a domain",
        decidedBy: "none",
        limitsSearch: false,
        preferred: {},
        excluded: ["dejavu"],
        isFirm: false,
      },
      type: { name: "unknown", rule: "no word was a strong enough hint" },
    });
  });

  it("takes the question for the title where only that was given", () => {
    const incident = intake({ question: "Why does Postgres report a deadlock?" });
    expect(incident.title).toBe("Why does Postgres report a deadlock?");
    expect(incident.question).toBe(incident.title);
    expect([incident.domain.name, incident.type.name]).toEqual(["postgres", "deadlock"]);
  });

  it("refuses a request with neither title nor question", () => {
    expect(() => intake({ target: "api" })).toThrow(RangeError);
  });

  it("reads the question as well as the title", () => {
    expect(intake({ title: "checkout is down", question: "too many clients?" }).domain.name).toBe("postgres");
  });

  it.each<[string, TriageRequest]>([
    ["target", { title: "is down", target: "pod/checkout" }],
    ["labels", { title: "is down", labels: { reason: "CrashLoopBackOff" } }],
    ["logs", { title: "is down", logs: "kubelet: back-off" }],
  ])("reads the %s where the headline names no technology", (_part, request) => {
    const { domain } = intake(request);
    expect(domain.name).toBe("kubernetes");
    expect(domain.rule).toMatch(/^words in labels or logs /);
  });

  it("classifies within the domain that it routed to", () => {
    const labels = { source_type: "database" };
    expect(intake({ title: "no space left on device", labels }).type.name).toBe("disk_full");
    expect(intake({ title: "exit code 137", labels }).type.name).toBe("unknown");
  });

  it("recognises a type of any domain where nothing chose the domain", () => {
    const { domain, type } = intake({ title: "The deadlock is back" });
    expect([domain.decidedBy, type.name]).toEqual(["none", "deadlock"]);
  });

  it("reads the type from the evidence where the headline names a symptom", () => {
    const logs = "Last State: Terminated\n  Reason: OOMKilled\n  Exit Code: 137";
    expect(intake({ title: "Pod is crash looping", labels: { namespace: "shop" }, logs }).type.name).toBe("oom_killed");
  });

  it("reads no type from settings", () => {
    const logs =
      "Tolerations:  node.kubernetes.io/not-ready:NoExecute op=Exists\nLiveness: http-get http://:80 delay=1s #failure=3";
    expect(intake({ title: "checkout", labels: { namespace: "shop" }, logs }).type.name).toBe("unknown");
  });

  it("routes by the whole log where its error lines name no technology", () => {
    const logs = "kubectl get pods\nERROR cart is gone";
    expect(intake({ title: "is down", logs }).domain.name).toBe("kubernetes");
  });

  it("believes the caller's incident type", () => {
    expect(intake({ title: "exit code 137", incident_type: "disk_full" }).type).toEqual({
      name: "disk_full",
      rule: "given by the caller",
    });
  });
});
