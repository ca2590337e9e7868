// The systems that send alerts, changes or questions: their settings with the address and the token. Pure functions.

import { slackApp } from "../../../../functions/schemas/slack-app.ts";

export interface ConnectedSystem {
  readonly id: string;
  readonly name: string;
  /** Where it is set up, in its own words. Code is in backticks, here and in `test`. */
  readonly place: string;
  /** Null where the sender signs instead. */
  readonly scopes: readonly ("report" | "triage" | "read" | "feedback")[] | null;
  readonly address: (origin: string) => string;
  /** What it sends, which says where to look for what was received. */
  readonly sends: "alerts" | "changes" | "questions";
  /** What to paste. */
  readonly settings: (address: string, token: string) => string;
  /** Sends something by itself. */
  readonly test: string;
}

const REPORT = ["report"] as const;
const alerts = (name: string) => (origin: string) => `${origin}/v1/alerts/${name}`;
const header = (_: string, token: string) => `Authorization: Bearer ${token}`;
/** For senders that cannot set a header. */
const withPassword = (address: string, token: string) => address.replace("://", `://dejavu:${token}@`);

export const SYSTEMS: readonly ConnectedSystem[] = [
  {
    id: "alertmanager",
    name: "Alertmanager",
    place: "Add the receiver to `alertmanager.yml`, and give it to a route.",
    scopes: REPORT,
    sends: "alerts",
    address: alerts("alertmanager"),
    settings: (address, token) =>
      `receivers:
  - name: dejavu
    webhook_configs:
      - url: ${address}
        send_resolved: true
        max_alerts: 500
        http_config:
          authorization:
            credentials: ${token}`,
    test: "`amtool alert add Watchdog severity=none`",
  },
  {
    id: "grafana",
    name: "Grafana",
    place:
      "Alerting → Contact points → Add. Integration Webhook, this address, and the token as Authorization header credentials.",
    scopes: REPORT,
    sends: "alerts",
    address: alerts("grafana"),
    settings: (_, token) => token,
    test: "The button Test of the contact point.",
  },
  {
    id: "pagerduty",
    name: "PagerDuty",
    place:
      "Integrations → Generic Webhooks (v3) → New Webhook, with the events `incident.triggered`, `incident.reopened` and `incident.resolved`. PagerDuty shows a secret once: store it as `PAGERDUTY_WEBHOOK_SECRET` in the Worker.",
    scopes: null,
    sends: "alerts",
    address: alerts("pagerduty"),
    settings: () => "npx wrangler secret put PAGERDUTY_WEBHOOK_SECRET --env production",
    test: "The button Send Test Event of the webhook.",
  },
  {
    id: "opsgenie",
    name: "Opsgenie",
    place: "Add a Webhook integration with this address, the alert actions Create and Close, and the custom header.",
    scopes: REPORT,
    sends: "alerts",
    address: alerts("opsgenie"),
    settings: header,
    test: "Create an alert by hand, and close it.",
  },
  {
    id: "datadog",
    name: "Datadog",
    place:
      "Integrations → Webhooks → New, with this address, the payload of our guide to alerts, and the custom header. Add `@webhook-dejavu` to each monitor.",
    scopes: REPORT,
    sends: "alerts",
    address: alerts("datadog"),
    settings: (_, token) => JSON.stringify({ Authorization: `Bearer ${token}` }),
    test: "Test Notifications of a monitor.",
  },
  {
    id: "cloudwatch",
    name: "Amazon CloudWatch",
    place: "Send the alarm to an SNS topic for In alarm and OK, and subscribe Dejavu to the topic. It confirms itself.",
    scopes: REPORT,
    sends: "alerts",
    address: alerts("cloudwatch"),
    settings: (address, token) =>
      `aws sns subscribe --topic-arn <topic> --protocol https --notification-endpoint '${withPassword(address, token)}'`,
    test: "`aws cloudwatch set-alarm-state --alarm-name <alarm> --state-value ALARM --state-reason test`",
  },
  {
    id: "azure",
    name: "Azure Monitor",
    place: "Add an action Webhook with this URI to an action group, and enable the common alert schema.",
    scopes: REPORT,
    sends: "alerts",
    address: alerts("azure"),
    settings: withPassword,
    test: "The button Test of the action group.",
  },
  {
    id: "google-cloud",
    name: "Google Cloud Monitoring",
    place:
      "Alerting → Edit notification channels → Webhooks, with this address and HTTP Basic Auth: any name, and the token as its password.",
    scopes: REPORT,
    sends: "alerts",
    address: alerts("google-cloud"),
    settings: (_, token) => token,
    test: "The button Test Connection of the channel.",
  },
  {
    id: "slack",
    name: "Slack",
    place:
      "At api.slack.com/apps, Create New App from this manifest, and Install to Workspace. Store its signing secret as `SLACK_SIGNING_SECRET` and its bot token as `SLACK_BOT_TOKEN` in the Worker, with `npx wrangler secret put`.",
    scopes: null,
    sends: "questions",
    address: (origin) => `${origin}/slack`,
    settings: (address) => JSON.stringify(slackApp(address), null, 2),
    test: "`/triage help` in a channel. Then `/invite @dejavu` there, and add the channel as a notification target.",
  },
  {
    id: "github",
    name: "GitHub",
    place:
      "Settings → Webhooks → Add webhook, with content type `application/json` and the events Deployments, Deployment statuses and Releases. Its secret, of at least 16 characters, is `GITHUB_WEBHOOK_SECRET` of the Worker.",
    scopes: null,
    sends: "changes",
    address: (origin) => `${origin}/v1/changes/github`,
    settings: () => "npx wrangler secret put GITHUB_WEBHOOK_SECRET",
    test: "Redeliver a delivery of the webhook, or publish a release.",
  },
  {
    id: "agent",
    name: "An agent (MCP)",
    place: "Claude Code, in a terminal; our guide to agents has the other clients.",
    scopes: ["triage", "read", "feedback"],
    sends: "questions",
    address: (origin) => `${origin}/mcp`,
    settings: (address, token) =>
      `claude mcp add --transport http dejavu "${address}" --header "Authorization: Bearer ${token}"`,
    test: "Ask the agent for the previous fixes of an error.",
  },
];

/** In place of a token that is not made yet. */
export const NO_TOKEN = "<token>";

/** In the form of Alertmanager, which every token of a sender may use. It is no incident, and closes itself. */
export function testAlert(now: number) {
  const status = "firing" as const;
  const labels = { alertname: "Watchdog", severity: "info" };
  const alert = { status, labels, startsAt: new Date(now).toISOString(), fingerprint: "test" };
  return { version: "4" as const, groupKey: "test", status, alerts: [alert] };
}
