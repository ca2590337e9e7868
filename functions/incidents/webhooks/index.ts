// The registry of webhooks: the endpoints, the alert sources and the secrets in the settings all come from this list.

import type { z } from "@hono/zod-openapi";
import { alertmanager } from "./alertmanager.ts";
import { grafana } from "./grafana.ts";
import { opsgenie } from "./opsgenie.ts";
import { pagerduty } from "./pagerduty.ts";
import type { Webhook } from "./webhook.ts";

export const WEBHOOKS = [alertmanager, grafana, pagerduty, opsgenie] as const;

type RegisteredWebhook = (typeof WEBHOOKS)[number];

export type AlertSource = RegisteredWebhook["name"];
/** A registered webhook with any payload. */
export type AnyWebhook = Webhook<string, z.ZodType, WebhookSecretSetting>;

export const ALERT_SOURCES: readonly AlertSource[] = WEBHOOKS.map(({ name }) => name);

type SettingOf<Each> = Each extends { readonly signature?: { readonly secretSetting: infer Setting extends string } }
  ? Setting
  : never;
/** Settings that hold the secret of a webhook's signature. */
export type WebhookSecretSetting = SettingOf<RegisteredWebhook["authentication"]>;
