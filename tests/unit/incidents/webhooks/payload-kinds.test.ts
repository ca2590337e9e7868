import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readAlerts } from "../../../../cli/input/read-alerts.ts";
import { readReport } from "../../../../functions/incidents/read-report.ts";
import { tableAlerts } from "../../../../functions/incidents/webhooks/alert-table.ts";
import { createTargetOf } from "../../../../functions/incidents/webhooks/alert-target.ts";
import { datadog } from "../../../../functions/incidents/webhooks/datadog.ts";
import { WEBHOOKS } from "../../../../functions/incidents/webhooks/index.ts";
import type { Webhook } from "../../../../functions/incidents/webhooks/webhook.ts";
import { EMPTY_CATALOG } from "../../../../functions/knowledge/domains/domain-catalog.ts";
import type { Alert } from "../../../../functions/schemas/alert.ts";
import * as payloads from "./payloads.ts";

const CONTEXT = { receivedAt: payloads.NOW, targetOf: createTargetOf(EMPTY_CATALOG) };

function alertsOf(source: string, payload: unknown): readonly Alert[] {
  if (typeof payload === "string") return tableAlerts(payload, CONTEXT)?.alerts ?? [];
  const webhook = (WEBHOOKS as readonly Webhook[]).find(({ name }) => name === source);
  const parsed = webhook?.schema.safeParse(payload);
  return webhook === undefined || !parsed?.success ? [] : webhook.toAlerts(parsed.data, CONTEXT).alerts;
}

const EXPECTED: readonly (readonly [
  kind: string,
  source: string,
  payload: unknown,
  place: number,
  alert: readonly [name: string, target: string | null, severity: string, start: string, status: string],
])[] = [
  [
    "Alertmanager v4",
    "alertmanager",
    payloads.ALERTMANAGER,
    0,
    ["KubePodCrashLooping", "checkout-1", "critical", "2026-03-01T02:55:12.345Z", "firing"],
  ],
  [
    "Grafana unified",
    "grafana",
    payloads.GRAFANA,
    1,
    ["DiskFull", "db-2:9100", "medium", "2026-03-01T02:55:00.000Z", "firing"],
  ],
  [
    "Grafana with the status of the group",
    "grafana",
    payloads.GRAFANA_GROUP_STATUS,
    0,
    ["DiskFull", "db-1:9100", "medium", "2026-03-01T02:55:00.000Z", "resolved"],
  ],
  [
    "Opsgenie",
    "opsgenie",
    payloads.OPSGENIE,
    0,
    ["orders-db: too many connections", "orders-db", "critical", "2026-03-01T02:55:00.000Z", "firing"],
  ],
  [
    "PagerDuty v3",
    "pagerduty",
    payloads.PAGERDUTY,
    0,
    ["Checkout answers 502", "checkout", "high", "2026-03-01T02:55:00.000Z", "resolved"],
  ],
  [
    "Datadog",
    "datadog",
    payloads.DATADOG,
    0,
    ["CPU of orders-db is high", "orders-db-1", "high", "2026-03-01T02:55:00.000Z", "firing"],
  ],
  [
    "CloudWatch through SNS",
    "cloudwatch",
    payloads.SNS_ENVELOPE,
    0,
    ["orders-db-cpu-high", "orders-db", "critical", "2026-03-01T02:55:12.345Z", "firing"],
  ],
  [
    "CloudWatch through EventBridge",
    "cloudwatch",
    payloads.EVENTBRIDGE,
    0,
    ["CheckoutErrors", "checkout", "high", "2026-03-01T02:58:00.000Z", "resolved"],
  ],
  [
    "Azure metric alert",
    "azure",
    payloads.AZURE_METRIC,
    0,
    ["orders-vm cpu", "orders-vm", "high", "2026-03-01T02:55:24.371Z", "firing"],
  ],
  [
    "Azure Prometheus alert",
    "azure",
    payloads.AZURE_PROMETHEUS,
    0,
    ["KubePodCrashLooping", "checkout-x2x4z", "high", "2026-03-01T02:55:24.371Z", "firing"],
  ],
  [
    "Azure log alert",
    "azure",
    payloads.AZURE_LOG,
    0,
    ["checkout exceptions", "shop-logs", "low", "2026-03-01T02:50:00.123Z", "resolved"],
  ],
  [
    "Google Cloud metric",
    "google-cloud",
    payloads.GCP,
    0,
    ["orders-db CPU", "orders-db", "high", "2026-03-01T02:55:00.000Z", "firing"],
  ],
  [
    "amtool table",
    "amtool",
    payloads.AMTOOL,
    0,
    ["KubePodCrashLooping", null, "medium", "2026-03-01T02:55:12.000Z", "firing"],
  ],
];

