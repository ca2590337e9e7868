// Webhooks of GitHub: deployment, deployment_status, release and push. The signature covers the body alone, so the body says
// which event it is, not the header.

import { z } from "@hono/zod-openapi";
import { optionalTime } from "../../incidents/webhooks/alert-times.ts";
import { hmacSha256, isSameSignature } from "../../incidents/webhooks/signatures.ts";
import type { SignatureContext } from "../../incidents/webhooks/webhook.ts";
import type { ChangeDelivery, ChangeSender, ReportedChange } from "./sender.ts";

const id = z.number().int();
/** GitHub leaves out a field, or sends null or an empty text. */
const optionalText = z
  .string()
  .nullish()
  .transform((text) => text || null);
const user = z
  .looseObject({ login: z.string() })
  .nullish()
  .transform((person) => person?.login ?? null);

const repositorySchema = z.looseObject({
  id,
  name: z.string().min(1),
  full_name: z.string(),
  html_url: optionalText,
  default_branch: optionalText,
  /** Seconds since 1970 in a push, a text in other events. */
  pushed_at: z.union([z.number(), z.string()]).nullish(),
});
type Repository = z.output<typeof repositorySchema>;

const deploymentSchema = z.looseObject({
  id,
  sha: z.string().min(7),
  ref: z.string(),
  task: optionalText,
  environment: optionalText,
  description: optionalText,
  transient_environment: z.boolean().nullish(),
  creator: user,
  created_at: optionalTime,
});

const statusSchema = z.looseObject({
  id,
  state: z.string(),
  environment: optionalText,
  log_url: optionalText,
  target_url: optionalText,
  creator: user,
  created_at: optionalTime,
});

const releaseSchema = z.looseObject({
  id,
  tag_name: z.string().min(1),
  name: optionalText,
  html_url: optionalText,
  author: user,
  published_at: optionalTime,
});

const pushSchema = z.looseObject({
  ref: z.string(),
  before: z.string(),
  after: z.string(),
  deleted: z.boolean().nullish(),
  compare: optionalText,
  commits: z.array(z.unknown()),
  head_commit: z
    .looseObject({ message: z.string() })
    .nullish()
    .transform((commit) => commit?.message.split("\n", 1)[0] || null),
  pusher: z
    .looseObject({ name: optionalText })
    .nullish()
    .transform((person) => person?.name ?? null),
  repository: repositorySchema,
});

/** The events that are stored, with the fields that only they have. */
const EVENTS = {
  deployment_status: z.looseObject({
    deployment_status: statusSchema,
    deployment: deploymentSchema,
    repository: repositorySchema,
  }),
  deployment: z.looseObject({ deployment: deploymentSchema, repository: repositorySchema }),
  release: z.looseObject({ release: releaseSchema, repository: repositorySchema }),
  push: pushSchema,
} as const;
type EventName = keyof typeof EVENTS;
type Parsed = {
  [Name in EventName]: { readonly name: Name; readonly body: z.output<(typeof EVENTS)[Name]> };
}[EventName];

const EXAMPLE = {
  action: "created",
  deployment_status: { id: 209916254, state: "success", environment: "production", created_at: "2026-03-01T02:41:00Z" },
  deployment: {
    id: 145988746,
    sha: "f95f852bd8fca8fcc58a9a2d6c842781e32a215e",
    ref: "v1.42.0",
    environment: "production",
    creator: { login: "dana" },
    created_at: "2026-03-01T02:38:00Z",
  },
  repository: {
    id: 186853002,
    name: "checkout",
    full_name: "shop/checkout",
    html_url: "https://github.com/shop/checkout",
    default_branch: "main",
  },
};

/** Only the fields of a stored event are checked: other events have others. */
const schema = z
  .looseObject({ action: optionalText })
  .openapi({ example: EXAMPLE })
  .transform((body, context): Parsed | null => {
    const name = eventOf(body);
    if (name === null) return null;
    const parsed = EVENTS[name].safeParse(body);
    if (parsed.success) return { name, body: parsed.data } as Parsed;
    for (const { path, message } of parsed.error.issues) context.addIssue({ code: "custom", path, message });
    return z.NEVER;
  });

/** Other events carry a deployment or a release, too, with other actions. */
function eventOf(body: Readonly<Record<string, unknown>>): EventName | null {
  if (body.deployment_status !== undefined) return body.action === "created" ? "deployment_status" : null;
  if (body.deployment !== undefined) return body.action === "created" ? "deployment" : null;
  if (body.release !== undefined) return body.action === "published" ? "release" : null;
  return body.ref !== undefined && body.after !== undefined && body.commits !== undefined ? "push" : null;
}

export const github: ChangeSender<"github", "/v1/changes/github", typeof schema> = {
  name: "github",
  path: "/v1/changes/github",
  summary: "Take the webhooks of GitHub",
  description:
    "Needs the secret GITHUB_WEBHOOK_SECRET. The header X-Hub-Signature-256 replaces the token. Stored are deployments with their statuses, published releases, and pushes to the default branch. The service is the name of the repository.",
  schema,
  signature: {
    secretSetting: "GITHUB_WEBHOOK_SECRET",
    verify: isSignedByGitHub,
    remedy:
      "Set the secret GITHUB_WEBHOOK_SECRET to the secret of the webhook, and its content type to application/json.",
  },
  whenTooLarge: "Leave the event push out of the webhook if pushes have thousands of commits.",
  toChanges,
};

