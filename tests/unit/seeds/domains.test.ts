// The domains that ship: what their definitions recognise.

import { describe, expect, it } from "vitest";
import { classifyIncident } from "../../../functions/knowledge/domains/classify-incident.ts";
import { firstLooks } from "../../../functions/knowledge/domains/domain-catalog.ts";
import { findLabelConflicts } from "../../../functions/knowledge/domains/label-conflicts.ts";
import { labelledDomain, routeDomain } from "../../../functions/knowledge/domains/route-domain.ts";
import { GENERAL_DOMAIN } from "../../../functions/schemas/domain.ts";
import { commandEffect } from "../../../lib/commands/command-effect.ts";
import { SHIPPED_CATALOG, SHIPPED_DEFINITIONS, SHIPPED_DOMAINS } from "../../support/domains.ts";
import { TYPE_HEADLINES } from "./type-headlines.ts";

const route = (headline: string, labels: Readonly<Record<string, string>> = {}, details = "") =>
  routeDomain(SHIPPED_CATALOG, { labels, headline, details });
const typeIn = (name: string, headline: string) =>
  classifyIncident(SHIPPED_CATALOG, { name, decidedBy: "label", excluded: [] }, { headline, details: "" }).name;
const withTypes = SHIPPED_DEFINITIONS.filter(({ definition }) => definition.incident_types.length > 0);

/** Wrangler is not verified: it may run anything. */
const NOT_VERIFIED = new Set(
  SHIPPED_DEFINITIONS.flatMap(({ definition }) => definition.first_looks).flatMap(({ command }) =>
    command?.startsWith("npx wrangler ") ? [command] : [],
  ),
);

/** Names that are everyday words: alone they choose nothing. */
const BROAD = new Set([GENERAL_DOMAIN, "host", "application"]);

describe.each(SHIPPED_DOMAINS)("the domain $name", ({ name, definition, runbooks }) => {
  it("has a definition with a description", () => {
    expect(definition?.description).toMatch(/^\S.*\.$/);
  });

  it("has three to five first looks, with read-only commands", () => {
    const looks = firstLooks(SHIPPED_CATALOG, { name, isFirm: true });
    expect(looks).toBe(definition?.first_looks);
    expect(looks.length).toBeGreaterThanOrEqual(3);
    expect(looks.length).toBeLessThanOrEqual(5);
    for (const { text, command } of looks) {
      expect(text).toMatch(/^[A-Z].*\.$/);
      const isVerified = command === null || NOT_VERIFIED.has(command) || commandEffect(command) === "read_only";
      expect(isVerified, command ?? text).toBe(true);
    }
  });

  it("has a runbook for each of its incident types", () => {
    const covered = new Set(runbooks.map(({ metadata }) => metadata.incident_type));
    expect(definition?.incident_types.map((type) => type.name).filter((type) => !covered.has(type))).toEqual([]);
  });

  it("recognises the incident type of each runbook by its title or its symptoms", () => {
    const missed = runbooks.filter(({ markdown, metadata }) => {
      const title = /^# (.+)$/m.exec(markdown)?.[1] ?? "";
      const symptoms = markdown.split("## Symptoms")[1]?.split("\n## ")[0] ?? "";
      return ![title, symptoms].some((text) => typeIn(name, text) === metadata.incident_type);
    });
    expect(missed.map(({ source }) => source)).toEqual([]);
  });

  it("claims no label of another domain", () => {
    const conflicts = definition === null ? [] : findLabelConflicts({ name, definition }, SHIPPED_DEFINITIONS);
    expect(conflicts.map(({ message }) => message)).toEqual([]);
  });
});

describe.each(TYPE_HEADLINES)("in the domain %s", (domain, headlines) => {
  it.each(headlines)("the type %s is recognised in %j", (type, headline) => {
    expect(typeIn(domain, headline)).toBe(type);
  });
});

