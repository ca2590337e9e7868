// Payloads of monitoring systems as they send them, one of each kind, about one outage of a shop.

export const NOW = new Date("2026-03-01T03:00:00Z");

const RUNBOOK = "https://wiki.example/runbooks/orders-db-cpu";

export const ALERTMANAGER = {
  version: "4",
  groupKey: '{}:{alertname="KubePodCrashLooping"}',
  truncatedAlerts: 0,
  status: "firing",
  receiver: "dejavu",
  groupLabels: { alertname: "KubePodCrashLooping" },
  commonLabels: { alertname: "KubePodCrashLooping", namespace: "shop", severity: "critical" },
  commonAnnotations: {},
  externalURL: "http://alertmanager.example:9093",
  alerts: [
    {
      status: "firing",
      labels: { alertname: "KubePodCrashLooping", namespace: "shop", pod: "checkout-1", severity: "critical" },
      annotations: { summary: "Pod is crash looping.", description: "back-off 5m0s", runbook_url: RUNBOOK },
      startsAt: "2026-03-01T02:55:12.345Z",
      endsAt: "0001-01-01T00:00:00Z",
      generatorURL: "http://prometheus.example:9090/graph?g0.tab=1",
      fingerprint: "505698848f8bc406",
    },
  ],
};

const GRAFANA_ALERT = {
  labels: { alertname: "DiskFull", grafana_folder: "Storage", instance: "db-1:9100", severity: "warning" },
  annotations: { summary: "/data is 97 % full", description: "4 GiB are left.", runbook_url: RUNBOOK },
  startsAt: "2026-03-01T03:55:00+01:00",
  endsAt: "0001-01-01T00:00:00Z",
  generatorURL: "https://grafana.example/alerting/grafana/de8x/view?orgId=1",
  fingerprint: "c6eadffa33fcdf37",
  silenceURL: "https://grafana.example/alerting/silence/new?alertmanager=grafana&matcher=alertname%3DDiskFull",
  dashboardURL: "https://grafana.example/d/disks?orgId=1",
  panelURL: "https://grafana.example/d/disks?orgId=1&viewPanel=4",
  values: { A: 97.1, C: 1 },
  valueString: "[ var='A' labels={instance=db-1:9100} value=97.1 ], [ var='C' labels={} value=1 ]",
};
export const GRAFANA = {
  receiver: "dejavu",
  status: "firing",
  orgId: 1,
  alerts: [
    { ...GRAFANA_ALERT, status: "resolved", endsAt: "2026-03-01T03:58:00+01:00" },
    {
      ...GRAFANA_ALERT,
      status: "firing",
      labels: { ...GRAFANA_ALERT.labels, instance: "db-2:9100" },
      fingerprint: "b7eadffa33fcdf38",
    },
  ],
  groupLabels: { alertname: "DiskFull", grafana_folder: "Storage" },
  commonLabels: { alertname: "DiskFull", grafana_folder: "Storage", severity: "warning" },
  commonAnnotations: { runbook_url: RUNBOOK },
  externalURL: "https://grafana.example/",
  version: "1",
  groupKey: '{}/{}:{alertname="DiskFull"}',
  truncatedAlerts: 0,
  title: "[FIRING:1, RESOLVED:1] DiskFull Storage (warning)",
  state: "alerting",
  message: "**Firing**\n\nValue: A=97.1\n",
};
/** The alerts themselves have neither a status nor the name of their rule. */
export const GRAFANA_GROUP_STATUS = {
  ...GRAFANA,
  status: "resolved",
  alerts: [{ ...GRAFANA_ALERT, labels: { instance: "db-1:9100" }, endsAt: "2026-03-01T03:58:00+01:00" }],
};

export const OPSGENIE = {
  action: "Create",
  alert: {
    alertId: "9c1f0a52-3f0e-4b7d-9a61-5f6f7a2c1d10-1772333712345",
    tinyId: "1482",
    alias: "orders-db/too-many-connections",
    message: "orders-db: too many connections",
    description: "97 of 100 connections are in use.",
    priority: "P1",
    entity: "orders-db",
    source: "10.0.4.12",
    tags: ["production"],
    details: { runbook_url: RUNBOOK },
    createdAt: 1772333700000,
    updatedAt: 1772333700000000000,
  },
  source: { name: "", type: "api" },
  integrationName: "Dejavu",
};