/** The header is `sha256=<hex>`. */
function isSignedByGitHub(body: Uint8Array, headers: Headers, { secret }: SignatureContext): boolean {
  return isSameSignature(headers.get("x-hub-signature-256") ?? "", `sha256=${hmacSha256(secret, body)}`);
}

function toChanges(event: Parsed | null): ChangeDelivery {
  if (event === null) return ignore("webhook", "the event is no deployment, published release or push");
  switch (event.name) {
    case "deployment":
      return change(deploymentChange(event.body));
    case "deployment_status":
      return statusDelivery(event.body);
    case "release":
      return change(releaseChange(event.body));
    case "push":
      return pushDelivery(event.body);
  }
}

const change = (reported: ReportedChange): ChangeDelivery => ({ changes: [reported], ignored: [] });
const ignore = (event: string, rule: string): ChangeDelivery => ({ changes: [], ignored: [{ event, rule }] });

function deploymentChange({ deployment, repository }: z.output<typeof EVENTS.deployment>): ReportedChange {
  const { environment, description, creator, created_at } = deployment;
  const version = versionOf(deployment);
  const where = environment ? ` to ${environment}` : "";
  return {
    ...fieldsOf(repository),
    eventId: `deployment:${deployment.id}`,
    subject: `deployment:${deployment.id}`,
    at: created_at ?? null,
    kind: "deployment",
    environment: deployment.transient_environment ? `preview ${environment ?? ""}`.trim() : environment,
    title: `Deployment of ${version}${where} begins${description ? `: ${description}` : ""}`,
    version,
    by: creator,
    url: repository.html_url ? `${repository.html_url}/commit/${deployment.sha}` : null,
  };
}

/** What a state says about a deployment. The states before its begin and after its replacement say nothing of the service. */
const STATES: ReadonlyMap<string, string> = new Map([
  ["in_progress", "runs"],
  ["success", "succeeded"],
  ["failure", "failed"],
  ["error", "failed"],
]);

function statusDelivery(event: z.output<typeof EVENTS.deployment_status>): ChangeDelivery {
  const { deployment_status: status, deployment } = event;
  const verb = STATES.get(status.state);
  if (verb === undefined)
    return ignore("deployment_status", `the state ${status.state.slice(0, 40)} changes no service`);
  const began = deploymentChange(event);
  const environment = status.environment ?? deployment.environment;
  return change({
    ...began,
    eventId: `deployment_status:${status.id}`,
    at: status.created_at ?? null,
    title: `Deployment of ${began.version}${environment ? ` to ${environment}` : ""} ${verb}`,
    by: began.by ?? status.creator,
    url: status.log_url ?? status.target_url ?? began.url,
  });
}

function releaseChange({ release, repository }: z.output<typeof EVENTS.release>): ReportedChange {
  const { tag_name, name, html_url, author, published_at } = release;
  return {
    ...fieldsOf(repository),
    eventId: `release:${release.id}`,
    subject: null,
    at: published_at ?? null,
    kind: "release",
    environment: null,
    title: `Release ${tag_name}${name && name !== tag_name ? `: ${name}` : ""}`,
    version: tag_name,
    by: author,
    url: html_url,
  };
}

function pushDelivery(push: z.output<typeof pushSchema>): ChangeDelivery {
  const { repository, ref, before, after, head_commit, commits, pusher, compare } = push;
  const branch = repository.default_branch;
  if (push.deleted === true || branch === null || ref !== `refs/heads/${branch}`)
    return ignore("push", "the push is not to the default branch");
  const others = commits.length - 1;
  const more = others > 0 ? ` (and ${others} more ${others === 1 ? "commit" : "commits"})` : "";
  const { pushed_at } = repository;
  return change({
    ...fieldsOf(repository),
    eventId: `push:${repository.id}:${before}:${after}`,
    subject: null,
    at: typeof pushed_at === "number" ? new Date(pushed_at * 1_000) : null,
    kind: "push",
    environment: null,
    title: `Push to ${branch}: ${head_commit ?? after.slice(0, SHORT_SHA)}${more}`,
    version: after.slice(0, SHORT_SHA),
    by: pusher,
    url: compare,
  });
}

function fieldsOf(repository: Repository) {
  return {
    service: repository.name,
    aliases: [],
    labels: { repository: repository.full_name },
    domain: null,
  };
}

const SHORT_SHA = 12;

/** The tag or branch with the commit; the commit alone if it was deployed by its id. */
function versionOf({ ref, sha }: { readonly ref: string; readonly sha: string }): string {
  const short = sha.slice(0, SHORT_SHA);
  return ref === "" || sha.startsWith(ref) ? short : `${ref} (${short})`;
}
