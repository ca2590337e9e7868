// The registry of kinds of notification targets.

import { opsgenie } from "./opsgenie.ts";
import { pagerduty } from "./pagerduty.ts";
import { slack } from "./slack.ts";
import { teams } from "./teams.ts";
import { webhook } from "./webhook.ts";

export const NOTIFICATION_KINDS = [slack, teams, webhook, pagerduty, opsgenie] as const;