export const PAGERDUTY = {
  event: {
    id: "01FQ1AAAAAAAAAAAAAAAAAAAAA",
    event_type: "incident.resolved",
    resource_type: "incident",
    occurred_at: "2026-03-01T02:59:00.169Z",
    data: {
      id: "Q1XK2P7RZ0ABCD",
      type: "incident",
      html_url: "https://example.pagerduty.com/incidents/Q1XK2P7RZ0ABCD",
      number: 4711,
      status: "resolved",
      created_at: "2026-03-01T02:55:00Z",
      title: "Checkout answers 502",
      service: { id: "PF9KMXQ", summary: "checkout", type: "service_reference" },
      priority: { id: "PSO75BQ", summary: "P2", type: "priority_reference" },
      urgency: "high",
    },
  },
};

/** The template of docs/guides/alerts.md with the variables replaced. */
export const DATADOG = {
  id: "7428956323719245",
  alert_id: "91827364",
  alert_transition: "Triggered",
  alert_priority: "P2",
  alert_type: "error",
  priority: "normal",
  event_title: "[Triggered on {host:orders-db-1,env:prod}] CPU of orders-db is high",
  event_msg: `CPU has been above 90 % for 5 minutes.\nRunbook: ${RUNBOOK}\n@webhook-dejavu`,
  alert_query: "avg(last_5m):avg:system.cpu.user{service:orders-db} by {host} > 90",
  alert_scope: "env:prod,host:orders-db-1",
  hostname: "orders-db-1",
  tags: "env:prod,host:orders-db-1,monitor,service:orders-db,team:payments",
  link: "https://app.datadoghq.com/event/event?id=7428956323719245",
  date: "1772333700000",
  last_updated: "1772333701000",
};

const METRIC_ALARM = {
  AlarmName: "orders-db-cpu-high",
  AlarmDescription: `CPU of orders-db is above 90 %. Runbook: ${RUNBOOK}`,
  AWSAccountId: "123456789012",
  AlarmConfigurationUpdatedTimestamp: "2026-02-20T10:00:00.000+0000",
  NewStateValue: "ALARM",
  NewStateReason:
    "Threshold Crossed: 1 out of the last 1 datapoints [97.5 (01/03/26 02:50:00)] was greater than the threshold (90.0) (minimum 1 datapoint for OK -> ALARM transition).",
  StateChangeTime: "2026-03-01T02:55:12.345+0000",
  Region: "EU (Frankfurt)",
  AlarmArn: "arn:aws:cloudwatch:eu-central-1:123456789012:alarm:orders-db-cpu-high",
  OldStateValue: "OK",
  OKActions: ["arn:aws:sns:eu-central-1:123456789012:dejavu"],
  AlarmActions: ["arn:aws:sns:eu-central-1:123456789012:dejavu"],
  InsufficientDataActions: [],
  AlarmTags: { severity: "critical", team: "payments" },
  AlarmTagsStatus: "SUCCESS",
  Trigger: {
    MetricName: "CPUUtilization",
    Namespace: "AWS/RDS",
    StatisticType: "Statistic",
    Statistic: "AVERAGE",
    Unit: null,
    Dimensions: [{ value: "orders-db", name: "DBInstanceIdentifier" }],
    Period: 300,
    EvaluationPeriods: 1,
    DatapointsToAlarm: 1,
    ComparisonOperator: "GreaterThanThreshold",
    Threshold: 90.0,
    TreatMissingData: "missing",
    EvaluateLowSampleCountPercentile: "",
  },
};
export const SNS_ENVELOPE = {
  Type: "Notification",
  MessageId: "165545c9-2a5c-472c-8df2-7ff2be2b3b1b",
  TopicArn: "arn:aws:sns:eu-central-1:123456789012:dejavu",
  Subject: 'ALARM: "orders-db-cpu-high" in EU (Frankfurt)',
  Message: JSON.stringify(METRIC_ALARM),
  Timestamp: "2026-03-01T02:55:12.400Z",
  SignatureVersion: "1",
  Signature: "EXAMPLE",
  SigningCertURL:
    "https://sns.eu-central-1.amazonaws.com/SimpleNotificationService-f3ecfb7224c7233fe7bb5f59f96de52f.pem",
  UnsubscribeURL:
    "https://sns.eu-central-1.amazonaws.com/?Action=Unsubscribe&SubscriptionArn=arn:aws:sns:eu-central-1:1",
};

