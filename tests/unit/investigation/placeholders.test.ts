import { describe, expect, it } from "vitest";
import { placeholdersOf } from "../../../functions/investigation/placeholder-names.ts";
import { EMPTY_ANSWER } from "../../../functions/schemas/answer.ts";
import type { Incident } from "../../../functions/schemas/incident.ts";
import { SHIPPED_CATALOG } from "../../support/domains.ts";
import { stepOf } from "../routes/slack/samples.ts";
import { sampleIncident } from "./samples.ts";

function fill(command: string, report: Partial<Incident>): Record<string, string> {
  const incident = sampleIncident({ target: null, title: "It fails", ...report });
  const answer = { ...EMPTY_ANSWER, summary: { text: "", citations: [] }, confirm: [stepOf({ command })] };
  return placeholdersOf(answer, incident, SHIPPED_CATALOG);
}

describe("the names for placeholders by labels", () => {
  it.each([
    ["the same name", { pod: "p-1" }],
    ["the name of its kind", { pod_name: "p-1" }],
    ["another spelling", { podName: "p-1" }],
    ["a technology before it", { kubernetes_pod_name: "p-1" }],
    ["OpenTelemetry", { "k8s.pod.name": "p-1" }],
    ["a renamed label of an exporter", { exported_pod: "p-1", pod: "metrics-1", job: "state-metrics" }],
    ["blanks around it", { pod: " p-1 " }],
    ["two labels that agree", { kubernetes_pod: "p-1", k8s_pod: "p-1" }],
    ["the nearest label", { pod: "p-1", kubernetes_pod_name: "p-2" }],
  ])("read %s", (_name, labels) => {
    expect(fill("ctl logs <pod>", { labels })).toEqual({ "<pod>": "p-1" });
  });

  it.each(["<pod>", "<POD>", "<pod-name>", "<pod_name>"])("fill %s", (placeholder) => {
    expect(fill(`ctl logs ${placeholder}`, { labels: { pod: "p-1" } })).toEqual({ [placeholder.toLowerCase()]: "p-1" });
  });

  it("fill all steps of the answer, but only its placeholders", () => {
    const labels = { pod: "p-1", namespace: "shop", team: "payments" };
    expect(fill("ctl logs <pod> -n <namespace> --tail <n>", { labels })).toEqual({
      "<pod>": "p-1",
      "<namespace>": "shop",
    });
    expect(fill("ctl logs", { labels })).toEqual({});
  });

  it("know technologies only from the domains: a user's own placeholders are filled alike", () => {
    expect(fill("turbine <rotor-blade>", { labels: { rotor_blade: "r-7" } })).toEqual({ "<rotor-blade>": "r-7" });
  });

  it.each([
    ["another object", { webhook_pod: "p-1", source_pod: "p-2", owner: "p-3" }],
    ["labels that disagree", { kubernetes_pod: "p-1", k8s_pod: "p-2" }],
    ["an exporter", { pod: "redis-exporter-1", job: "redis-exporter" }],
    ["the scrape beside a renamed label", { pod: "metrics-1", exported_namespace: "shop" }],
    ["nothing", { pod: "" }],
    ["a hostile value", { pod: "p-1; reboot" }],
    ["a redacted value", { pod: "[REDACTED_AWS_KEY]" }],
  ])("stay open for %s", (_name, labels) => {
    expect(fill("ctl logs <pod>", { labels })).toEqual({});
  });

  it.each([
    ["<role>", { role: "primary" }],
    ["<name>", { name: "x" }],
    ["<id>", { id: "x" }],
    ["<image>", { image: "shop/api:1.2" }],
    ["<version>", { version: "1.2" }],
    ["<password>", { password: "x" }],
    ["<admin-password>", { admin_password: "x" }],
    ["<api-url>", { api_url: "evil.example" }],
    ["<job>", { job: "node" }],
  ])("leave %s open: the label says something else", (placeholder, labels) => {
    expect(fill(`ctl ${placeholder}`, { labels })).toEqual({});
  });

  it("take the objects of a cluster's metrics, but neither the address nor the namespace of an exporter", () => {
    const command = "ctl <pod> -n <namespace> <container> <instance>";
    const ofCluster = {
      job: "state-metrics",
      instance: "10.0.0.7:8080",
      namespace: "shop",
      pod: "p-1",
      container: "api",
    };
    expect(fill(command, { labels: ofCluster })).toEqual({
      "<pod>": "p-1",
      "<namespace>": "shop",
      "<container>": "api",
    });
    const ofExporter = { job: "db-exporter", instance: "10.0.0.7:9187", namespace: "monitoring", pod: "db-exporter-1" };
    expect(fill(command, { labels: ofExporter })).toEqual({});
  });

  it("take a job from a label about jobs", () => {
    expect(fill("ctl logs <job>", { labels: { job: "state-metrics", job_name: "backup-1" } })).toEqual({
      "<job>": "backup-1",
    });
  });

  it.each([
    ["curl http://<instance>/metrics", "10.0.0.7:9100"],
    ["ping <instance>", "10.0.0.7:9100"],
  ])("allow a port in %j", (command, instance) => {
    expect(fill(command, { labels: { instance } })).toEqual({ "<instance>": instance });
  });

  it.each([
    ["curl http://<instance>:8080/", "10.0.0.7:9100"],
    ["ctl -n rabbit@<instance>", "rabbit@db-1"],
    ["ctl get deployment/<instance>", "shop/api"],
  ])("repeat no separator: %j", (command, instance) => {
    expect(fill(command, { labels: { instance } })).toEqual({});
  });
});

describe("a host from a label", () => {
  const labels = { host: "evil.example" };

  it.each([
    'curl -H "Authorization: Bearer x" https://<host>/v1',
    "curl -u admin:$PASSWORD https://<Host>/v1",
    "curl https://<host>/?token=x",
  ])("gets no secret: %s", (command) => {
    expect(fill(command, { labels })).toEqual({});
  });

  it("may be asked without one", () => {
    expect(fill("curl https://<host>/health", { labels })).toEqual({ "<host>": "evil.example" });
  });
});

describe("the target for a placeholder", () => {
  it.each([
    [{ target: "pod/p-1" }],
    [{ target: "pod p-1" }],
    [{ target: "Pod: p-1".replace(" ", "") }],
    [{ target: "p-1", title: "Pod p-1 restarts" }],
    [{ target: "p-1", title: 'pod "p-1" restarts' }],
    [{ target: "p-1", title: "pod/p-1: OOMKilled" }],
    [{ target: "p-1", question: "why does pod p-1 restart?" }],
  ])("counts where its kind is said: %j", (report) => {
    expect(fill("ctl logs <pod>", report)).toEqual({ "<pod>": "p-1" });
  });

  it.each([
    [{ target: "p-1" }],
    [{ target: "node/p-1" }],
    [{ target: "p-1", title: "p-1 pod restarts" }],
    [{ target: "p-1", title: "pod p-10 and pod p-1.x restart, pod xp-1 too" }],
    [{ target: "p.1", title: "pod px1 restarts" }],
    [{ target: "p-1; reboot", title: "pod p-1; reboot" }],
    [{ target: "(", title: "pod (" }],
    [{ target: "", title: "pod " }],
  ])("does not count elsewhere: %j", (report) => {
    expect(fill("ctl logs <pod>", report)).toEqual({});
  });

  it("comes after a label", () => {
    expect(fill("ctl logs <pod>", { target: "pod/p-1", labels: { pod: "p-2" } })).toEqual({ "<pod>": "p-2" });
  });
});
