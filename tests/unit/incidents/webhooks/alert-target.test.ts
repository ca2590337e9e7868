import { describe, expect, it } from "vitest";
import { createTargetOf } from "../../../../functions/incidents/webhooks/alert-target.ts";
import { createDomainCatalog, EMPTY_CATALOG } from "../../../../functions/knowledge/domains/domain-catalog.ts";
import { storedDefinitionSchema } from "../../../../functions/knowledge/domains/domain-definition.ts";

type Labels = Readonly<Record<string, string>>;

const targetOf = createTargetOf(
  createDomainCatalog([
    {
      name: "queues",
      definition: storedDefinitionSchema.parse({
        labels: [{ match: { topic: ["*"] } }, { match: { job: ["*broker*"] } }],
        target_labels: ["topic", "cluster"],
      }),
    },
  ]),
);

describe("the target of an alert", () => {
  it.each<[Labels, string | null]>([
    [{ topic: "orders", cluster: "eu", pod: "broker-0" }, "orders"],
    [{ job: "broker", cluster: "eu", pod: "broker-0" }, "eu"],
    [{ job: "broker", pod: "broker-0" }, "broker-0"],
    [{ domain: "queues", cluster: "eu", pod: "web-1" }, "eu"],
  ])("is named by the labels of its domain first: %j", (labels, target) => {
    expect(targetOf(labels)).toBe(target);
  });

  it.each<[Labels, string | null]>([
    [{ cluster: "eu", pod: "web-1" }, "web-1"],
    [{ domain: "mainframe", cluster: "eu", pod: "web-1" }, "web-1"],
    [{ cluster: "eu" }, null],
    [{}, null],
  ])("is not named by labels of another domain: %j", (labels, target) => {
    expect(targetOf(labels)).toBe(target);
  });

  it.each<[Labels, string]>([
    [{ pod: "web-1", deployment: "web", instance: "10.0.0.7:9100" }, "web-1"],
    [{ deployment: "web", node: "w3", instance: "10.0.0.7:9100" }, "web"],
    [{ instance: "10.0.0.7:9100", job: "web" }, "10.0.0.7:9100"],
    [{ target: "checkout", pod: "web-1" }, "checkout"],
    [{ pod: "  ", job: "backup" }, "backup"],
    [{ pod: " web-1 " }, "web-1"],
    [{ location: "eu", service_name: "quotes", host: "a" }, "quotes"],
    [{ cloud_RoleName: "quotes" }, "quotes"],
    [{ job: "loki", app: "quotes" }, "loki"],
    [{ cluster: "eu", app: "quotes" }, "quotes"],
  ])("is the narrowest object: %j", (labels, target) => {
    expect(createTargetOf(EMPTY_CATALOG)(labels)).toBe(target);
  });

  it.each<[Labels, string]>([
    [{ pod: "prometheus-agent-0", exported_pod: "web-1", job: "scrape" }, "web-1"],
    [{ instance: "10.0.0.7:9100", exported_instance: "db-1", job: "scrape" }, "db-1"],
    [{ exported_job: "backup", job: "pushgateway" }, "backup"],
  ])("is the object's own label where Prometheus renamed it: %j", (labels, target) => {
    expect(targetOf(labels)).toBe(target);
  });

  it.each<[Labels, string]>([
    [{ pod: "node-exporter-x2", job: "node-exporter", instance: "10.0.0.7:9100" }, "10.0.0.7:9100"],
    [{ job: "broker-exporter", pod: "broker-exporter-1", topic: "orders" }, "orders"],
    [{ job: "kube-state-metrics", pod: "node-exporter-x2" }, "node-exporter-x2"],
  ])("is never the exporter that reports it: %j", (labels, target) => {
    expect(targetOf(labels)).toBe(target);
  });
});