export const EVENTBRIDGE = {
  version: "0",
  id: "2dde0eb1-528b-d2d5-9ca6-6d590caf2329",
  "detail-type": "CloudWatch Alarm State Change",
  source: "aws.cloudwatch",
  account: "123456789012",
  time: "2026-03-01T02:58:00Z",
  region: "us-east-1",
  resources: ["arn:aws:cloudwatch:us-east-1:123456789012:alarm:CheckoutErrors"],
  detail: {
    alarmName: "CheckoutErrors",
    configuration: {
      description: `Errors of the function checkout. runbook_url=${RUNBOOK}`,
      metrics: [
        {
          id: "m1",
          metricStat: {
            metric: {
              namespace: "AWS/Lambda",
              name: "Errors",
              dimensions: { FunctionName: "checkout", Resource: "checkout:live" },
            },
            period: 60,
            stat: "Sum",
          },
          returnData: true,
        },
      ],
    },
    previousState: { reason: "Threshold Crossed", timestamp: "2026-03-01T02:50:00.000+0000", value: "ALARM" },
    state: {
      reason: "Threshold Crossed: 1 out of the last 1 datapoints [0.0] was not greater than the threshold (5.0).",
      reasonData: "{}",
      timestamp: "2026-03-01T02:58:00.000+0000",
      value: "OK",
    },
    alarmTags: { severity: "high" },
  },
};

const AZURE_ESSENTIALS = {
  alertId:
    "/subscriptions/11111111-1111-1111-1111-111111111111/providers/Microsoft.AlertsManagement/alerts/b9569717-bc32-442f-add5-83a997729330",
  alertRule: "orders-vm cpu",
  severity: "Sev1",
  signalType: "Metric",
  monitorCondition: "Fired",
  monitoringService: "Platform",
  alertTargetIDs: [
    "/subscriptions/11111111-1111-1111-1111-111111111111/resourcegroups/shop/providers/microsoft.compute/virtualmachines/orders-vm",
  ],
  configurationItems: ["orders-vm"],
  originAlertId: "11111111-1111-1111-1111-111111111111_shop_Microsoft.Insights_metricAlerts_orders-vm cpu_-1177812271",
  firedDateTime: "2026-03-01T02:55:24.3713213Z",
  description: "The CPU of orders-vm is above 90 %.",
  essentialsVersion: "1.0",
  alertContextVersion: "1.0",
};
export const AZURE_METRIC = {
  schemaId: "azureMonitorCommonAlertSchema",
  data: {
    essentials: AZURE_ESSENTIALS,
    alertContext: {
      properties: null,
      conditionType: "SingleResourceMultipleMetricCriteria",
      condition: {
        windowSize: "PT5M",
        allOf: [
          {
            metricName: "Percentage CPU",
            metricNamespace: "Microsoft.Compute/virtualMachines",
            operator: "GreaterThan",
            threshold: "90",
            timeAggregation: "Average",
            dimensions: [{ name: "ResourceId", value: "3efad9dc-3d50-4eac-9c87-8b3fd6f97e4e" }],
            metricValue: 97.734,
          },
        ],
      },
    },
    customProperties: { team: "payments", runbook_url: RUNBOOK },
  },
};
export const AZURE_PROMETHEUS = {
  schemaId: "azureMonitorCommonAlertSchema",
  data: {
    essentials: { ...AZURE_ESSENTIALS, alertRule: "KubePodCrashLooping", monitoringService: "Prometheus" },
    alertContext: {
      interval: "PT1M",
      expression: "increase(kube_pod_container_status_restarts_total[15m]) > 3",
      labels: { alertname: "KubePodCrashLooping", namespace: "shop", pod: "checkout-x2x4z" },
      annotations: { description: "shop/checkout-x2x4z restarts every 3 minutes." },
    },
    customProperties: {},
  },
};
export const AZURE_LOG = {
  schemaId: "azureMonitorCommonAlertSchema",
  data: {
    essentials: {
      ...AZURE_ESSENTIALS,
      alertRule: "checkout exceptions",
      severity: "Sev3",
      signalType: "Log",
      monitorCondition: "Resolved",
      monitoringService: "Log Alerts V2",
      alertTargetIDs: [
        "/subscriptions/11111111-1111-1111-1111-111111111111/resourcegroups/shop/providers/microsoft.operationalinsights/workspaces/shop-logs",
      ],
      configurationItems: [
        "/subscriptions/11111111-1111-1111-1111-111111111111/resourceGroups/shop/providers/Microsoft.OperationalInsights/workspaces/shop-logs",
      ],
      originAlertId: "4c1f3a52-3f0e-4b7d-9a61-5f6f7a2c1d10",
      firedDateTime: "2026-03-01T02:50:00.1234567Z",
      resolvedDateTime: "2026-03-01T02:58:00.7654321Z",
      description: "",
      investigationLink:
        "https://portal.azure.com/#view/Microsoft_Azure_Monitoring_Alerts/Investigation.ReactView/alertId/b956",
    },
    alertContext: {
      properties: {},
      conditionType: "LogQueryCriteria",
      condition: {
        windowSize: "PT10M",
        allOf: [
          {
            searchQuery: "AppExceptions | where AppRoleName == 'checkout' | summarize count()",
            metricMeasureColumn: null,
            targetResourceTypes: "['Microsoft.OperationalInsights/workspaces']",
            operator: "GreaterThan",
            threshold: "3",
            timeAggregation: "Count",
            dimensions: [{ name: "AppRoleName", value: "checkout" }],
            metricValue: 17,
            failingPeriods: { numberOfEvaluationPeriods: 1, minFailingPeriodsToAlert: 1 },
            linkToSearchResultsUI:
              "https://portal.azure.com#@1111/blade/Microsoft_Azure_Monitoring_Logs/LogsBlade/source/Alerts.EmailLinks",
          },
        ],
        windowStartTime: "2026-03-01T02:40:00Z",
        windowEndTime: "2026-03-01T02:50:00Z",
      },
    },
    customProperties: null,
  },
};

