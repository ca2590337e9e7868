// A notification target as a person types it. Pure functions.

import type { paths } from "../../../../client/client.js";
import type { Severity } from "../../../../functions/schemas/incident-values.ts";
import type { Body } from "../../api/types.ts";
import { linesOf, wordsOf } from "./form-text.ts";

export type Target = Body<"/v1/notifications">["targets"][number];
type Definition = paths["/v1/notifications/{name}"]["put"]["requestBody"]["content"]["application/json"];

/** The fields of each kind beside those of all, and whether the Worker needs a secret. */
export const TARGET_KINDS = {
  slack: { product: "Slack", fields: ["channel"], holds: "a bot token; without one, SLACK_BOT_TOKEN serves" },
  teams: { product: "Microsoft Teams", fields: [], holds: "the address of the workflow" },
  webhook: { product: "A webhook of yours", fields: ["url"], holds: "the secret that signs each request" },
  pagerduty: { product: "Notes on PagerDuty incidents", fields: ["from"], holds: "an API key that may write" },
  opsgenie: { product: "Notes on Opsgenie alerts", fields: [], holds: "the key of an API integration" },
} as const satisfies Record<string, { product: string; fields: readonly Option[]; holds: string }>;
export type TargetKind = keyof typeof TARGET_KINDS;

type Option = "channel" | "url" | "from";
export const OPTIONS: Readonly<Record<Option, { readonly label: string; readonly placeholder: string }>> = {
  channel: { label: "Id of the channel", placeholder: "C024BE91L" },
  url: { label: "Address", placeholder: "https://hooks.example.com/dejavu" },
  from: { label: "E-mail address of the user who writes the notes", placeholder: "dejavu@example.com" },
};

export type TargetText = ReturnType<typeof targetText>;

/** @param target null: what a new one starts with */
export function targetText(target: Target | null) {
  const option = (name: Option) => String(target?.options[name] ?? "");
  const kind: TargetKind =
    Object.keys(TARGET_KINDS).find((each): each is TargetKind => each === target?.kind) ?? "slack";
  return {
    name: target?.name ?? "",
    kind,
    channel: option("channel"),
    url: option("url"),
    from: option("from"),
    credential: target?.credential ?? "",
    severity: target?.min_severity ?? ("info" as Severity),
    domains: target?.domains.join(", ") ?? "",
    matchers: target?.matchers.join("\n") ?? "",
    handover: target?.handover ?? "",
  };
}

/** The definition that the API stores. What the form does not show keeps its value. */
export function targetDefinition(text: TargetText, before: Target | null): Definition {
  const own = TARGET_KINDS[text.kind].fields.map((name) => [name, text[name].trim()]);
  const { outcomes, events, window_minutes, per_minute } = before ?? {};
  const kept = { outcomes, events, window_minutes, per_minute };
  return {
    ...(before === null ? {} : kept),
    kind: text.kind,
    options: { ...(before?.kind === text.kind ? before.options : {}), ...Object.fromEntries(own) },
    credential: text.credential.trim() || null,
    min_severity: text.severity,
    domains: wordsOf(text.domains),
    matchers: linesOf(text.matchers),
    handover: text.handover.trim() || null,
  } as Definition;
}
