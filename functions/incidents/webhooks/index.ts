// The registry of webhooks: the endpoints and the alert sources come from this list.

import { alertmanager } from "./alertmanager.ts";
import { azure } from "./azure.ts";
import { cloudwatch } from "./cloudwatch.ts";
import { datadog } from "./datadog.ts";
import { googleCloud } from "./google-cloud.ts";
import { grafana } from "./grafana.ts";
import { opsgenie } from "./opsgenie.ts";
import { pagerduty } from "./pagerduty.ts";

export const WEBHOOKS = [alertmanager, grafana, pagerduty, opsgenie, datadog, cloudwatch, azure, googleCloud] as const;

type RegisteredWebhook = (typeof WEBHOOKS)[number];

/** Stored alerts hold these names: without one, incidents with its alerts cannot be read. */
export type AlertSource = RegisteredWebhook["name"];
export const ALERT_SOURCES: readonly AlertSource[] = WEBHOOKS.map(({ name }) => name);