describe("the alert's name, target, severity, start and status", () => {
  it.each(EXPECTED)("are read from %s", (_kind, source, payload, place, expected) => {
    const alert = alertsOf(source, payload)[place];
    expect([alert?.alertname, alert?.target, alert?.severity, alert?.startsAt.toISOString(), alert?.status]).toEqual(
      expected,
    );
  });
});

describe("an odd but legal payload", () => {
  it("of Datadog may have the title of the alert, and its text no marks and no mentions", () => {
    const text = "%%%\n@webhook-dejavu CPU is 97 %\n\nMetric value: 97\n%%%";
    const [alert] = alertsOf("datadog", { alert_transition: "Triggered", alert_title: "CPU is high", body: text });
    expect(alert).toMatchObject({ alertname: "CPU is high", description: "CPU is 97 %\n\nMetric value: 97" });
  });

  it("of Datadog may have the priority only in its title", () => {
    const [alert] = alertsOf("datadog", { title: "[P1] [Triggered on {host:a-1}] CPU is high" });
    expect(alert).toMatchObject({ alertname: "CPU is high", severity: "critical", target: "a-1" });
  });

  it("of Grafana may hide the name of the rule, and say what does not hold without data", () => {
    const labels = { alertname: "DatasourceNoData", rulename: "Checkout is slow" };
    const summary = "p99 is above 2 s";
    const payload = { version: "1", status: "firing", commonAnnotations: { summary } };
    const alerts = [{ labels, annotations: { summary, grafana_state_reason: "NoData" } }];
    const name = "Checkout is slow: DatasourceNoData";
    const description = "Text of the rule: p99 is above 2 s\ngrafana_state_reason: NoData";
    expect(alertsOf("grafana", { ...payload, alerts })).toMatchObject([{ alertname: name, title: name, description }]);
  });

  it("of Google Cloud may name a database with its project", () => {
    const resource = { type: "cloudsql_database", labels: { project_id: "shop", database_id: "shop:orders" } };
    const incident = { incident_id: "0.a", state: "open", policy_name: "Slow", started_at: 1772333700, resource };
    expect(alertsOf("google-cloud", { incident })).toMatchObject([{ target: "orders" }]);
  });

  it("of Alertmanager may have the names of OpenTelemetry", () => {
    const labels = {
      alertname: "Slow",
      "k8s.namespace.name": "shop",
      "service.name": "cart",
      k8s_pod_name: "cart-0",
      host_name: "a",
    };
    const bare = { ...payloads.ALERTMANAGER, groupLabels: {}, commonLabels: {} };
    const [alert] = alertsOf("alertmanager", { ...bare, alerts: [{ status: "firing", labels }] });
    expect(alert).toMatchObject({
      target: "cart-0",
      namespace: "shop",
      labels: { ...labels, service: "cart", host: "a" },
    });
  });

  it("of Google Cloud may have blank texts, and labels that are numbers", () => {
    const resource = { type: "cloud_run_revision", labels: { service_name: "quotes", port: 8080 } };
    const blank = { resource_display_name: "", resource_name: "", severity: " ", summary: "" };
    const incident = {
      incident_id: "0.a",
      state: "open",
      policy_name: "Slow",
      started_at: 1772333700,
      resource,
      ...blank,
    };
    expect(alertsOf("google-cloud", { incident })).toMatchObject([
      { title: "Slow on quotes", target: "quotes", severity: "medium", labels: { port: "8080" } },
    ]);
  });
});