describe.each(withTypes)("the incident types of $name", ({ definition: { incident_types } }) => {
  it("are in snake_case, without `unknown`", () => {
    for (const { name } of incident_types) expect(name).toMatch(/^(?!unknown$)[a-z][a-z0-9]*(_[a-z0-9]+)*$/);
  });

  it("each have a hint that is strong enough alone", () => {
    expect(incident_types.filter(({ hints }) => hints.every(({ weight }) => weight < 2))).toEqual([]);
  });
});

describe("a headline", () => {
  it.each([
    ["docker compose up fails on the CI host", "docker"],
    ["Node.js container exits with code 1", "application"],
    ["Pod api-7d9 is in CrashLoopBackOff", "kubernetes"],
    ["kubectl drain hangs", "kubernetes"],
    ["ImagePullBackOff after the release", "kubernetes"],
    ["FATAL 53300: too many clients", "postgres"],
    ["pg_wal fills the disk", "postgres"],
    ["podman container keeps restarting", "podman"],
    ["quadlet unit was not generated", "podman"],
    ["rootless container cannot write to its volume", "podman"],
    ["podman: deadlock, too many clients", "podman"],
    ["MySQL is down", "mysql"],
    ["redis latency", "redis"],
    ["Elasticsearch cluster health is red, 14 unassigned shards", "elasticsearch-opensearch"],
    ["helm upgrade failed: another operation (install/upgrade/rollback) is in progress", "helm-argocd"],
    ["Argo CD application shop is OutOfSync, ComparisonError", "helm-argocd"],
    ["Waiting for HTTP-01 challenge propagation: wrong status code '404', expected '200'", "cert-manager"],
    ["Vault is sealed after the restart, 503 on every secret", "vault-openbao"],
    ["Terraform state lock could not be acquired", "terraform-opentofu"],
    ["GitHub Actions: Resource not accessible by integration", "github-actions-ci"],
    ["PrometheusOutOfOrderTimestamps", "prometheus-alertmanager"],
    ["Prometheus is down", "prometheus-alertmanager"],
    ["celery worker lost: WorkerLostError signal 9", "celery-sidekiq"],
    ["NAT gateway ErrorPortAllocation above 0", "aws-networking"],
    ["Durable Object is overloaded. Too many requests queued.", "cloudflare-workers"],
    // They name a system beside the one that fails, or that reported it.
    ["Elasticsearch pod OOMKilled in namespace logging", "kubernetes"],
    ["Pods in CrashLoopBackOff after helm upgrade", "kubernetes"],
    ["EKS nodes NotReady after terraform apply", "kubernetes"],
    ["pods stuck in ContainerCreating: failed to assign an IP address to container", "kubernetes"],
    ["kubelet serving certificate has expired, x509", "kubernetes"],
    ["Let's Encrypt certificate renewal failed on web-1, certbot", "host"],
    ["Prometheus reports that redis is down", "redis"],
    ["RabbitMQ queue celery grows, no consumers", "rabbitmq"],
    ["redis max number of clients reached, celery and sidekiq cannot connect", "redis"],
    ["postgres refuses the application since the vault rotation", "postgres"],
    ["nginx upstream timed out behind the load balancer, 504", "nginx"],
    ["GitHub Actions job fails: npm error code E404", "application"],
    ["worker threads exhausted in checkout", "application"],
  ])("%j goes to %s", (headline, name) => {
    expect(route(headline)).toMatchObject({ name, decidedBy: "words", limitsSearch: false });
  });

  it.each(SHIPPED_DOMAINS.filter(({ name }) => !BROAD.has(name)))("that names $name goes there", ({ name }) => {
    expect(route(`${name} is slow since the release`).name).toBe(name);
    expect(route(`${name.toUpperCase()}: deadlock in the cluster, disk full`).name).toBe(name);
  });

  it.each([
    "",
    "api-gateway container exited with code 137",
    "node worker-3 is NotReady",
    "deadlock detected while updating orders",
    "replication lag on the standby is 20 minutes",
    "the database answers slowly",
    "container is gone",
    "the queue is long",
    "cluster is slow",
    "the deployment failed",
    "timeout of the connection",
    "MongoDB replica set",
    "SQL Server deadlock",
    "Prometheus alert HighRequestLatency on checkout",
    "nodes are gone after terraform apply",
    "the worker is overloaded",
    "the index is corrupt",
    "the certificate expires in 3 days",
    "the token has expired",
    "the plan changed its state",
    "podiatry",
    "dockerless",
    "postgrest-like",
    "unpodmanned",
  ])("%j names no domain that ships", (headline) => {
    expect(route(headline)).toMatchObject({ name: GENERAL_DOMAIN, decidedBy: "none" });
  });
});