export const GCP = {
  incident: {
    incident_id: "0.mz4b7xk2p1qd",
    scoping_project_id: "shop-prod",
    scoping_project_number: 12345,
    url: "https://console.cloud.google.com/monitoring/alerting/alerts/0.mz4b7xk2p1qd?channelType=webhook&project=shop-prod",
    severity: "Error",
    started_at: 1772333700,
    ended_at: null,
    state: "open",
    summary:
      "CPU utilization for shop-prod orders-db with metric labels {instance_name=orders-db} is above the threshold of 0.900 with a value of 0.973.",
    observed_value: "0.973",
    threshold_value: "0.9",
    resource: {
      type: "gce_instance",
      labels: { instance_id: "11223344", project_id: "shop-prod", zone: "europe-west3-a" },
    },
    resource_id: "11223344",
    resource_display_name: "orders-db",
    resource_name: "shop-prod orders-db",
    resource_type_display_name: "VM Instance",
    metric: {
      type: "compute.googleapis.com/instance/cpu/utilization",
      displayName: "CPU utilization",
      labels: { instance_name: "orders-db" },
    },
    metadata: { system_labels: {}, user_labels: { team: "payments" } },
    policy_name: "orders-db CPU",
    policy_user_labels: { tier: "1" },
    documentation: {
      content: "CPU of the orders database is high.",
      mime_type: "text/markdown",
      subject: "[ALERT - Error] orders-db CPU",
      links: [{ displayName: "Runbook", url: RUNBOOK }],
    },
    condition: {
      name: "projects/shop-prod/alertPolicies/1234567890123456789/conditions/1234567890123456789",
      displayName: "CPU above 90 %",
      conditionThreshold: { comparison: "COMPARISON_GT", thresholdValue: 0.9, duration: "300s" },
    },
    condition_name: "CPU above 90 %",
  },
  version: "1.2",
};

export const AMTOOL = `Alertname            Starts At                Summary                             State
KubePodCrashLooping  2026-03-01 02:55:12 UTC  Pod checkout-1 is crash looping.    active
HighErrorRate        2026-03-01 02:56:00 UTC  5xx rate of checkout is above 5 %.  suppressed
`;