describe("the labels, the link to the sender, the runbook and the description", () => {
  it.each<readonly [string, string, unknown, Partial<Alert>, readonly string[]]>([
    [
      "Alertmanager",
      "alertmanager",
      payloads.ALERTMANAGER,
      { labels: expect.objectContaining({ namespace: "shop" }), namespace: "shop" },
      ["back-off", "link: http://prometheus.example:9090/graph?g0.tab=1"],
    ],
    [
      "Grafana",
      "grafana",
      payloads.GRAFANA,
      { labels: expect.objectContaining({ grafana_folder: "Storage" }) },
      ["4 GiB", "values: [ var='A'", "silence: https://grafana.example/alerting/silence/new", "viewPanel=4"],
    ],
    [
      "Datadog",
      "datadog",
      payloads.DATADOG,
      { labels: expect.objectContaining({ team: "payments", service: "orders-db", tags: "monitor" }) },
      ["above 90 %", "query: avg(last_5m)", "link: https://app.datadoghq.com/event"],
    ],
    [
      "CloudWatch through SNS",
      "cloudwatch",
      payloads.SNS_ENVELOPE,
      { labels: expect.objectContaining({ team: "payments", metric_name: "CPUUtilization", region: "eu-central-1" }) },
      ["Threshold Crossed", "link: https://eu-central-1.console.aws.amazon.com/cloudwatch/home?region=eu-central-1#"],
    ],
    [
      "CloudWatch through EventBridge",
      "cloudwatch",
      payloads.EVENTBRIDGE,
      { labels: expect.objectContaining({ FunctionName: "checkout", metric_namespace: "AWS/Lambda" }) },
      ["Errors of the function", "link: https://us-east-1.console.aws.amazon.com"],
    ],
    [
      "Azure",
      "azure",
      payloads.AZURE_METRIC,
      { labels: expect.objectContaining({ team: "payments", resource_group: "shop", metric_name: "Percentage CPU" }) },
      ["Average Percentage CPU is 97.734, GreaterThan 90", "link: https://portal.azure.com/#blade"],
    ],
    [
      "Google Cloud",
      "google-cloud",
      payloads.GCP,
      { labels: expect.objectContaining({ team: "payments", tier: "1", zone: "europe-west3-a" }) },
      ["CPU of the orders database", "value: 0.973", "link: https://console.cloud.google.com/monitoring"],
    ],
  ])("of %s are kept", (_kind, source, payload, fields, texts) => {
    const [alert] = alertsOf(source, payload);
    expect(alert).toMatchObject({ ...fields, runbook: "https://wiki.example/runbooks/orders-db-cpu" });
    for (const text of texts) expect(alert?.description).toContain(text);
  });
});