type Labels = Readonly<Record<string, string>>;

describe("labels", () => {
  it.each<[Labels, string]>([
    [{ source_type: "database" }, "postgres"],
    [{ container_runtime: "podman" }, "podman"],
    [{ container_runtime: "kubernetes" }, "kubernetes"],
    [{ container_runtime: "docker" }, "docker"],
  ])("%j limit the search, whatever the words say", (labels, name) => {
    const [[key, value] = []] = Object.entries(labels);
    expect(route("kubectl: deadlock in podman", labels)).toMatchObject({
      name,
      rule: `label ${key}=${value}`,
      decidedBy: "label",
      limitsSearch: true,
    });
  });

  it.each<[string, Labels, string, string]>([
    ["PostgreSQLDeadLocks", { datname: "orders", instance: "db:9187" }, "postgres", "label datname"],
    ["PostgreSQLDown", { job: "postgres-exporter", pod: "pg-0" }, "postgres", "label job=postgres-exporter"],
    ["PgBouncerWaiting", { job: "pgbouncer" }, "postgres", "label job=pgbouncer"],
    ["TargetDown", { job: "monitoring/pg" }, "postgres", "label job=monitoring/pg"],
    ["PodmanContainerDown", { job: "podman-exporter", name: "web" }, "podman", "label job=podman-exporter"],
  ])("of the alert %s decide: %j", (_alert, labels, name, rule) => {
    expect(labelledDomain(SHIPPED_CATALOG, labels)).toMatchObject({ name, rule });
  });

  it.each<Labels>([
    { job: "kube-state-metrics", namespace: "shop", pod: "web-1" },
    { namespace: "shop", container: "checkout" },
    { namespace: "kube-system", daemonset: "proxy" },
    { job: "kubelet" },
  ])("of the place name kubernetes only where no word names another: %j", (labels) => {
    const nameOf = (headline: string) => routeDomain(SHIPPED_CATALOG, { labels, headline, details: "" }).name;
    expect(labelledDomain(SHIPPED_CATALOG, labels)).toBeUndefined();
    expect(nameOf("It does not start")).toBe("kubernetes");
    expect(nameOf("Lock wait timeout exceeded; try restarting transaction")).toBe("mysql");
  });

  it.each<Labels>([
    {},
    { namespace: "shop" },
    { deployment: "blue" },
    { container: "web" },
    { pod: "" },
    { job: "jpgstore" },
    { job: "web" },
    { source_type: "metrics" },
    { Source_Type: "database" },
    { runtime: "podman" },
  ])("%j decide nothing", (labels) => {
    expect(labelledDomain(SHIPPED_CATALOG, labels)).toBeUndefined();
  });

  it.each(["MySQL deadlock", "redis latency", "MongoDB replica set", "SQL Server deadlock"])(
    "of any database decide nothing about %j",
    (headline) => {
      expect(labelledDomain(SHIPPED_CATALOG, { source_type: "database" }, headline)).toBeUndefined();
    },
  );

  it.each(["PostgreSQL deadlock", "postgres_fdw to another server", "Postgres and MySQL disagree", "predisposed"])(
    "of any database decide for postgres about %j",
    (headline) => {
      expect(labelledDomain(SHIPPED_CATALOG, { source_type: "database" }, headline)?.name).toBe("postgres");
    },
  );
});