describe("an alert of Datadog", () => {
  const read = (change: object) => alertsOf("datadog", { ...payloads.DATADOG, ...change })[0];

  it("has the same id when it ends, and the end as its time", () => {
    const recovered = read({ alert_transition: "Recovered", event_title: "[Recovered on {host:orders-db-1}] CPU" });
    expect(recovered).toMatchObject({ status: "resolved", endsLatest: true, fingerprint: read({})?.fingerprint });
  });

  it("is read from the payload that a webhook has without a template", () => {
    const plain = {
      body: "text",
      title: "[No Data on {host:a}] Heartbeat",
      date: "1772333700000",
      event_type: "metric",
    };
    expect(alertsOf("datadog", plain)).toMatchObject([
      { alertname: "Heartbeat", status: "firing", description: "text" },
    ]);
  });

  it("is of one group of its monitor, without a template too", () => {
    const [a, b, ended] = ["Triggered on {host:a}", "Triggered on {host:b}", "Recovered on {host:a}"].map(
      (prefix) => alertsOf("datadog", { title: `[${prefix}] CPU is high`, date: "1772333700000" })[0],
    );
    expect([a?.target, b?.target]).toEqual(["a", "b"]);
    expect(b?.fingerprint).not.toBe(a?.fingerprint);
    expect(ended).toMatchObject({ status: "resolved", fingerprint: a?.fingerprint });
  });

  it("is ignored when it repeats", () => {
    expect(alertsOf("datadog", { ...payloads.DATADOG, alert_transition: "Re-Triggered" })).toEqual([]);
  });

  it("has no value where a variable has none", () => {
    expect(
      read({
        alert_priority: "$ALERT_PRIORITY",
        alert_type: "null",
        hostname: "",
        alert_scope: "",
        event_title: "CPU",
      }),
    ).toMatchObject({
      severity: "medium",
      target: "orders-db",
    });
  });

  it("has fields for each variable of the documented template", () => {
    const guide = readFileSync(new URL("../../../../docs/guides/alerts.md", import.meta.url), "utf8");
    const template: object = JSON.parse(/^\{"alert_id".*\}$/m.exec(guide)?.[0] ?? "null");
    for (const name of Object.keys(template)) expect(datadog.schema.shape).toHaveProperty(name);
  });
});

describe("a message to CloudWatch's webhook", () => {
  it.each([
    ["text for people", "hello"],
    ["another service", '{"source":"aws.backup","detail":{}}'],
    ["an alarm without data", '{"AlarmName":"a","NewStateValue":"INSUFFICIENT_DATA"}'],
  ])("is ignored if it is %s", (_what, Message) => {
    expect(alertsOf("cloudwatch", { ...payloads.SNS_ENVELOPE, Message })).toEqual([]);
  });

  it("may be an alarm without an envelope", () => {
    expect(alertsOf("cloudwatch", JSON.parse(payloads.SNS_ENVELOPE.Message))).toHaveLength(1);
  });
});

describe("a table of amtool", () => {
  it("is read in its extended form, below a command", () => {
    const table = [
      "$ amtool alert query -o extended",
      "Labels                                          Annotations              Starts At                Ends At                  Generator URL              State",
      'alertname="DiskFull" instance="db-1" severity="critical"  summary="\\"/data\\" is full"  2026-03-01 02:55:12 UTC  2026-03-01 03:05:12 UTC  http://p.example/graph?a=b  active',
    ].join("\n");
    expect(tableAlerts(table, CONTEXT)?.alerts).toMatchObject([
      { alertname: "DiskFull", target: "db-1", severity: "critical", title: '"/data" is full' },
    ]);
  });

  it("gives a pasted text its title, and its active rows to the command line", () => {
    const text = `$ amtool alert query\n${payloads.AMTOOL}`;
    expect(readReport(text)).toMatchObject({ title: "Pod checkout-1 is crash looping.", logs: text });
    const titles = (table: string) => readAlerts(table, payloads.NOW)?.requests.map(({ title }) => title);
    expect(titles(text)).toEqual(["Pod checkout-1 is crash looping."]);
    // Who lists what is silenced alone asks about it.
    expect(titles(text.replace(/^KubePod.*\n/m, ""))).toEqual(["5xx rate of checkout is above 5 %."]);
  });

  it("is no other text", () => {
    expect(tableAlerts("Labels are missing.\nStarts At 3.", CONTEXT)).toBeNull();
  });
});

it.each([
  ["Datadog", payloads.DATADOG],
  ["CloudWatch", payloads.SNS_ENVELOPE],
  ["Azure", payloads.AZURE_METRIC],
  ["Google Cloud", payloads.GCP],
])("the command line reads a pasted webhook of %s", (_kind, payload) => {
  expect(readAlerts(JSON.stringify(payload), payloads.NOW)?.requests).toHaveLength(1);
});
